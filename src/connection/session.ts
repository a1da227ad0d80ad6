/** A connected server: its client, its lists, and a check that it is still alive. */

import { isDeepStrictEqual } from 'node:util';

import type { Client, DiscoverResult, ServerCapabilities } from '@modelcontextprotocol/client';

import type { JsonObject } from '../kernel/json.ts';
import type { Implementation } from '../kernel/protocol-types.ts';
import type { Era } from '../kernel/status.ts';
import type { Clock } from '../platform/clock.ts';
import { createChanges, keepListening, type Changes } from './changes.ts';
import { isRefusal, type Explain } from './door.ts';
import type { ServerLists } from './catalog-budget.ts';
import type { Greeting } from './start/greet.ts';
import type { Limits } from './limits.ts';
import { listKinds, type Line, type ListKind } from './line/line.ts';
import { AnswerError } from './line/questions.ts';
import type { RawCallOptions } from './line/raw-calls.ts';
import {
  noteFailedList,
  readList,
  type FailedLists,
  type ListParts,
  type Lists,
  type Warn,
} from './line/read-lists.ts';
import type { WakeWatch } from './wake-watch.ts';

export interface Session {
  /** Returns the SDK client and creates it on the first call. */
  readonly client: () => Promise<Client>;
  readonly line: Line;
  readonly era: Era;
  readonly protocol: string;
  readonly serverInfo: Implementation | undefined;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
  /** The `server/discover` result of a stateless server. */
  readonly discover: DiscoverResult | undefined;
  /** Sends a request without the SDK client. Undefined where each request has its own stream. */
  readonly call?: (method: string, params: JsonObject, options: RawCallOptions) => Promise<JsonObject>;
  /** The lists as they were last read. */
  readonly lists: Lists;
  /** Why the last attempt to read a list failed, by kind. */
  readonly failedLists: FailedLists;
  /** Handles the server's notification that one of its lists has changed. */
  notice(kind: ListKind): void;
  /** True if the server answers within the time, even with an error. */
  isAlive(withinMs: number): Promise<boolean>;
  close(): Promise<void>;
}

export interface SessionParts {
  readonly clock: Clock;
  readonly wake: WakeWatch;
  readonly limits: Limits;
  /** The budget that the lists of this session count against. */
  readonly lists: Pick<ServerLists, 'close'>;
  readonly explain: Explain;
  readonly onChanged: (kind: ListKind) => void;
  readonly warn: Warn;
}

export function createSession(
  greeting: Greeting,
  first: Lists,
  listing: ListParts,
  parts: SessionParts,
): Session {
  const { line, seat, era, welcome } = greeting;
  const stopped = new AbortController();
  let lists = first;

  const relist = async (kind: ListKind): Promise<boolean> => {
    const limit = new AbortController();
    const stop = parts.wake.setTimer(parts.limits.phases[`listing_${kind}`], () =>
      limit.abort(new Error('it took too long')),
    );
    try {
      const fresh = await readList(kind, listing, limit.signal);
      const before = Object.fromEntries(Object.keys(fresh).map((key) => [key, lists[key as keyof Lists]])); // keys of `Lists`
      if (isDeepStrictEqual(before, fresh)) return false;
      lists = { ...lists, ...fresh };
      return true;
    } finally {
      stop();
    }
  };
  const changes = createChanges({
    clock: parts.clock,
    relist,
    onChanged: parts.onChanged,
    onFailed: (kind, error) =>
      noteFailedList(kind, `Failed to get ${kind} after a change: ${parts.explain(error).message}`, listing),
  });
  if (era === 'stateless') listen(greeting, changes, stopped.signal, parts);

  const { envelope } = greeting;
  const isShared = line.transport.processId !== undefined;
  return {
    client: () => seat.client(),
    line,
    era,
    discover: greeting.discover,
    ...welcome,
    ...(isShared ? { call: (method, params, options) => line.call(method, params, options, envelope) } : {}),
    get lists() {
      return lists;
    },
    get failedLists() {
      return Object.fromEntries(listing.failed);
    },
    notice: (kind) => changes.notice(kind),
    isAlive: (withinMs) => isAlive(greeting, withinMs, parts.wake),
    close: async () => {
      stopped.abort(new Error('closed'));
      changes.close();
      parts.lists.close();
      await line.close();
    },
  };
}

/** An error answer also proves that the server is alive. */
async function isAlive(
  { line, era, envelope }: Greeting,
  withinMs: number,
  wake: WakeWatch,
): Promise<boolean> {
  const limit = new AbortController();
  const stop = wake.setTimer(withinMs, () => limit.abort(new Error('no answer')));
  try {
    await line.ask(era === 'stateless' ? 'server/discover' : 'ping', {}, { signal: limit.signal, envelope });
    return true;
  } catch (error) {
    return error instanceof AnswerError;
  } finally {
    stop();
  }
}

/** A stateless server reports list changes only on a stream that the client opens for them. */
function listen(
  { seat, welcome }: Greeting,
  changes: Changes,
  signal: AbortSignal,
  parts: SessionParts,
): void {
  const told = listKinds.filter((kind) => welcome.capabilities[kind]?.listChanged === true);
  if (told.length === 0) return;
  const filter = Object.fromEntries(told.map((kind) => [`${kind}ListChanged`, true]));
  void keepListening({
    clock: parts.clock,
    signal,
    changes,
    open: async (until) => {
      const client = await seat.client();
      const stream = await client.listen(filter, { signal: until });
      return { over: stream.closed };
    },
    isFinal: (error) => isRefusal(parts.explain(error)),
  });
}
