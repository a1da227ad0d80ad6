/** A connected server: its requests, its lists, and a check that it is still alive. */

import { isDeepStrictEqual } from 'node:util';

import type { DiscoverResult, ServerCapabilities } from '@modelcontextprotocol/client';

import type { JsonObject } from '../kernel/json.ts';
import type { Implementation } from '../kernel/protocol-types.ts';
import type { Era } from '../kernel/phases.ts';
import type { Clock } from '../platform/clock.ts';
import type { CatalogBudget, ServerLists } from './catalog-budget.ts';
import { createChanges, keepListening, type Changes } from './changes.ts';
import { listKinds, type Channel, type ListKind } from './channel.ts';
import {
  noteFailedList,
  readList,
  type FailedLists,
  type ListParts,
  type Lists,
  type Warn,
} from './lists/read-lists.ts';
import {
  isComplete,
  ResponseError,
  type CallFrame,
  type CallOptions,
  type NotificationStream,
} from './requests.ts';
import { headersOf } from './lists/tool-headers.ts';
import { isRefusal, type Explain } from './explain-failure.ts';
import { completeRounds, type AnswerInput } from './input-rounds.ts';
import type { Limits } from './limits.ts';
import type { Handshake } from './start/handshake.ts';
import type { WakeWatch } from './wake-watch.ts';

export interface SessionParts {
  readonly clock: Clock;
  readonly wake: WakeWatch;
  readonly limits: Limits;
  readonly catalog: Pick<CatalogBudget, 'listBytesOf'>;
  /** The budget that the lists of this session count against. */
  readonly lists: Pick<ServerLists, 'close'>;
  readonly explain: Explain;
  /** Answers a question that the server asks in response to a request other than a call. */
  readonly answer: AnswerInput;
  readonly onChanged: (kind: ListKind) => void;
  readonly warn: Warn;
}

/** The error code of a server that expects arguments as headers and did not get them. */
const headerMismatch = -32_020;
/** How long a stateless server may take to acknowledge a stream of notifications. */
const acknowledgeMs = 60_000;

/** A busy server may acknowledge the next try. */
class UnacknowledgedError extends Error {
  constructor() {
    super('the server did not acknowledge subscriptions/listen');
  }
}

export class Session {
  readonly channel: Channel;
  readonly era: Era;
  readonly protocol: string;
  readonly serverInfo: Implementation | undefined;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
  /** The `server/discover` result of a stateless server. */
  readonly discover: DiscoverResult | undefined;
  readonly #parts: SessionParts;
  readonly #listing: ListParts;
  /** Sent with every request of the stateless protocol, as `_meta`. */
  readonly envelope: JsonObject | undefined;
  readonly #frame: CallFrame;
  /** Whether calls carry some of their arguments as headers. */
  readonly #sendsHeaders: boolean;
  readonly #changes: Changes;
  readonly #stopped = new AbortController();
  #lists: Lists;

