/**
 * One attempt to reach a server: what its steps share, which channel is in use, and the limits of its phases.
 * The first limit that passes aborts the attempt.
 */

import type { Phase } from '../../kernel/phases.ts';
import type { Transport } from '../../kernel/servers.ts';
import type { Clock } from '../../platform/clock.ts';
import type { LaunchPlan } from '../../secrets/launch-plan.ts';
import type { CatalogBudget, ServerLists } from '../catalog-budget.ts';
import { Channel, type ChannelEvents, type ListKind } from '../channel.ts';
import type { ListCaps, ListSlots, Warn } from '../lists/read-lists.ts';
import type { EraMemory } from '../era-memory.ts';
import { createExplain, type Explain, type OpenTransport } from '../explain-failure.ts';
import type { AnswerInput } from '../input-rounds.ts';
import { timeoutError, type Limits, type PassedLimit } from '../limits.ts';
import type { PhaseWalk } from '../phase-table.ts';
import type { WakeWatch } from '../wake-watch.ts';
import { type ConnectFailure, toConnectFailure } from './connect-failure.ts';
import type { Sender } from './protocol.ts';
import type { StartSlots } from './start-slots.ts';

/** Dependencies that all servers of a host share. */
export interface SharedParts {
  readonly open: OpenTransport;
  readonly slots: StartSlots;
  readonly catalog: CatalogBudget;
  readonly clock: Clock;
  /** The time of day, in milliseconds. */
  readonly wallNow: () => number;
  readonly wake: WakeWatch;
  readonly eras: EraMemory;
  readonly sender: Sender;
  readonly tuning: Tuning;
}

export interface Tuning {
  /** How long a program may ignore `server/discover`, in milliseconds. */
  readonly graceMs: number;
  /** How long a program that writes nothing holds its start slot, in milliseconds. */
  readonly slotMs: number;
  readonly listCaps?: ListCaps;
}

export const usualTuning: Tuning = { graceMs: 2000, slotMs: 300 };

export interface ConnectParts extends SharedParts {
  readonly plan: LaunchPlan;
  /** The key of the server in the `EraMemory`. */
  readonly eraKey: string;
  readonly limits: Limits;
  readonly phases: PhaseWalk;
  /** Answers a question that the server asks in response to a request other than a call. */
  readonly answer: AnswerInput;
  readonly warn: Warn;
  readonly onChanged: (kind: ListKind) => void;
  /** Listeners for the events of a channel, active from its creation. */
  readonly events: (channel: Channel) => ChannelEvents;
}

/** What the steps of one attempt share. */
export interface Attempt extends ConnectParts {
  /** The budget that the lists of this connection count against. */
  readonly lists: ServerLists;
  readonly listSlots: ListSlots;
  /** Why lists of this connection could not be read, by kind. */
  readonly failedLists: Map<ListKind, string>;
  readonly deadlines: Deadlines;
  readonly explain: Explain;
  /** The channel in use. */
  readonly channel: () => Channel | undefined;
  readonly openChannel: (kind: Transport) => Promise<Channel>;
  readonly advance: (to: Phase) => void;
  readonly fail: (error: unknown) => ConnectFailure;
}

