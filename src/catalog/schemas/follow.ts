/** `$ref`, `$dynamicRef` and the older `$recursiveRef`: going on in another schema of the same document. */

import type { JsonObject } from '../tool-info.ts';
import { isJsonObject } from './json.ts';
import type { Keyword } from './keywords.ts';
import { indexOf, resolveReference, type Target } from './references.ts';
import { warn, type Walk } from './walk.ts';

export function targetOf(keyword: string, reference: unknown, walk: Walk): Target | undefined {
  const here = walk.scope.at(-1);
  if (typeof reference !== 'string' || here === undefined) return undefined;
  const target = knownTarget(reference, here, walk);
  if (target === undefined || keyword !== '$dynamicRef') return target;
  return dynamicTarget(target, walk) ?? target;
}

function knownTarget(reference: string, here: JsonObject, walk: Walk): Target | undefined {
  const known = walk.targets.get(here) ?? new Map<string, Target | undefined>();
  if (!known.has(reference)) known.set(reference, resolveReference(reference, here, walk.scope[0] ?? here));
  walk.targets.set(here, known);
  return known.get(reference);
}

/** The outermost document on the way here that has the same dynamic anchor takes its place. */
function dynamicTarget(target: Target, walk: Walk): Target | undefined {
  const name = isJsonObject(target.schema) ? target.schema['$dynamicAnchor'] : undefined;
  if (typeof name !== 'string') return undefined;
  for (const resource of walk.scope) {
    const schema: JsonObject | undefined = indexOf(walk.scope[0] ?? resource)
      .anchors.get(resource)
      ?.get(name);
    if (schema?.['$dynamicAnchor'] === name) return { schema, resource };
  }
  return undefined;
}

/** Runs a check with references read from another document. */
export function within(resource: JsonObject, walk: Walk, run: () => boolean): boolean {
  if (walk.scope.at(-1) === resource) return run();
  walk.scope.push(resource);
  const passed = run();
  walk.scope.pop();
  return passed;
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
