/** One attempt to reach a server: what its steps share, which channel is in use, and which limit applies. */

import type { Client } from '@modelcontextprotocol/client';

import type { Phase } from '../../kernel/phases.ts';
import type { Transport } from '../../kernel/servers.ts';
import type { Clock } from '../../platform/clock.ts';
import type { LaunchPlan } from '../../secrets/launch-plan.ts';
import type { CatalogBudget, ServerLists } from '../catalog-budget.ts';
import { createExplain, type Explain, type OpenTransport } from '../door.ts';
import type { EraMemory } from '../era-memory.ts';
import type { Limits } from '../limits.ts';
import type { Line, LineEvents, ListKind } from '../line/line.ts';
import type { ListCaps } from '../line/list-all.ts';
import type { ListSlots, Warn } from '../line/read-lists.ts';
import type { PhaseWalk } from '../phase-table.ts';
import type { WakeWatch } from '../wake-watch.ts';
import { type ConnectFailure, toConnectFailure } from './connect-failure.ts';
import { createDeadlines, type Deadlines } from './deadlines.ts';
import type { Sender } from './probe.ts';
import { startLine } from './start-line.ts';
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
  readonly client: () => Promise<Client>;
  /** Whether a caller may already hold the client. */
  readonly isClientInUse: () => boolean;
  readonly warn: Warn;
  readonly onChanged: (kind: ListKind) => void;
  /** Listeners for the events of a channel, active from its creation. */
  readonly events: (line: () => Line) => Omit<LineEvents, 'onAnswer'>;
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
  readonly line: () => Line | undefined;
  readonly openLine: (kind: Transport) => Promise<Line>;
  readonly advance: (to: Phase) => void;
  readonly fail: (error: unknown) => ConnectFailure;
}

export function createAttempt(parts: ConnectParts, signal: AbortSignal): Attempt {
  const { plan, phases } = parts;
  const { server } = plan;
  let current: Line | undefined;
  const line = (): Line | undefined => current;
  const deadlines = createDeadlines({ ...parts, server, signal, phase: () => phases.current });
  const advance = (to: Phase): void => {
    if (deadlines.isOver || phases.current === to) return;
    phases.advance(to);
    deadlines.enter(phases.current);
  };
  const explain = createExplain({ server, phase: () => phases.current, line, wallNow: parts.wallNow });
  const onStart = (started: Line): void => {
    current = started;
    if (phases.current === 'disconnected') phases.enter('connecting');
    deadlines.enter(phases.current);
    // The client performs the handshake with remote servers, so load it while the channel opens. The code
    // that awaits it sees a failure.
    if (plan.kind !== 'stdio') parts.client().catch(() => undefined);
  };
  const events = (own: () => Line): LineEvents => ({
    ...parts.events(own),
    onAnswer: (method) => {
      if (method === 'initialize' && own() === current) advance('handshaking');
    },
  });
  const onOpened = (opened: Line): void => {
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
    line,
    advance,
    openLine: (kind) =>
      startLine(plan, kind, { ...parts, ...parts.tuning, events, onStart, onOpened }, deadlines.signal),
    fail: (error) => {
      const stopped: unknown = deadlines.signal.aborted ? deadlines.signal.reason : undefined;
      return toConnectFailure(error, { server, phase: phases.current, line: current, stopped, explain });
    },
  };
}
