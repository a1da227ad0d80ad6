/**
 * JSON Schema 2020-12 by interpretation: nothing is compiled, generated or fetched, so the first check of a schema costs
 * what the later ones do. `format` says nothing, as the standard has it. Older drafts' spellings are understood.
 */

import type { JsonObject } from '../tool-info.ts';
import { applicators } from './applicators.ts';
import { referenceKeywords } from './follow.ts';
import { isJsonObject } from './json.ts';
import { valueKeywords, type Keyword } from './keywords.ts';
import { unevaluatedKeywords } from './unevaluated.ts';
import { createWalk, fail, mayEnter, type Check, type Walk } from './walk.ts';

const keywords: ReadonlyMap<string, Keyword> = new Map([
  ...valueKeywords,
  ...applicators,
  ...referenceKeywords,
  ...unevaluatedKeywords,
]);

/** For checking a value of about this size against a schema. */
export function walkThrough(root: unknown, value: unknown): Walk {
  return createWalk(root, value, check);
}

const check: Check = (schema, value, walk) => {
  if (schema === false) return fail(walk, () => 'nothing here');
  if (!isJsonObject(schema) || !mayEnter(walk)) return true;
  walk.depth += 1;
  const entered =
    typeof schema['$id'] === 'string' && !schema['$id'].startsWith('#') && walk.scope.at(-1) !== schema;
  if (entered) walk.scope.push(schema);
  const passed = isRefAlone(schema, walk)
    ? (keywords.get('$ref')?.(schema['$ref'], value, schema, walk) ?? true)
    : checkKeywords(schema, value, walk);
  if (entered) walk.scope.pop();
  walk.depth -= 1;
  return passed;
};

function checkKeywords(schema: JsonObject, value: unknown, walk: Walk): boolean {
  let passed = true;
  for (const name in schema) {
    const keyword = keywords.get(name);
    if (keyword === undefined || !Object.hasOwn(schema, name) || keyword(schema[name], value, schema, walk))
      continue;
    passed = false;
    if (walk.failures === undefined) return false;
  }
  return passed;
}

/** Up to draft 7 the neighbours of a `$ref` are ignored. */
function isRefAlone(schema: JsonObject, walk: Walk): boolean {
  if (schema['$ref'] === undefined) return false;
  const dialect = walk.scope[0]?.['$schema'];
  return typeof dialect === 'string' && /draft-0[3-7]/.test(dialect);
}
