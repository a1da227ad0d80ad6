/** I3: a response reaches only its caller, once, and a call is executed once: it is never resent automatically. */

import { groupBy, ofKind } from '../history.ts';
import type { Check, Violation } from './violation.ts';

export const checkDeliveries: Check = (history) => {
  const delivered = ofKind(history, 'delivered');
  const callOf = new Map(ofKind(history, 'call').map((call) => [call.mark, call]));
  const received = groupBy(ofKind(history, 'received'), ({ mark }) => mark);
  const violations: Violation[] = [];
  const add = (message: string, slice: Violation['slice']): void =>
    void violations.push({ invariant: 'I3', message, slice });

  for (const entry of delivered) {
    const call = callOf.get(entry.mark);
    if (call === undefined) add(`an answer came to ${entry.mark}, which called nothing`, [entry]);
    else if (call.owner !== entry.owner)
      add(`the answer of ${entry.mark} came to another process`, [call, entry]);
    else if (entry.got !== entry.mark) add(`${entry.mark} got what belongs to ${entry.got}`, [call, entry]);
    else if ((received.get(entry.mark)?.[0]?.at ?? Infinity) > entry.at)
      add(`${entry.mark} was answered before a server got it`, [call, entry]);
  }
  const results = groupBy(
    delivered.filter(({ part }) => part === 'result'),
    ({ mark }) => mark,
  );
  for (const [mark, group] of results) if (group.length > 1) add(`${mark} was answered twice`, group);
  for (const [mark, group] of received)
    if (group.length > 1) add(`the call ${mark} was carried out ${group.length} times`, group);
  return { looked: callOf.size, violations };
};