export function createAttempt(parts: ConnectParts, signal: AbortSignal): Attempt {
  const { plan, phases } = parts;
  const { server } = plan;
  let current: Channel | undefined;
  const channel = (): Channel | undefined => current;
  const deadlines = createDeadlines({ ...parts, server, signal, phase: () => phases.current });
  const advance = (to: Phase): void => {
    if (deadlines.isOver || phases.current === to) return;
    phases.advance(to);
    deadlines.enter(phases.current);
  };
  const explain = createExplain({ server, phase: () => phases.current, channel, wallNow: parts.wallNow });
  const onStart = (started: Channel): void => {
    current = started;
    if (phases.current === 'disconnected') phases.enter('connecting');
    deadlines.enter(phases.current);
  };
  const onOpened = (opened: Channel): void => {
    if (opened === current) advance('initializing');
  };
  const lists = parts.catalog.open(server);
  return {
    ...parts,
    lists,
    failedLists: new Map(),
    listSlots: {
      tools: lists.slot(),
      resources: lists.slot(),
      resourceTemplates: lists.slot(),
      prompts: lists.slot(),
    },
    deadlines,
    explain,
    channel,
    advance,
    openChannel: (kind) => startChannel(plan, kind, { ...parts, onStart, onOpened }, deadlines.signal),
    fail: (error) => {
      const stopped: unknown = deadlines.signal.aborted ? deadlines.signal.reason : undefined;
      return toConnectFailure(error, { server, phase: phases.current, channel: current, stopped, explain });
    },
  };
}

interface StartParts extends ConnectParts {
  /** Called just before a program is started or a server is contacted. */
  readonly onStart: (channel: Channel) => void;
  readonly onOpened: (channel: Channel) => void;
}

/** Waits for a start slot, then starts the transport. */
async function startChannel(
  plan: LaunchPlan,
  kind: Transport,
  parts: StartParts,
  signal: AbortSignal,
): Promise<Channel> {
  const release = kind === 'stdio' ? await parts.slots.take(plan.server, signal) : () => undefined;
  try {
    const transport = await parts.open(plan, kind);
    signal.throwIfAborted();
    transport.onwarning = (code, message) => parts.warn(code, message);
    const channel = new Channel(transport, parts.events);
    parts.onStart(channel);
    transport.opened.then(
      () => parts.onOpened(channel),
      () => undefined,
    );
    const stop = (): void => void channel.close().catch(() => undefined);
    signal.addEventListener('abort', stop, { once: true });
    try {
      await channel.start();
    } finally {
      signal.removeEventListener('abort', stop);
    }
    holdSlot(release, transport.firstByte, parts);
    return channel;
  } catch (error) {
    release();
    throw error;
  }
}

/** Holds the slot until the program writes its first byte: until then its start uses the processor. */
function holdSlot(
  release: () => void,
  firstByte: Promise<void> | undefined,
  { clock, tuning }: StartParts,
): void {
  const stop = clock.setTimer(tuning.slotMs, release, { background: true });
  firstByte
    ?.catch(() => undefined)
    .then(() => {
      stop();
      release();
    })
    .catch(() => undefined);
}

export interface Deadlines {
  readonly signal: AbortSignal;
  readonly isOver: boolean;
  /** Starts the limit of this phase and stops the one before. */
  enter(phase: Phase): void;
  /** Stops the limit of the phase. The limit for the whole start still applies. */
  leave(): void;
  end(): void;
}

interface DeadlineParts {
  readonly server: string;
  readonly limits: Limits;
  readonly wake: WakeWatch;
  /** Aborted, with a reason, when the caller stops the start. */
  readonly signal: AbortSignal;
  readonly phase: () => Phase;
}

function createDeadlines({ server, limits, wake, signal, phase }: DeadlineParts): Deadlines {
  const controller = new AbortController();
  let stopPhase: (() => void) | undefined;
  let isOver = false;
  const pass = (passed: PassedLimit): void => controller.abort(timeoutError(server, passed, limits.advice));
  const stopStart = wake.setTimer(limits.startMs, () =>
    pass({ phase: phase(), limit: 'start', afterMs: limits.startMs }),
  );
  const onAbort = (): void => controller.abort(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    get isOver() {
      return isOver;
    },
    enter: (entered) => {
      stopPhase?.();
      const afterMs = limits.phases[entered];
      stopPhase = wake.setTimer(afterMs, () => pass({ phase: entered, limit: 'phase', afterMs }));
    },
    leave: () => stopPhase?.(),
    end: () => {
      isOver = true;
      stopPhase?.();
      stopStart();
      signal.removeEventListener('abort', onAbort);
    },
  };
}
