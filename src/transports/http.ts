/**
 * Streamable HTTP on the SDK's transport, with what it leaves open: a broken answer ends its call at once, a session the
 * server has forgotten ends the connection, and the change stream is reopened with measure.
 */

import {
  type JSONRPCMessage,
  type RequestId,
  StreamableHTTPClientTransport,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/client';

import { HoltError } from '../kernel/errors.ts';
import type { Remote } from '../network/create-network.ts';
import { findNetworkFailure, type NetworkFailure } from '../network/network-failure.ts';
import type { ReceiveAccount, ReceiveSource } from '../network/receive-budget.ts';
import type { FetchHooks } from '../network/remote-fetch.ts';
import type { Clock } from '../platform/clock.ts';
import { isStreamNoise, isSessionGone } from './classify-failure.ts';
import { createDeferred } from './deferred.ts';
import { createRedial, type Redial } from './remote/redial.ts';
import { withReceipt, type ServerTransport, type TransportEnd } from './server-transport.ts';
import { TransportFailure } from './transport-failure.ts';

export interface RemoteParts {
  readonly remote: Remote;
  readonly clock: Clock;
  readonly random: () => number;
  readonly account: ReceiveAccount;
}

/** One request on its way. Its number travels in a header that never leaves the machine, from `send` to `fetch`. */
interface Ticket {
  /** Set once it is on the wire. */
  abort?: () => void;
  givenUp: boolean;
  /** The last event of its stream: the SDK would resume from there even what was given up. */
  lastEvent?: string;
  broke?: NetworkFailure | undefined;
  readonly source: ReceiveSource;
  readonly answered: () => void;
}

const ticketHeader = 'x-holt-ticket';
const farewellMs = 1000;

export class HttpTransport implements ServerTransport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ServerTransport['onmessage'];
  onwarning?: ServerTransport['onwarning'];
  readonly hasPerRequestStream = true;
  readonly processId = undefined;

  readonly #parts: RemoteParts;
  /** As the SDK's own interface has it, which takes any options; its class is narrower. */
  readonly #inner: Transport & Pick<StreamableHTTPClientTransport, 'terminateSession'>;
  readonly #opened = createDeferred<void>();
  readonly #redial: Redial;
  readonly #tickets = new Map<string, Ticket>();
  readonly #byRequest = new Map<RequestId, Ticket>();
  readonly #givenUp = new Set<string>();
  #count = 0;
  #end: TransportEnd | undefined;
  #closing: Promise<void> | undefined;

  constructor(url: URL, parts: RemoteParts) {
    this.#parts = parts;
    this.#redial = createRedial({ ...parts, onLost: (failure) => void this.#lose(failure) });
    const inner = new StreamableHTTPClientTransport(url, {
      fetch: (input, init) => this.#fetch(input, init ?? {}),
      // Redirects are decided by the network's own, stricter rules.
      redirectPolicy: 'follow',
      reconnectionOptions: this.#redial.options,
      reconnectionScheduler: (reconnect, delayMs, attempt) =>
        this.#redial.schedule(reconnect, delayMs, attempt),
    });
    const onmessage: ServerTransport['onmessage'] = (message, extra) => this.#receive(message, extra);
    const onerror = (error: Error): void => {
      if (this.#end === undefined && !isStreamNoise(error)) this.onerror?.(error);
    };
    this.#inner = Object.assign(inner, { onmessage, onerror });
  }

  get opened(): Promise<void> {
    return this.#opened.promise;
  }

  get end(): TransportEnd | undefined {
    return this.#end;
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  stderrTail(): string {
    return '';
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion?.(version);
  }

  async start(): Promise<void> {
    await this.#inner.start();
  }

  async send(message: JSONRPCMessage, options: TransportSendOptions = {}): Promise<void> {
    if (this.#end !== undefined) throw endOf(this.#end);
    try {
      if ('method' in message && 'id' in message) await this.#ask(message.id, message, options);
      else await this.#tell(message, options);
    } catch (error) {
      throw this.#translate(error);
    }
  }

  async close(): Promise<void> {
    await this.#shut({ reason: 'closed by holt' });
  }

  /** A request: done when it is answered, and failed as soon as no answer can come any more. */
  #ask(id: RequestId, message: JSONRPCMessage, options: TransportSendOptions): Promise<void> {
    const number = String((this.#count += 1));
    return new Promise<void>((resolve, reject) => {
      const source = this.#parts.account.openSource();
      const ticket: Ticket = { givenUp: false, source, answered: () => done(resolve) };
      const giveUp = (): void => {
        this.#abandon(ticket);
        done(resolve);
      };
      let settled = false;
      const done = (settle: () => void): void => {
        if (settled) return;
        settled = true;
        this.#tickets.delete(number);
        if (this.#byRequest.get(id) === ticket) this.#byRequest.delete(id);
        options.requestSignal?.removeEventListener('abort', giveUp);
        settle();
      };
      this.#tickets.set(number, ticket);
      this.#byRequest.set(id, ticket);
      options.requestSignal?.addEventListener('abort', giveUp, { once: true });
      const { requestSignal: _, ...rest } = options;
      const sending = this.#inner.send(message, {
        // The request's own signal is kept from the SDK: it would join it to the connection's, which leaks on Node 20.
        ...rest,
        headers: { ...rest.headers, [ticketHeader]: number },
        onresumptiontoken: (token) => {
          ticket.lastEvent = token;
          options.onresumptiontoken?.(token);
        },
        onRequestStreamEnd: () => {
          options.onRequestStreamEnd?.();
          done(() => reject(ticket.broke ?? new TransportFailure({ kind: 'answer-lost' })));
        },
      });
      sending.catch((error: unknown) => done(() => reject(ticket.broke ?? (error as Error)))); // the SDK rejects with Errors
    });
  }

  async #tell(message: JSONRPCMessage, options: TransportSendOptions): Promise<void> {
    await this.#inner.send(message, options);
    if (!('method' in message) || message.method !== 'notifications/cancelled') return;
    const given = message.params?.['requestId'];
    const ticket =
      typeof given === 'string' || typeof given === 'number' ? this.#byRequest.get(given) : undefined;
    // The caller has stopped waiting: a socket that may never speak again goes with it.
    if (ticket === undefined) return;
    this.#abandon(ticket);
    ticket.answered();
  }

  #abandon(ticket: Ticket): void {
    if (ticket.lastEvent !== undefined) this.#givenUp.add(ticket.lastEvent);
    ticket.givenUp = true;
    ticket.abort?.();
  }

  async #fetch(input: string | URL, init: RequestInit): Promise<Response> {
    // The SDK makes new ones for every request; copying them again would cost more than it saves.
    const headers = init.headers instanceof Headers ? init.headers : new Headers(init.headers);
    const ticket = this.#tickets.get(headers.get(ticketHeader) ?? '');
    headers.delete(ticketHeader);
    // Without the SDK's signal for the whole connection: closing ends the sockets themselves.
    if (init.method === 'GET') return await this.#fetchStream(input, { ...init, headers, signal: null });
    try {
      const response = await this.#parts.remote.fetch(
        input,
        { ...init, headers, signal: null },
        hooksFor(ticket),
      );
      this.#opened.resolve();
      return response;
    } catch (error) {
      throw ticket?.givenUp === true ? new DOMException('given up', 'AbortError') : error;
    }
  }

  async #fetchStream(
    input: string | URL,
    init: RequestInit & { readonly headers: Headers },
  ): Promise<Response> {
    const resumed = init.headers.get('last-event-id');
    // Not allowed is the one answer that makes the SDK leave it at that.
    if (resumed !== null && this.#givenUp.delete(resumed)) return new Response(null, { status: 405 });
    try {
      // An empty stream is over before the answer is here.
      const state = { streaming: false, over: false };
      const onEnd = (): void => {
        state.over = true;
        if (state.streaming) this.#redial.ended();
      };
      const source = this.#parts.account.openSource();
      const response = await this.#parts.remote.fetch(input, init, { onEnd, source });
      state.streaming = response.ok;
      if (!response.ok) this.#redial.failed(undefined);
      else this.#redial.opened();
      if (response.ok && state.over) this.#redial.ended();
      if (response.status === 404 && init.headers.has('mcp-session-id'))
        void this.#lose(new TransportFailure({ kind: 'session-lost' }));
      return response;
    } catch (error) {
      this.#redial.failed(findNetworkFailure(error));
      throw error;
    }
  }

  #receive(message: JSONRPCMessage, extra: Parameters<NonNullable<ServerTransport['onmessage']>>[1]): void {
    if (this.#end !== undefined) return;
    const ticket =
      'method' in message || message.id === undefined ? undefined : this.#byRequest.get(message.id);
    if ('method' in message) this.#redial.bore();
    ticket?.answered();
    if (ticket === undefined) this.onmessage?.(message, extra);
    else this.onmessage?.(message, withReceipt(this.#parts.account.receive(ticket.source.take()), extra));
  }

  /** A session the server has forgotten is the end of this connection, for every caller at once. So is a lost login. */
  #translate(error: unknown): unknown {
    if (this.#end !== undefined) return endOf(this.#end);
    if (HoltError.is(error, 'auth-required')) {
      // Nothing else will get through either until somebody logs in. Whoever asked hears of it first.
      setImmediate(() => void this.#lose(error));
      return error;
    }
    if (this.sessionId === undefined || !isSessionGone(error)) return error;
    const lost = new TransportFailure({ kind: 'session-lost' }, error);
    queueMicrotask(() => void this.#lose(lost));
    return lost;
  }

  async #lose(cause: Error): Promise<void> {
    await this.#shut({ reason: cause.message, cause });
  }

  #shut(end: TransportEnd): Promise<void> {
    this.#closing ??= this.#end === undefined ? this.#shutOnce(end) : Promise.resolve();
    return this.#closing;
  }

  async #shutOnce(end: TransportEnd): Promise<void> {
    this.#end = end;
    this.#opened.reject(endOf(end));
    // First those who wait, then the farewell.
    this.onclose?.();
    if (end.cause === undefined && this.sessionId !== undefined) await this.#sayFarewell();
    await this.#inner.close();
    await this.#parts.remote.close();
  }

  /** The server may drop what it keeps for us. Whether it heard is its own affair. */
  async #sayFarewell(): Promise<void> {
    const late = createDeferred<void>();
    const cancel = this.#parts.clock.setTimer(farewellMs, () => late.resolve());
    await Promise.race([this.#inner.terminateSession().catch(() => undefined), late.promise]);
    cancel();
  }
}

function endOf({ cause }: TransportEnd): Error {
  return cause ?? new TransportFailure({ kind: 'closed', reason: 'by holt' });
}

function hooksFor(ticket: Ticket | undefined): FetchHooks {
  if (ticket === undefined) return { direct: true };
  return {
    direct: true,
    source: ticket.source,
    onAbortable: (abort) => {
      ticket.abort = abort;
      if (ticket.givenUp) abort();
    },
    onEnd: (failure) => {
      ticket.broke = failure;
    },
  };
}
