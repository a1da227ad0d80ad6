/**
 * Converts time limits to an agent's fields and units. Rounds up to whole units: a limit never gets shorter.
 */

import type { JsonMap } from '../../kernel/json.ts';
import type { TimeoutField } from '../../agents/timeout-fields.ts';
import { startLimitOf, type Timeouts } from '../../kernel/phases.ts';
import type { Spelling } from './spelling.ts';

const factors = { ms: 1, s: 1000, min: 60_000 } as const;

export function spellTimeouts(timeouts: Timeouts, spelling: Spelling): JsonMap {
  if (spelling.own?.includes('timeouts') === true) return spellOwnTimeouts(timeouts);
  const entry: JsonMap = {};
  for (const field of spelling.timeouts ?? []) {
    const ms = limitFor(field, timeouts);
    if (ms === undefined || ms / factors[field.unit] < (field.least ?? 0)) continue;
    entry[field.key] = Math.ceil(ms / factors[field.unit]);
  }
  return entry;
}

function limitFor({ means }: TimeoutField, timeouts: Timeouts): number | undefined {
  if (means === 'idle') return timeouts.idleMs;
  return means === 'total' ? timeouts.totalMs : startLimitOf(timeouts);
}

/** holt's own format: the limit of a call has its own field, and all other limits are in an object. */
function spellOwnTimeouts({ idleMs, ...others }: Timeouts): JsonMap {
  const limits: JsonMap = JSON.parse(JSON.stringify(others));
  return {
    ...(idleMs === undefined ? {} : { timeout: idleMs }),
    ...(Object.keys(limits).length === 0 ? {} : { timeouts: limits }),
  };
}
