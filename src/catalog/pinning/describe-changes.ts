/** Why a tool is withheld, in lines a person can judge by. */

import { definitionText, digestOf } from './definition.ts';
import { diffDefinitions, diffText } from './diff-definitions.ts';
import type { Prepared } from './judge.ts';
import type { Pin, PinTexts } from './pin-records.ts';
import type { Standing } from './standing.ts';

const lostReason = 'what was accepted earlier is lost, because pins.json was damaged';
const goneReason = 'it is not what was accepted; the earlier text is no longer kept';

export function describeChanges(
  tool: string,
  offer: Prepared,
  standing: Standing,
  texts: PinTexts | undefined,
): readonly string[] {
  const offered = offer.tools.get(tool);
  const after = offered === undefined ? undefined : definitionText(offered);
  if (after === undefined) return ['its definition is nested too deeply to be checked'];
  if (standing.lost) return [lostReason, ...diffDefinitions(undefined, after)];
  const pin = standing.record?.tools.get(tool);
  if (pin === undefined) return ['it is new', ...diffDefinitions(undefined, after)];
  const before = matching(texts?.tools.get(tool), pin);
  return before === undefined
    ? [goneReason, ...diffDefinitions(undefined, after)]
    : diffDefinitions(before, after);
}

export function instructionChanges(
  after: string | undefined,
  standing: Standing,
  texts: PinTexts | undefined,
): readonly string[] {
  if (standing.lost) return [lostReason, ...diffText('instructions', undefined, after)];
  const pin = standing.record?.instructions;
  if (pin === undefined) return ['they are new', ...diffText('instructions', undefined, after)];
  const before = matching(texts?.instructions, pin);
  const lines = diffText('instructions', before, after);
  return before === undefined ? [goneReason, ...lines] : lines;
}

/** A text counts only when it is the one that was accepted. */
function matching(text: string | undefined, { digest }: Pin): string | undefined {
  return text !== undefined && digestOf(text) === digest ? text : undefined;
}
