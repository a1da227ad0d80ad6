/** Time limits for a server's phases and calls, and the errors for exceeding them. Zero means no limit. */

import { timeoutKeyOf, type LimitName } from '../agents/timeout-keys.ts';
import { HoltError } from '../kernel/errors.ts';
import type { AgentId } from '../kernel/agent-ids.ts';
import { phases, startPhases, type Phase, type Timeouts } from '../kernel/phases.ts';
import type { DialectId, ServerDefinition } from '../kernel/servers.ts';
import { nameWord } from '../kernel/shell-words.ts';

export interface Limits {
  /** Covers everything up to `ready`. Infinite unless it is configured. */
  readonly startMs: number;
  /** How long a call may go without progress or an answer. */
  readonly idleMs: number;
  readonly totalMs: number;
  readonly phases: Readonly<Record<Phase, number>>;
  /** Returns advice on which setting to raise when this limit is too short. */
  readonly advice: (limit: LimitName, ms: number) => string;
}

const second = 1000;

/** A package runner such as npx may have to download the package first. */
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

/** The idle limit for servers of the agents below. */
const shortIdleMs = 30 * second;
const shortIdleAgents: ReadonlySet<AgentId> = new Set(['opencode', 'chimera-otter', 'kilo']);

/** Agents with these dialects allow as much time for the handshake and for each list as for connecting. */
const patientDialects: ReadonlySet<DialectId> = new Set(['opencode', 'otter', 'omp']);
const patientMs: Readonly<Partial<Record<Phase, number>>> = {
  initializing: 30 * second,
  listing_resources: 30 * second,
  listing_tools: 30 * second,
  listing_prompts: 30 * second,
};

/** Limits for all servers. Those of the program (`openHost`) override those of the settings. */
export interface SharedLimits {
  readonly settings?: Timeouts;
  readonly program?: Timeouts;
}

/** Computes the limits of one server. The definition's own limits override the shared ones. */
export function limitsFor(
  definition: ServerDefinition,
  { settings = {}, program = {} }: SharedLimits = {},
): Limits {
  const layers = [settings, program, definition.timeouts];
  const given = (key: 'startMs' | 'idleMs' | 'totalMs'): number | undefined =>
    layers.findLast((layer) => layer[key] !== undefined)?.[key];
  const givenPhase = (phase: Phase): number | undefined =>
    layers.findLast((layer) => layer.phases?.[phase] !== undefined)?.phases?.[phase];
  const usual: Readonly<Partial<Record<Phase, number>>> = {
    ...phaseMs,
    ...(patientDialects.has(definition.dialect) ? patientMs : {}),
    connecting: connectingMs[definition.launch.kind],
  };
  const phaseLimit = (phase: Phase): number => {
    const ms = orNone(givenPhase(phase) ?? usual[phase]);
    // A definition with more time for the whole start may spend it in any phase.
    const isOwn = definition.timeouts.phases?.[phase] !== undefined;
    return isOwn || !phasesOfStart.has(phase) ? ms : Math.max(ms, definition.timeouts.startMs ?? 0);
  };
  const isShort = shortIdleAgents.has(definition.origin.agent);
  const limited = phases.map((phase) => [phase, phaseLimit(phase)] as const);
  return {
    startMs: orNone(given('startMs')),
    idleMs: orNone(given('idleMs') ?? givenPhase('executing') ?? (isShort ? shortIdleMs : idleMs)),
    totalMs: orNone(given('totalMs') ?? totalMs),
    phases: Object.fromEntries(limited) as Record<Phase, number>, // every phase has an entry
    advice: (limit, ms) => adviceFor({ limit, ms }, definition, program),
  };
}

const phasesOfStart: ReadonlySet<Phase> = new Set(startPhases);

/** The entry's own limit overrides all others, so suggest that one if the entry's format has a key for it. */
function adviceFor(
  { limit, ms }: { readonly limit: LimitName; readonly ms: number },
  definition: ServerDefinition,
  program: Timeouts,
): string {
  const { file, line } = definition.origin;
  const own = timeoutKeyOf(definition, limit);
  const place = file === '' ? `the definition of "${definition.name}"` : `${file}:${line}`;
  if (own !== undefined) return `Raise ${own.key} (${own.unit}) in ${place}`;
  const isPhase = limit !== 'start' && limit !== 'idle' && limit !== 'total';
  if (isPhase && definition.timeouts.phases?.[limit] !== undefined)
    return `Raise phase_timeouts.${limit} (seconds) in ${place}`;
  const path = isPhase ? `timeouts.phases.${limit}` : `timeouts.${limit}Ms`;
  const given = isPhase ? program.phases?.[limit] : program[`${limit}Ms`];
  if (given !== undefined) return `Raise ${path} of openHost`;
  return `Raise the limit with holt config set ${path} ${ms * 3}`;
}

function orNone(ms: number | undefined): number {
  return ms === undefined || ms <= 0 ? Number.POSITIVE_INFINITY : ms;
}

/** Formats milliseconds as seconds: `10 s`, `0.25 s`. */
export function inSeconds(ms: number): string {
  return `${Number((ms / second).toFixed(3))} s`;
}

/** The limit that passed: that of the phase, or that of the whole start. */
export interface PassedLimit {
  readonly phase: Phase;
  readonly limit: 'phase' | 'start';
  readonly afterMs: number;
}

export function timeoutError(
  server: string,
  { phase, limit, afterMs }: PassedLimit,
  advice: Limits['advice'],
): HoltError<'connect-timeout'> {
  const raise = advice(limit === 'phase' ? phase : 'start', afterMs);
  const remedy = `${raise} if it needs longer, or see what it is doing with holt logs ${nameWord(server)}.`;
  const message = `Failed to connect to "${server}": no answer in phase ${phase} after ${inSeconds(afterMs)}. ${remedy}`;
  return new HoltError('connect-timeout', message, { server, phase, afterMs }, { remedy });
}
