/** I7: a connection makes only the transitions in the table, and each one starts from its previous phase. */

import { mayFollow } from '../../../src/connection/phase-table.ts';
import { groupBy, ofKind, type EntryOf } from '../history.ts';
import type { Check, Violation } from './violation.ts';

export const checkPhases: Check = (history) => {
  const steps = ofKind(history, 'phase');
  const violations: Violation[] = [];
  const add = (message: string, slice: Violation['slice']): void =>
    void violations.push({ invariant: 'I7', message, slice });
  for (const walk of groupBy(steps, ({ owner, server }) => `${owner} ${server}`).values()) {
    let last: EntryOf<'phase'> | undefined;
    for (const step of walk) {
      const where = last?.to ?? 'disconnected';
      const slice = last === undefined ? [step] : [last, step];
      if (!mayFollow(step.from, step.to)) add(`${step.server} went from ${step.from} to ${step.to}`, slice);
      if (step.from !== where) add(`${step.server} was ${where} and left ${step.from}`, slice);
      last = step;
    }
  }
  return { looked: steps.length, violations };
};
