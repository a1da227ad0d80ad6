/** The many spellings of a time limit: each agent's own unit and meaning. */

import type { Timeouts } from '../kernel/phases.ts';
import { readNumber, type Fields } from './fields.ts';

/** What a limit is about. `listing` is opencode's: the start and each listing. */
export type TimeoutMeaning = 'start' | 'idle' | 'total' | 'listing';

export interface TimeoutField {
  readonly key: string;
  readonly unit: 'ms' | 's' | 'min';
  readonly means: TimeoutMeaning;
  /** Smaller values are ignored by the agent. */
  readonly least?: number;
}

const factors = { ms: 1, s: 1000, min: 60_000 } as const;

export function readTimeouts(fields: Fields, known: readonly TimeoutField[]): Timeouts {
  const found = known.flatMap((field) => {
    const value = readNumber(fields, field.key);
    if (value === undefined || value < (field.least ?? 0)) return [];
    return [timeoutsFor(field.means, Math.round(value * factors[field.unit]))];
  });
  return Object.assign({}, ...found) as Timeouts; // later fields win, as in a spread
}

export function timeoutsFor(means: TimeoutMeaning, ms: number): Timeouts {
  switch (means) {
    case 'start':
      return { startMs: ms };
    case 'idle':
      return { idleMs: ms };
    case 'total':
      return { totalMs: ms };
    case 'listing':
      return { startMs: ms, phases: { listing_resources: ms, listing_tools: ms, listing_prompts: ms } };
  }
}
