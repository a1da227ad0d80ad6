/** I5: a secret that was granted to one place is sent nowhere else. */

import { groupBy, ofKind } from '../history.ts';
import type { Check, Violation } from './violation.ts';

export const checkCanaries: Check = (history) => {
  const grants = groupBy(ofKind(history, 'grant'), ({ canary }) => canary);
  const outbound = ofKind(history, 'outbound');
  const violations = outbound.flatMap((entry): readonly Violation[] =>
    entry.canaries
      .filter((canary) => grants.get(canary)?.some(({ to }) => to === entry.to) !== true)
      .map((canary) => ({
        invariant: 'I5',
        message: `${canary} reached ${entry.to}`,
        slice: [...(grants.get(canary) ?? []), entry],
      })),
  );
  return { looked: outbound.length, violations };
};
