/** How long each phase and each call of a server may take, and what to say when it took longer. Zero means no limit. */

import { HoltError } from '../kernel/errors.ts';
import type { AgentId } from '../kernel/agent-ids.ts';
import { phases, type Phase, type Timeouts } from '../kernel/phases.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import { nameWord } from '../kernel/shell-words.ts';

export interface Limits {
  /** Covers everything up to `ready`; infinite unless somebody set it. */
  readonly startMs: number;
  /** How long a call may stay silent. */
  readonly idleMs: number;
  readonly totalMs: number;
  readonly phases: Readonly<Record<Phase, number>>;
}

const second = 1000;

/** A cold package runner downloads first. */
const connectingMs = { stdio: 90 * second, http: 30 * second, sse: 30 * second, ws: 30 * second } as const;

const phaseMs: Readonly<Partial<Record<Phase, number>>> = {
  initializing: 10 * second,
  handshaking: 5 * second,
  listing_resources: 10 * second,
  listing_tools: 10 * second,
  listing_prompts: 10 * second,
  cleaning_up: 5 * second,
};

const idleMs = 120 * second;
const totalMs = 600 * second;

/** What these agents allow a silent call. */
const shortIdleMs = 30 * second;
const shortIdleAgents: ReadonlySet<AgentId> = new Set(['opencode', 'chimera-otter', 'kilo']);

/** `shared` limits are for all servers, weakest first; what a definition says of itself is the last word. */
export function limitsFor(definition: ServerDefinition, shared: readonly Timeouts[]): Limits {
  const layers = [...shared, definition.timeouts];
  const given = (key: 'startMs' | 'idleMs' | 'totalMs'): number | undefined =>
    layers.findLast((layer) => layer[key] !== undefined)?.[key];
  const givenPhase = (phase: Phase): number | undefined =>
    layers.findLast((layer) => layer.phases?.[phase] !== undefined)?.phases?.[phase];
  const usual = { ...phaseMs, connecting: connectingMs[definition.launch.kind] };
  const isShort = shortIdleAgents.has(definition.origin.agent);
  const limited = phases.map((phase) => [phase, orNone(givenPhase(phase) ?? usual[phase])] as const);
  return {
    startMs: orNone(given('startMs')),
    idleMs: orNone(given('idleMs') ?? givenPhase('executing') ?? (isShort ? shortIdleMs : idleMs)),
    totalMs: orNone(given('totalMs') ?? totalMs),
    phases: Object.fromEntries(limited) as Record<Phase, number>, // every phase has its entry
  };
}

function orNone(ms: number | undefined): number {
  return ms === undefined || ms <= 0 ? Number.POSITIVE_INFINITY : ms;
}

/** `10 s`, `0.25 s`. */
export function inSeconds(ms: number): string {
  return `${Number((ms / second).toFixed(3))} s`;
}

/** What ended the wait: the limit of the phase, or the one over the whole start. */
export interface PassedLimit {
  readonly phase: Phase;
  readonly limit: 'phase' | 'start';
  readonly afterMs: number;
}

export function timeoutError(
  server: string,
  { phase, limit, afterMs }: PassedLimit,
): HoltError<'connect-timeout'> {
  const field = limit === 'phase' ? `phase_timeouts.${phase}` : 'timeouts.startMs';
  const remedy = `Raise ${field} if it needs longer, or see what it is doing with holt logs ${nameWord(server)}.`;
  const message = `Failed to connect to "${server}": no answer in phase ${phase} after ${inSeconds(afterMs)}. ${remedy}`;
  return new HoltError('connect-timeout', message, { server, phase, afterMs }, { remedy });
}
