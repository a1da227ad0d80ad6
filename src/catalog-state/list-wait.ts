/**
 * Decides how long a list of tools, resources or prompts waits for servers. A server that does not answer
 * delays a list only briefly, and only while there is nothing else to show.
 */

import type { Connection } from '../connection/connection.ts';
import { inputsIn } from '../dialects/mentions.ts';
import type { Emit } from '../kernel/events.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import { nameWord } from '../kernel/shell-words.ts';
import type { Clock } from '../platform/clock.ts';

export type ListedKind = 'tools' | 'resources' | 'prompts';

export interface ListOptions {
  /**
   * Default: waits only for servers without cached entries, until all have settled, or until 2 s have passed
   * and at least one server has entries. `fresh` also waits, equally long, for servers with cached entries.
   * `settled` waits for all. `cached` starts none and waits for none. Later changes are emitted as events.
   */
  readonly wait?: 'cached' | 'fresh' | 'settled' | undefined;
  /** Lists only this server. Without cached entries, the list waits until the server has settled. */
  readonly server?: string | undefined;
}

export interface ListRequest extends Pick<ListOptions, 'wait'> {
  readonly kind: ListedKind;
  /** Lists only this server. */
  readonly ref: string | undefined;
}

/** Pauses a time limit while a person is asked before a server starts. */
export interface QuestionHolds {
  hold(limit: { hold(): () => void }): () => void;
}

export interface ListWaitParts {
  readonly clock: Clock;
  readonly startQuestions: QuestionHolds;
  readonly emit: Emit;
  readonly connections: () => readonly Connection[];
  /** Whether the entries are cached. */
  readonly isCached: (kind: ListedKind, connection: Connection) => Promise<boolean>;
  /** Whether the server has entries to show now. */
  readonly hasEntries: (kind: ListedKind, connection: Connection) => boolean;
}

export interface ListWait {
  /**
   * Starts the servers that the list needs and waits for them. Never rejects and never restarts a server that
   * failed.
   */
  until(request: ListRequest): Promise<void>;
  /** Why a starting server is not in the list. Undefined if no list has given up waiting for it. */
  overdueText(connection: Connection, kind: ListedKind): string | undefined;
}

const listWaitMs = 2000;

export function createListWait(parts: ListWaitParts): ListWait {
  /**
   * Servers that a list gave up waiting for in their current start. Later lists do not wait for that start.
   */
  const overdue = new WeakSet<Connection>();
  const start = async (connection: Connection): Promise<void> => {
    await connection.connect({ urgent: false });
    overdue.delete(connection);
    // A reload may have replaced the connection in the meantime.
    const next = connection.retirement.isOver ? replacementOf(connection, parts.connections()) : undefined;
    if (next !== undefined) await start(next);
  };
  const textOf = (connection: Connection, kind: ListedKind): string | undefined => {
    const status = connection.status();
    if (!overdue.has(connection) || status.status !== 'connecting') return undefined;
    const { ref } = connection.entry;
    const waited = `${ref} did not answer within ${listWaitMs / 1000} s (phase ${status.phase})`;
    return `${waited}. Run holt ${kind} ${nameWord(ref)} to wait for it.`;
  };
  const giveUpOn = (connection: Connection, kind: ListedKind): void => {
    if (overdue.has(connection)) return;
    overdue.add(connection);
    const server = connection.entry.ref;
    const message = textOf(connection, kind) ?? '';
    parts.emit('mcp.warning', { server, code: 'server-slow', message });
  };
  return {
    until: async (request) => {
      const { kind, wait } = request;
      if (wait === 'cached') return;
      const pending = new Set(await chosen(request, parts));
      if (wait === 'settled' || request.ref !== undefined) {
        await Promise.all([...pending].map(start));
        return;
      }
      const hasEntries = (): boolean =>
        parts.connections().some((connection) => parts.hasEntries(kind, connection));
      await waitBriefly({ pending, start, isOverdue: (one) => overdue.has(one), hasEntries }, parts);
      for (const connection of pending) giveUpOn(connection, kind);
    },
    overdueText: textOf,
  };
}

function replacementOf(old: Connection, all: readonly Connection[]): Connection | undefined {
  return all.find((connection) => connection !== old && connection.entry.ref === old.entry.ref);
}

