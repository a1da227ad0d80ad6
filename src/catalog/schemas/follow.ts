/** `$ref`, `$dynamicRef` and the older `$recursiveRef`: continue with another schema of the same document. */

import { isObject, type JsonObject } from '../../kernel/json.ts';
import type { Later } from './later.ts';
import { indexOf, resolveReference, type Target } from './references.ts';
import { spend, warn, type Keyword, type Walk } from './walk.ts';

/** Looking up a reference may parse it as a URI. */
const charactersInStep = 4;

export function targetOf(keyword: string, reference: unknown, walk: Walk): Target | undefined {
  const here = walk.scope.at(-1);
  if (typeof reference !== 'string' || here === undefined) return undefined;
  const target = resolveReference(reference, here, walk.scope[0] ?? here, () =>
    spend(walk, reference.length / charactersInStep),
  );
  if (target === undefined || keyword !== '$dynamicRef') return target;
  return dynamicTarget(target, walk) ?? target;
}

/**
 * Returns the schema with the same dynamic anchor in the outermost document in scope, which takes precedence.
 */
function dynamicTarget(target: Target, walk: Walk): Target | undefined {
  const name = isObject(target.schema) ? target.schema['$dynamicAnchor'] : undefined;
  if (typeof name !== 'string') return undefined;
  for (const resource of walk.scope) {
    const schema: JsonObject | undefined = indexOf(walk.scope[0] ?? resource)
      .anchors.get(resource)
      ?.get(name);
    if (schema?.['$dynamicAnchor'] === name) return { schema, resource };
  }
  return undefined;
}

/** Runs work with references resolved in another document. */
export function within<Value>(resource: JsonObject, walk: Walk, run: () => Later<Value>): Later<Value> {
  if (walk.scope.at(-1) === resource) return run();
  walk.scope.push(resource);
  const outcome = run();
  if (outcome instanceof Promise) return outcome.finally(() => walk.scope.pop());
  walk.scope.pop();
  return outcome;
}

function follow(keyword: string): Keyword {
  return (operand, value, _schema, walk) => {
    const target = targetOf(keyword, operand, walk);
    if (target !== undefined) return within(target.resource, walk, () => walk.check(target.schema, value));
    if (typeof operand !== 'string') return true;
    return warn(walk, `${keyword} ${JSON.stringify(operand.slice(0, 100))} leads nowhere inside the schema`);
  };
}

export const referenceKeywords: readonly (readonly [string, Keyword])[] = [
  ['$ref', follow('$ref')],
  ['$dynamicRef', follow('$dynamicRef')],
  ['$recursiveRef', follow('$recursiveRef')],
];
