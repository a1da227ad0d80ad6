/**
 * Interprets JSON Schema 2020-12. Nothing is compiled, generated or fetched, so the first check of a schema
 * costs the same as later ones. `format` is not checked, which is the standard's default. Keywords of older
 * drafts are supported.
 */

import { isObject, type JsonObject } from '../../kernel/json.ts';
import { applicators } from './applicators.ts';
import { valueKeywords } from './keywords.ts';
import { every } from './loops.ts';
import { referenceKeywords } from './references.ts';
import { unevaluatedKeywords } from './unevaluated.ts';
import {
  type Check,
  type CountMore,
  createWalk,
  fail,
  isPauseDue,
  type Keyword,
  mayEnter,
  type Pause,
  schemaNamesOf,
  takePause,
  type Verdict,
  type Walk,
} from './walk.ts';

const keywords: ReadonlyMap<string, Keyword> = new Map([
  ...valueKeywords,
  ...applicators,
  ...referenceKeywords,
  ...unevaluatedKeywords,
]);

/** Creates the state for checking `value` against a schema. Without `pause` every verdict is synchronous. */
export function walkThrough(root: unknown, value: unknown, pause?: Pause): Walk {
  return createWalk(root, createValueCounter(value), check, pause);
}

const check: Check = (schema, value, walk) => {
  if (schema === false) return fail(walk, () => 'nothing here');
  if (!isObject(schema) || !mayEnter(walk)) return true;
  return isPauseDue(walk)
    ? takePause(walk).then(() => enter(schema, value, walk))
    : enter(schema, value, walk);
};

function enter(schema: JsonObject, value: unknown, walk: Walk): Verdict {
  walk.depth += 1;
  const entered =
    typeof schema['$id'] === 'string' && !schema['$id'].startsWith('#') && walk.scope.at(-1) !== schema;
  if (entered) walk.scope.push(schema);
  const leave = (): void => {
    if (entered) walk.scope.pop();
    walk.depth -= 1;
  };
  const passed = isRefAlone(schema, walk)
    ? (keywords.get('$ref')?.(schema['$ref'], value, schema, walk) ?? true)
    : checkKeywords(schema, value, walk);
  if (passed instanceof Promise) return passed.finally(leave);
  leave();
  return passed;
}

type KeywordInUse = readonly [keyword: Keyword, operand: unknown];

const keywordsInUse = new WeakMap<JsonObject, readonly KeywordInUse[]>();

/** The keywords that holt supports. Cached, because a schema may have thousands of other keys. */
function keywordsOf(schema: JsonObject, walk: Walk): readonly KeywordInUse[] {
  const known = keywordsInUse.get(schema);
  if (known !== undefined) return known;
  const found = schemaNamesOf(schema, walk).flatMap((name): KeywordInUse[] => {
    const keyword = keywords.get(name);
    return keyword === undefined ? [] : [[keyword, schema[name]]];
  });
  keywordsInUse.set(schema, found);
  return found;
}

function checkKeywords(schema: JsonObject, value: unknown, walk: Walk): Verdict {
  return every(keywordsOf(schema, walk), walk, ([keyword, operand]) => keyword(operand, value, schema, walk));
}

const maxDialect = 200;

/** Up to draft 7 the keywords next to a `$ref` are ignored. */
function isRefAlone(schema: JsonObject, walk: Walk): boolean {
  if (schema['$ref'] === undefined) return false;
  const dialect = walk.scope[0]?.['$schema'];
  return typeof dialect === 'string' && dialect.length <= maxDialect && /draft-0[3-7]/.test(dialect);
}

const maxCount = 100_000;

/** A long string counts as several values, because it takes as long to process. */
const charactersForOne = 100;

function createValueCounter(root: unknown): CountMore {
  const waiting: object[] = [];
  let rest = maxCount;
  let found = 0;
  const count = (value: unknown): void => {
    found += 1;
    if (typeof value === 'string') found += Math.floor(value.length / charactersForOne);
    else if (typeof value === 'object' && value !== null) waiting.push(value);
  };
  count(root);
  return (atLeast) => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      for (const value of Array.isArray(next) ? next : Object.values(next)) count(value);
      if (found >= atLeast) break;
    }
    const more = Math.min(found, rest);
    rest -= more;
    found = 0;
    if (rest === 0) waiting.length = 0;
    return more;
  };
}
