/** All invariants that a history must satisfy, by name. */

import { ofKind, type Entry } from '../history.ts';
import { checkCanaries } from './canaries.ts';
import { checkDecisions } from './decisions.ts';
import { checkDeliveries } from './deliveries.ts';
import { checkEdits } from './edits.ts';
import { checkPhases } from './phases.ts';
import { checkProcesses } from './processes.ts';
import { checkRefreshes } from './refreshes.ts';
import type { Check, Checked } from './violation.ts';

/** Nothing crashes, and nobody found anything else that is wrong. */
const checkCalm: Check = (history) => {
  const wrong = ofKind(history, 'wrong');
  return {
    looked: ofKind(history, 'owner.end').length,
    violations: wrong.map((entry) => ({ invariant: 'calm', message: entry.what, slice: [entry] })),
  };
};

export type CheckName = 'I1' | 'I2' | 'I3' | 'I4' | 'I5' | 'I6' | 'I7' | 'calm';

export function checkAll(history: readonly Entry[]): Readonly<Record<CheckName, Checked>> {
  return {
    I1: checkProcesses(history),
    I2: checkRefreshes(history),
    I3: checkDeliveries(history),
    I4: checkEdits(history),
    I5: checkCanaries(history),
    I6: checkDecisions(history),
    I7: checkPhases(history),
    calm: checkCalm(history),
  };
}