  constructor(handshake: Handshake, lists: Lists, listing: ListParts, parts: SessionParts) {
    const { channel, era, envelope, negotiated, discover } = handshake;
    this.channel = channel;
    this.era = era;
    this.protocol = negotiated.protocol;
    this.serverInfo = negotiated.serverInfo;
    this.capabilities = negotiated.capabilities;
    this.instructions = negotiated.instructions;
    this.discover = discover;
    this.#parts = parts;
    this.#listing = listing;
    this.envelope = envelope;
    this.#frame = { envelope };
    this.#sendsHeaders = era === 'stateless' && channel.transport.hasPerRequestStream === true;
    this.#lists = lists;
    this.#changes = createChanges({
      clock: parts.clock,
      relist: (kind) => this.#relist(kind),
      onChanged: parts.onChanged,
      onFailed: (kind, error) => {
        const reason = parts.explain(error).message;
        noteFailedList(kind, `Failed to get ${kind} after a change: ${reason}`, listing);
      },
    });
    if (era === 'stateless') this.#followLists();
  }

  /** The lists as they were last read. */
  get lists(): Lists {
    return this.#lists;
  }

  /** The size limit of each list. */
  get listBytes(): number {
    return this.#parts.catalog.listBytesOf(this.#listing.server);
  }

  /** Why the last attempt to read a list failed, by kind. */
  get failedLists(): FailedLists {
    return Object.fromEntries(this.#listing.failed);
  }

  /** Sends one request. Its result may be a question of the server. */
  call(method: string, params: JsonObject, options: CallOptions): Promise<JsonObject> {
    if (this.#sendsHeaders && method === 'tools/call') return this.#callWithHeaders(params, options);
    return this.channel.requests.call(method, params, options, this.#frame);
  }

  /** Sends a request, and lets the host answer the server's questions until the result is complete. */
  async request(method: string, params: JsonObject, options: CallOptions): Promise<JsonObject> {
    const result = await this.call(method, params, options);
    if (isComplete(result)) return result;
    const send = (more: JsonObject): Promise<JsonObject> =>
      this.call(method, { ...params, ...more }, options);
    return completeRounds(result, send, this.#parts.answer, { server: this.#listing.server, tool: method });
  }

  /** Asks a stateless server for notifications until the signal aborts. Resolves when it acknowledges that. */
  async listen(notifications: JsonObject, signal: AbortSignal): Promise<NotificationStream> {
    const own = new AbortController();
    const onAbort = (): void => own.abort(signal.reason);
    const forget = (): void => signal.removeEventListener('abort', onAbort);
    signal.addEventListener('abort', onAbort, { once: true });
    const stopTimer = this.#parts.wake.setTimer(acknowledgeMs, () => own.abort(new UnacknowledgedError()));
    try {
      const { envelope = {} } = this;
      const stream = await this.channel.requests.listen(notifications, envelope, own.signal);
      void stream.closed.then(forget);
      return stream;
    } catch (error) {
      forget();
      throw error;
    } finally {
      stopTimer();
    }
  }

  /** Handles the server's notification that one of its lists has changed. */
  notice(kind: ListKind): void {
    this.#changes.notice(kind);
  }

  /** True if the server answers within the time, even with an error. */
  async isAlive(withinMs: number): Promise<boolean> {
    const limit = new AbortController();
    const stop = this.#parts.wake.setTimer(withinMs, () => limit.abort(new Error('no answer')));
    const method = this.era === 'stateless' ? 'server/discover' : 'ping';
    try {
      await this.channel.requests.request(method, {}, { signal: limit.signal, ...this.#frame });
      return true;
    } catch (error) {
      return error instanceof ResponseError;
    } finally {
      stop();
    }
  }

  async close(): Promise<void> {
    this.#stopped.abort(new Error('closed'));
    this.#changes.close();
    this.#parts.lists.close();
    await this.channel.close();
  }

  /** Reads the tools again if the server reports that the headers are wrong: their schemas may have changed. */
  async #callWithHeaders(params: JsonObject, options: CallOptions): Promise<JsonObject> {
    const send = (): Promise<JsonObject> => {
      const tool = this.#lists.tools.find(({ name }) => name === params['name']);
      const headers = tool === undefined ? undefined : headersOf(tool, params['arguments']);
      return this.channel.requests.call('tools/call', params, options, { ...this.#frame, headers });
    };
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof ResponseError) || error.code !== headerMismatch) throw error;
      if (await this.#relist('tools')) this.#parts.onChanged('tools');
      return send();
    }
  }

  /** Resolves to true if the list has changed. */
  async #relist(kind: ListKind): Promise<boolean> {
    const { wake, limits } = this.#parts;
    const limit = new AbortController();
    const stop = wake.setTimer(limits.phases[`listing_${kind}`], () =>
      limit.abort(new Error('it took too long')),
    );
    try {
      const fresh = await readList(kind, this.#listing, limit.signal);
      const before = Object.fromEntries(
        Object.keys(fresh).map((key) => [key, this.#lists[key as keyof Lists]]), // keys of `Lists`
      );
      if (isDeepStrictEqual(before, fresh)) return false;
      this.#lists = { ...this.#lists, ...fresh };
      return true;
    } finally {
      stop();
    }
  }

  /** A stateless server reports list changes only on a stream that the client opens for them. */
  #followLists(): void {
    const { clock, explain } = this.#parts;
    const reported = listKinds.filter((kind) => this.capabilities[kind]?.listChanged === true);
    if (reported.length === 0) return;
    const filter = Object.fromEntries(reported.map((kind) => [`${kind}ListChanged`, true]));
    void keepListening({
      clock,
      signal: this.#stopped.signal,
      changes: this.#changes,
      open: (signal) => this.listen(filter, signal),
      isFinal: (error) => !(error instanceof UnacknowledgedError) && isRefusal(explain(error)),
    });
  }
}
