/** Matches a string against a pattern of a schema, within the walk's limits. */

import type { JsonObject } from '../../kernel/json.ts';
import { after } from './later.ts';
import { linearPattern, type PatternMatch } from './linear-pattern.ts';
import { countVisits, warn, type Verdict, type Walk } from './walk.ts';

/** Compiled patterns by the schema object that contains them. */
const patterns = new WeakMap<JsonObject, Map<string, PatternMatch | undefined>>();

/** A pattern that cannot be matched safely matches everything, with a warning. */
export function matchesPattern(pattern: string, text: string, holder: JsonObject, walk: Walk): Verdict {
  if (walk.matching.left <= 0) return warnOfPattern(pattern, walk);
  const known = patterns.get(holder) ?? new Map<string, PatternMatch | undefined>();
  if (!known.has(pattern)) {
    const left = walk.matching.left;
    known.set(pattern, linearPattern(pattern, walk.matching));
    countVisits(walk, left - walk.matching.left);
  }
  patterns.set(holder, known);
  return after(
    known.get(pattern)?.(text, walk.matching),
    (matched) => matched ?? warnOfPattern(pattern, walk),
  );
}

function warnOfPattern(pattern: string, walk: Walk): true {
  return warn(walk, `the pattern ${JSON.stringify(pattern.slice(0, 60))} was not checked`);
}
