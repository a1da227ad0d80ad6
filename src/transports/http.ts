/**
 * Streamable HTTP, based on the SDK's transport. Adds three things: a request fails as soon as its response
 * stream breaks, the connection ends when the server has forgotten the session, and the change stream
 * reconnects with back-off.
 */

import {
  type JSONRPCMessage,
  type RequestId,
  StreamableHTTPClientTransport,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/client';

import { HoltError } from '../kernel/errors.ts';
import { findNetworkFailure, type NetworkFailure } from '../network/network-failure.ts';
import type { ReceiveSource } from '../network/receive-budget.ts';
import type { FetchHooks } from '../network/remote-fetch.ts';
import { orLate } from '../platform/waits.ts';
import { isStreamNoise, isSessionGone } from './classify-failure.ts';
import { type ServerTransport, type TransportEnd, TransportFailure } from './server-transport.ts';
import { type RemoteParts, RemoteTransport } from './remote/remote-transport.ts';
import { createRedial, type Redial } from './remote/redial.ts';

/**
 * One request in flight. `send` passes its number to `fetch` in a header that is removed before the request
 * is sent.
 */
interface Ticket {
  /** Set once the request is on the wire. */
  abort?: () => void;
  givenUp: boolean;
  /**
   * The last event id of its stream. The SDK would use it to resume the stream even after the request was
   * abandoned.
   */
  lastEvent?: string;
  broke?: NetworkFailure | undefined;
  readonly source: ReceiveSource;
  readonly answered: () => void;
}

const ticketHeader = 'x-holt-ticket';
const farewellMs = 1000;

export class HttpTransport extends RemoteTransport implements ServerTransport {
  readonly hasPerRequestStream = true;

  readonly #parts: RemoteParts;
  /** Typed as the SDK's `Transport` interface, which accepts any options; the class type is narrower. */
  readonly #inner: Transport & Pick<StreamableHTTPClientTransport, 'terminateSession'>;
  readonly #redial: Redial;
  readonly #tickets = new Map<string, Ticket>();
  readonly #byRequest = new Map<RequestId, Ticket>();
  readonly #givenUp = new Set<string>();
  #count = 0;
  #closing: Promise<void> | undefined;

  constructor(url: URL, parts: RemoteParts) {
    super();
    this.#parts = parts;
    this.#redial = createRedial({ ...parts, onLost: (failure) => void this.#lose(failure) });
    const inner = new StreamableHTTPClientTransport(url, {
      fetch: (input, init) => this.#fetch(input, init ?? {}),
      // The network layer applies its own, stricter redirect rules.
      redirectPolicy: 'follow',
      reconnectionOptions: this.#redial.options,
      reconnectionScheduler: (reconnect, delayMs, attempt) =>
        this.#redial.schedule(reconnect, delayMs, attempt),
    });
    const onmessage: ServerTransport['onmessage'] = (message, extra) => this.#receive(message, extra);
    const onerror = (error: Error): void => {
      if (this.ending === undefined && !isStreamNoise(error)) this.onerror?.(error);
    };
    this.#inner = Object.assign(inner, { onmessage, onerror });
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion?.(version);
  }

  async start(): Promise<void> {
    await this.#inner.start();
  }

  async send(message: JSONRPCMessage, options: TransportSendOptions = {}): Promise<void> {
    if (this.ending !== undefined) throw endOf(this.ending);
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

  /**
   * Sends a request. Resolves when the response arrives or the caller cancels, and rejects as soon as no
   * response can arrive any more.
   */
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
        // The SDK does not get the request's signal: it would combine it with the connection's, which leaks
        // memory on Node 20.
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
    // The caller has cancelled, so also abort the HTTP request, which might never get a response.
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
    // The SDK creates new headers for every request, so they are safe to modify and need no copy.
    const headers = init.headers instanceof Headers ? init.headers : new Headers(init.headers);
    const ticket = this.#tickets.get(headers.get(ticketHeader) ?? '');
    headers.delete(ticketHeader);
    // Drop the SDK's connection-wide signal: closing the transport closes the sockets directly.
    if (init.method === 'GET') return await this.#fetchStream(input, { ...init, headers, signal: null });
    try {
      const response = await this.#parts.remote.fetch(
        input,
        { ...init, headers, signal: null },
        hooksFor(ticket),
      );
      this.opening.resolve();
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
    // Status 405 is the only response that makes the SDK stop reconnecting.
    if (resumed !== null && this.#givenUp.delete(resumed)) return new Response(null, { status: 405 });
    try {
      // An empty stream ends before `fetch` returns the response.
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
    if (this.ending !== undefined) return;
    const ticket =
      'method' in message || message.id === undefined ? undefined : this.#byRequest.get(message.id);
    if ('method' in message) this.#redial.bore();
    ticket?.answered();
    if (ticket === undefined) this.onmessage?.(message, extra);
    else this.onmessage?.(message, { ...extra, receipt: this.#parts.account.receive(ticket.source.take()) });
  }

  /**
   * Maps an error to the one the caller gets. A forgotten session or a lost login also ends the connection
   * for all callers.
   */
  #translate(error: unknown): unknown {
    if (this.ending !== undefined) return endOf(this.ending);
    if (HoltError.is(error, 'auth-required')) {
      // No request succeeds until the user logs in. `setImmediate` lets this caller receive the error first.
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
    this.#closing ??= this.ending === undefined ? this.#shutOnce(end) : Promise.resolve();
    return this.#closing;
  }

  async #shutOnce(end: TransportEnd): Promise<void> {
    this.ending = end;
    this.opening.reject(endOf(end));
    // Notify pending callers before telling the server that the session ends.
    this.onclose?.();
    if (end.cause === undefined && this.sessionId !== undefined) await this.#sayFarewell();
    await this.#inner.close();
    await this.#parts.remote.close();
  }

  /** Ends the session on the server. Waits at most `farewellMs` and ignores failures. */
  async #sayFarewell(): Promise<void> {
    const ended = this.#inner.terminateSession().catch(() => undefined);
    await orLate(ended, farewellMs, this.#parts.clock, undefined);
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
