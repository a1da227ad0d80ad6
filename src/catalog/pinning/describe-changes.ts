/** Explains why a tool is withheld, in lines that a person can decide by. */

import { definitionText, digestOf } from './definition.ts';
import { diffDefinitions, diffText } from './diff-definitions.ts';
import type { Prepared } from './judge.ts';
import type { Pin, PinTexts } from './pin-records.ts';
import type { Standing } from './standing.ts';

const lostReason = 'what was accepted earlier is lost, because pins.json was damaged';
const hiddenReason = 'a secret in it is another one now; it is not shown';
const goneReason = 'it is not what was accepted; the earlier text is no longer kept';

export function describeChanges(
  tool: string,
  offer: Prepared,
  standing: Standing,
  texts: PinTexts | undefined,
): readonly string[] {
  const offered = offer.tools.get(tool);
  const text = offered === undefined ? undefined : definitionText(offered);
  const after = offer.redact(text ?? '{}');
  if (standing.lost) return [lostReason, ...diffDefinitions(undefined, after)];
  const pin = standing.record?.tools.get(tool);
  if (pin === undefined) return ['it is new', ...diffDefinitions(undefined, after)];
  const before = matching(texts?.tools.get(tool), pin, texts?.digests?.get(tool));
  return before === undefined
    ? [goneReason, ...diffDefinitions(undefined, after)]
    : orHidden(diffDefinitions(offer.redact(before), after));
}

export function instructionChanges(
  { instructions, redact }: Prepared,
  standing: Standing,
  texts: PinTexts | undefined,
): readonly string[] {
  const after = instructions === undefined ? undefined : redact(instructions);
  if (standing.lost) return [lostReason, ...diffText('instructions', undefined, after)];
  const pin = standing.record?.instructions;
  if (pin === undefined) return ['they are new', ...diffText('instructions', undefined, after)];
  const before = matching(texts?.instructions, pin, texts?.digests?.get(''));
  if (before === undefined) return [goneReason, ...diffText('instructions', undefined, after)];
  return orHidden(diffText('instructions', redact(before), after));
}

/** When no difference is visible, it is in a secret that was redacted. */
function orHidden(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [hiddenReason] : lines;
}

/** Returns the stored text only when it is the one that was accepted. */
function matching(text: string | undefined, { digest }: Pin, was: string | undefined): string | undefined {
  return text !== undefined && (was ?? digestOf(text)) === digest ? text : undefined;
}
