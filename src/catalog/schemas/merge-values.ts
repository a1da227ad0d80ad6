/** Combines two operands of one keyword. */

import { isList } from '../../kernel/json.ts';

const annotations = new Set([
  'title',
  'description',
  'default',
  'examples',
  '$comment',
  '$schema',
  '$id',
  '$defs',
  'definitions',
]);

/** Whether nothing is lost by ignoring the other operand. Annotations may differ. */
export function sameKind(keyword: string, mine: unknown, other: unknown): boolean {
  return mine === other || annotations.has(keyword);
}

/** Returns the operand that requires both, or undefined when it cannot be determined. */
export function tighter(keyword: string, mine: unknown, other: unknown): unknown {
  if (typeof mine === 'number' && typeof other === 'number') {
    if (/^(?:min|exclusiveMin)/.test(keyword)) return Math.max(mine, other);
    if (/^(?:max|exclusiveMax)/.test(keyword)) return Math.min(mine, other);
  }
  if (keyword === 'type') return commonTypes(mine, other);
  if (keyword === 'enum' && isList(mine) && isList(other)) {
    const others = new Set(other);
    return mine.filter((value) => others.has(value));
  }
  if (keyword === 'additionalProperties' && (mine === false || other === false)) return false;
  return undefined;
}

function commonTypes(mine: unknown, other: unknown): unknown {
  const first = isList(mine) ? mine : [mine];
  const second = isList(other) ? other : [other];
  const common = first.filter(
    (type) => second.includes(type) || (type === 'integer' && second.includes('number')),
  );
  if (common.length === 0 && first.includes('number') && second.includes('integer')) return 'integer';
  return common.length === 1 ? common[0] : common.length === 0 ? undefined : common;
}
