/** Reads and writes the many spellings of time limits, each in its agent's own unit and meaning. */

import { get } from '../documents/tree.ts';
import { phases, startLimitOf, startPhases, type Phase, type Timeouts } from '../kernel/phases.ts';
import type { TimeoutField, TimeoutMeaning } from './server-shape.ts';
import { readNumber, reportField, type Fields } from './fields.ts';
import type { JsonMap } from '../kernel/json.ts';

const unitsInMs = { ms: 1, s: 1000, min: 60_000 } as const;

export function readTimeouts(fields: Fields, known: readonly TimeoutField[]): Timeouts {
  // One key may set several limits; an invalid value is reported only once.
  const keys = new Set(known.map(({ key }) => key));
  const values = new Map([...keys].map((key) => [key, readNumber(fields, key)] as const));
  const found = known.flatMap((field) => {
    const value = values.get(field.key);
    if (value === undefined || value < (field.least ?? 0)) return [];
    return [timeoutsFor(field.means, Math.round(value * unitsInMs[field.unit]))];
  });
  const limits: Timeouts = Object.assign({}, ...found); // later fields win, as in a spread
  const perPhase = readPhases(fields, 'phase_timeouts', 1000);
  if (Object.keys(perPhase).length === 0) return limits;
  return { ...limits, phases: { ...limits.phases, ...perPhase } };
}

/**
 * Reads limits by the names of phases.
 * `phase_timeouts` is Chimera's key, in seconds; it means the same in every file.
 */
export function readPhases(fields: Fields, key: string, factor: number): Partial<Record<Phase, number>> {
  const node = get(fields.node, key);
  if (node === undefined) return {};
  if (node.kind !== 'object') {
    reportField(fields, key, node, 'an object of phases');
    return {};
  }
  const inner: Fields = { node, report: fields.report };
  const limits: Partial<Record<Phase, number>> = {};
  for (const entry of node.entries) {
    const phase = phases.find((name) => name === entry.key);
    if (phase === undefined) {
      const message = `"${entry.key}" in "${key}" is not a phase; it is ignored`;
      const remedy = `Use ${startPhases.join(', ')}, executing or cleaning_up.`;
      fields.report({ severity: 'warning', code: 'field-invalid', at: entry.keyStart, message, remedy });
      continue;
    }
    const value = readNumber(inner, entry.key);
    if (value !== undefined) limits[phase] = Math.round(value * factor);
  }
  return limits;
}

export function timeoutsFor(means: TimeoutMeaning, ms: number): Timeouts {
  switch (means) {
    case 'start':
      return { startMs: ms };
    case 'idle':
      return { idleMs: ms };
    case 'total':
      return { totalMs: ms };
    case 'phases':
      return { phases: Object.fromEntries(startPhases.map((phase) => [phase, ms])) };
    case 'lists':
      return { phases: { listing_resources: ms, listing_tools: ms, listing_prompts: ms } };
  }
}

/** Rounds up to whole units: a limit never gets shorter. */
export function spellTimeouts(timeouts: Timeouts, known: readonly TimeoutField[]): JsonMap {
  const entry: JsonMap = {};
  for (const { key, unit, means, least = 0, alias } of known) {
    const ms = limitFor(means, timeouts);
    if (ms === undefined || alias === true) continue;
    // What is too small for the phases may still be the limit of a call, which shares the key.
    if (means !== 'phases' && ms / unitsInMs[unit] < least) continue;
    entry[key] = Math.ceil(ms / unitsInMs[unit]);
  }
  return entry;
}

function limitFor(means: TimeoutField['means'], timeouts: Timeouts): number | undefined {
  if (means === 'idle') return timeouts.idleMs;
  return means === 'total' ? timeouts.totalMs : startLimitOf(timeouts);
}

/** holt's own format: the limit of a call has its own field, and all other limits are in an object. */
export function spellOwnTimeouts({ idleMs, ...others }: Timeouts): JsonMap {
  const limits: JsonMap = JSON.parse(JSON.stringify(others));
  return {
    ...(idleMs === undefined ? {} : { timeout: idleMs }),
    ...(Object.keys(limits).length === 0 ? {} : { timeouts: limits }),
  };
}
