/**
 * I6: no call reaches a server that was not allowed, for this tool as it was accepted. Allowed means: by rules that held at
 * some moment between the call and its arrival, or by a person who was asked about it.
 */

import { groupBy, ofKind, type Entry, type EntryOf, type Verdict } from '../history.ts';
import type { Check, Violation } from './violation.ts';

export const checkDecisions: Check = (history) => {
  const callOf = new Map(ofKind(history, 'call').map((call) => [call.mark, call]));
  const rules = groupBy(ofKind(history, 'rules'), ({ owner }) => owner);
  const answers = groupBy(ofKind(history, 'answer'), ({ owner }) => owner);
  const approved = groupBy(ofKind(history, 'approve'), placeOf);
  const received = ofKind(history, 'received');
  const violations: Violation[] = [];
  const add = (message: string, slice: readonly Entry[]): void =>
    void violations.push({ invariant: 'I6', message, slice });

  for (const arrival of received) {
    const call = callOf.get(arrival.mark);
    const place = placeOf(arrival);
    if (call === undefined || placeOf(call) !== place) {
      add(`${place} got a call that nobody made`, call === undefined ? [arrival] : [call, arrival]);
      continue;
    }
    const held = inForce(rules.get(call.owner) ?? [], call.at, arrival.at);
    const verdicts = new Set(held.map(({ table }): Verdict => table[place] ?? table['*'] ?? 'ask'));
    const said = (answers.get(call.owner) ?? []).filter((answer) => placeOf(answer) === place);
    const isAllowed =
      verdicts.has('allow') || (verdicts.has('ask') && isGranted(said, call.mark, arrival.at));
    if (!isAllowed) {
      const own = said.filter(({ mark }) => mark === call.mark);
      add(`${place} was called and nothing allowed it`, [...held, call, ...own, arrival]);
    }
    const { digest } = arrival;
    const taken = approved.get(place) ?? [];
    if (digest !== undefined && !taken.some((entry) => entry.digest === digest && entry.at <= arrival.at))
      add(`${place} was called as ${digest}, which nobody accepted`, [...taken, call, arrival]);
  }
  return { looked: received.length, violations };
};

function placeOf({ server, tool }: { readonly server: string; readonly tool: string }): string {
  return `${server}/${tool}`;
}

/** A "yes" to this call, or one for the whole run. */
function isGranted(answers: readonly EntryOf<'answer'>[], mark: string, until: number): boolean {
  return answers.some(
    (entry) =>
      entry.at <= until && (entry.answer === 'run' || (entry.answer === 'once' && entry.mark === mark)),
  );
}

/** Each set of rules that may have held at some time from `from` to `until`. */
function inForce(
  rules: readonly EntryOf<'rules'>[],
  from: number,
  until: number,
): readonly EntryOf<'rules'>[] {
  const settled = rules.findLast(({ state, at }) => state === 'set' && at <= from);
  const since = settled === undefined ? 0 : rules.indexOf(settled);
  return rules.slice(since).filter(({ at }) => at <= until);
}