/** The servers that the list starts or waits for. */
async function chosen(
  { kind, wait, ref }: ListRequest,
  parts: ListWaitParts,
): Promise<readonly Connection[]> {
  const named = parts
    .connections()
    .filter(({ entry, session }) => session === undefined && (ref === undefined || entry.ref === ref));
  const found = await Promise.all(
    named.map(async (connection) => {
      if (await connection.hasNewLogin()) return [connection];
      if (!mayStart(connection, wait)) return [];
      return wait === undefined && (await parts.isCached(kind, connection)) ? [] : [connection];
    }),
  );
  return found.flat();
}

/**
 * Lists do not restart failed servers; supervision, `connect` and calls do. A server that was not approved
 * may have been approved by another process since.
 */
function mayStart(connection: Connection, wait: ListRequest['wait']): boolean {
  const status = connection.status();
  if (status.status === 'connecting') return status.retryAt === undefined;
  return status.status === 'idle' || (status.status === 'untrusted' && wait === 'settled');
}

interface Waiting {
  readonly pending: Set<Connection>;
  readonly start: (connection: Connection) => Promise<void>;
  readonly isOverdue: (connection: Connection) => boolean;
  readonly hasEntries: () => boolean;
}

/**
 * Waits until all have settled, or until the time is over and there is something to show. Removes settled
 * servers from `pending`.
 */
function waitBriefly(
  { pending, start, isOverdue, hasEntries }: Waiting,
  { clock, startQuestions }: ListWaitParts,
): Promise<void> {
  return new Promise((resolve) => {
    const timer = createPausableTimer(listWaitMs, () => check(), clock);
    // Time spent asking a person does not count.
    const forget = startQuestions.hold(timer);
    const check = (): void => {
      const isLate = timer.hasPassed() || ![...pending].some((connection) => !isOverdue(connection));
      if (pending.size > 0 && !(isLate && hasEntries())) return;
      forget();
      timer.stop();
      resolve();
    };
    for (const connection of pending)
      void start(connection).then(() => {
        pending.delete(connection);
        check();
      });
    check();
  });
}

interface PausableTimer {
  /** Pauses the timer. Returns a function that resumes it. */
  hold(): () => void;
  hasPassed(): boolean;
  stop(): void;
}

function createPausableTimer(ms: number, fire: () => void, clock: Clock): PausableTimer {
  let leftMs = ms;
  let stop: (() => void) | undefined;
  const run = (): void => {
    const startedAt = clock.now();
    const cancel = clock.setTimer(leftMs, () => {
      leftMs = 0;
      stop = undefined;
      fire();
    });
    stop = () => {
      cancel();
      leftMs = Math.max(0, leftMs - (clock.now() - startedAt));
      stop = undefined;
    };
  };
  run();
  return {
    hold: () => {
      if (stop === undefined) return () => undefined;
      stop();
      return run;
    },
    hasPassed: () => stop === undefined && leftMs === 0,
    stop: () => stop?.(),
  };
}

export interface BackgroundStartsParts {
  readonly clock: Clock;
  readonly closing: AbortSignal;
  readonly connections: () => readonly Connection[];
  /** Whether the known tools come from the server itself and not from the cache. */
  readonly isFirstHand: (connection: Connection) => boolean;
}

/** Returns a function that starts one server by name, or all. */
export function createBackgroundStarts(parts: BackgroundStartsParts): (server: string | undefined) => void {
  const { clock, closing, connections, isFirstHand } = parts;
  const due = new Set<string | undefined>();
  // A server that was disconnected stays disconnected, however often tools are listed.
  const tried = new WeakSet<Connection>();
  const isWanted = (connection: Connection): boolean => {
    const { entry } = connection;
    if (!due.has(undefined) && !due.has(entry.ref)) return false;
    if (connection.status().status !== 'idle' || tried.has(connection) || isFirstHand(connection))
      return false;
    return !mayAsk(entry.definition);
  };
  const start = (): void => {
    const wanted = closing.aborted ? [] : connections().filter(isWanted);
    due.clear();
    for (const connection of wanted) {
      tried.add(connection);
      void connection.connect({ urgent: false });
    }
  };
  return (server) => {
    if (due.size === 0) clock.setTimer(0, start);
    due.add(server);
  };
}

/**
 * True if a start may ask a person: for an input, or whether a project's server may use another entry's
 * login.
 */
function mayAsk(definition: ServerDefinition): boolean {
  const { guarded, launch } = definition;
  return (guarded && launch.kind !== 'stdio') || inputsIn(definition).length > 0;
}
