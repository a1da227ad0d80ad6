/**
 * Sends holt's requests on a channel and matches the server's responses to them. The ids have a prefix, so
 * that they cannot clash with those of SDK clients on the same channel.
 */

import type { JSONRPCMessage, Progress, TransportSendOptions } from '@modelcontextprotocol/client';

import { isObject, type JsonObject } from '../kernel/json.ts';
import type { Receipt } from '../network/receive-budget.ts';
import type { ServerTransport } from '../transports/server-transport.ts';

/** The server responded with an error. */
export class ResponseError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor({ code, message, data }: RpcError) {
    super(message);
    this.name = 'ResponseError';
    this.code = code;
    this.data = data;
  }
}

/** The channel closed before a response arrived. */
export class ChannelClosedError extends Error {
  constructor() {
    super('the connection was closed');
    this.name = 'ChannelClosedError';
  }
}

/** The server responded in the format of the stateful protocol. */
class OldResponseError extends Error {
  constructor() {
    super('the answer is not one of the stateless protocol');
    this.name = 'OldResponseError';
  }
}

export interface RequestOptions {
  readonly signal: AbortSignal;
  /** The `_meta` entries about the sender that every request of the stateless protocol carries. */
  readonly envelope?: JsonObject | undefined;
  /** Rejects a response that only the transport's repair makes valid in the stateless protocol. */
  readonly refuseOld?: boolean;
  /** Sends no cancellation on abort, because the protocol forbids it for this request. */
  readonly isInitialize?: boolean;
  /** Called before the response is delivered, if its size on the wire is known. */
  readonly onReceipt?: (receipt: Receipt) => void;
}

export interface CallOptions {
  readonly onprogress: (progress: Progress) => void;
  /** Receives the function that cancels the call. */
  onStop(stop: (reason: unknown) => void): void;
}

/** How a call is sent, besides its parameters. */
export interface CallFrame {
  /** The `_meta` entries about the sender that every request of the stateless protocol carries. */
  readonly envelope?: JsonObject | undefined;
  /** HTTP headers for this call alone. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface RequestEvents {
  /** The number of calls in flight has changed. */
  readonly onCalls: (inFlight: number) => void;
  /** A message could not be sent. */
  readonly onSendFailed: (error: unknown) => void;
}

/** An open stream of notifications from a stateless server. `closed` resolves when it has ended. */
export interface NotificationStream {
  readonly closed: Promise<void>;
}

interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

interface PendingRequest {
  readonly resolve: (result: JsonObject) => void;
  readonly reject: (error: unknown) => void;
  readonly onProgress?: (progress: Progress) => void;
  readonly onReceipt?: RequestOptions['onReceipt'];
  readonly refuseOld?: boolean;
}

interface PendingStream {
  readonly acknowledge: () => void;
  readonly end: (error: Error) => void;
}

type Message = JSONRPCMessage & { readonly method: string };
type Response = Exclude<JSONRPCMessage, { readonly method: string }>;

/** False for a result that is a question of the server. */
export function isComplete({ resultType: type }: JsonObject): boolean {
  return type === undefined || type === 'complete';
}

const prefix = 'holt:';
const subscriptionKey = 'io.modelcontextprotocol/subscriptionId';

export class Requests {
  readonly #transport: ServerTransport;
  readonly #events: RequestEvents;
  readonly #pending = new Map<unknown, PendingRequest>();
  readonly #streams = new Map<unknown, PendingStream>();
  /** The ids of calls in flight. The handshake and lists do not count. */
  readonly #calls = new Set<unknown>();
  #count = 0;
  #isClosed = false;

  constructor(transport: ServerTransport, events: RequestEvents) {
    this.#transport = transport;
    this.#events = events;
  }

  /**
   * Sends a request that is not a call. Rejects with `ResponseError`, `ChannelClosedError`, what `send` threw,
   * or the signal's reason.
   */
  async request(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    const { signal, envelope, refuseOld, onReceipt } = options;
    signal.throwIfAborted();
    const id = this.#nextId();
    const hasOwnStream = envelope !== undefined && this.#transport.hasPerRequestStream === true;
    let onAbort: (() => void) | undefined;
    try {
      return await new Promise<JsonObject>((resolve, reject) => {
        onAbort = (): void => {
          // A request with its own stream is cancelled by closing that stream.
          if (!hasOwnStream && options.isInitialize !== true) this.#cancel(id, 'no longer needed', envelope);
          reject(signal.reason as Error); // whatever the caller gave as its reason
        };
        this.#pending.set(id, {
          resolve,
          reject,
          onReceipt,
          ...(refuseOld === undefined ? {} : { refuseOld }),
        });
        signal.addEventListener('abort', onAbort, { once: true });
        const body = envelope === undefined ? params : { ...params, _meta: { ...envelope } };
        this.#transport
          .send({ jsonrpc: '2.0', id, method, params: body }, hasOwnStream ? { requestSignal: signal } : {})
          .catch(reject);
      });
    } finally {
      this.#pending.delete(id);
      if (onAbort !== undefined) signal.removeEventListener('abort', onAbort);
    }
  }

  /** Sends a call. Rejects like `request`, with the reason given to `onStop`'s function when it is cancelled. */
  call(
    method: string,
    params: JsonObject,
    options: CallOptions,
    { envelope, headers }: CallFrame,
  ): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      const id = this.#nextId();
      const stream =
        envelope !== undefined && this.#transport.hasPerRequestStream === true
          ? new AbortController()
          : undefined;
      this.#pending.set(id, { resolve, reject, onProgress: options.onprogress });
      let isSent = false;
      options.onStop((reason) => {
        if (!this.#pending.delete(id)) return;
        reject(reason);
        this.endCall(id);
        // A request with its own stream is cancelled by closing that stream.
        if (stream !== undefined) stream.abort();
        else if (isSent) this.#cancel(id, String(reason), envelope);
      });
      // Cancelled before it was sent, so the server needs no notification.
      if (!this.#pending.has(id)) return;
      isSent = true;
      const own = params['_meta'] as JsonObject | undefined; // as the caller gave it
      // Hot path: in Node 20, `{ ...params, _meta }` takes several times as long.
      const body = Object.assign({}, params, { _meta: { ...own, ...envelope, progressToken: id } });
      const sending = stream === undefined ? undefined : { requestSignal: stream.signal, headers };
      this.sendCall({ jsonrpc: '2.0', id, method, params: body }, sending).catch((error: unknown) => {
        if (this.#pending.delete(id)) reject(error);
      });
    });
  }

  /** Sends a message that counts as a call in flight until its response or `endCall`. */
  sendCall(
    message: JSONRPCMessage & { readonly id: string | number },
    options?: TransportSendOptions,
  ): Promise<void> {
    const { id } = message;
    this.#calls.add(id);
    this.#events.onCalls(this.#calls.size);
    const failed = (error: unknown): Promise<never> => {
      this.endCall(id);
      this.#events.onSendFailed(error);
      return Promise.reject(error);
    };
    try {
      return this.#transport.send(message, options).catch(failed);
    } catch (error) {
      // Some transports throw synchronously if a message cannot be serialized.
      return failed(error);
    }
  }

  endCall(id: unknown): void {
    if (this.#calls.delete(id)) this.#events.onCalls(this.#calls.size);
  }

  /**
   * Asks a stateless server for these notifications. Resolves when the server acknowledges the request. An
   * abort closes the stream.
   */
  listen(notifications: JsonObject, envelope: JsonObject, signal: AbortSignal): Promise<NotificationStream> {
    signal.throwIfAborted();
    const id = this.#nextId();
    const hasOwnStream = this.#transport.hasPerRequestStream === true;
    const stream = new AbortController();
    return new Promise((resolve, reject) => {
      let close: (() => void) | undefined;
      const closed = new Promise<void>((settle) => {
        close = settle;
      });
      const end = (error: Error): void => {
        if (!this.#streams.delete(id)) return;
        signal.removeEventListener('abort', onAbort);
        stream.abort();
        reject(error);
        close?.();
      };
      const onAbort = (): void => {
        end(signal.reason as Error); // whatever the caller gave as its reason
        if (!hasOwnStream) this.#cancel(id, 'no longer needed', envelope);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#streams.set(id, { acknowledge: () => resolve({ closed }), end });
      const params = { notifications, _meta: { ...envelope } };
      this.#transport
        .send(
          { jsonrpc: '2.0', id, method: 'subscriptions/listen', params },
          {
            requestSignal: stream.signal,
            onRequestStreamEnd: () => end(new Error('the stream of notifications ended')),
          },
        )
        .catch(end);
    });
  }

  /** Inspects a message as it arrived, before it is repaired. */
  inspect(message: JSONRPCMessage): void {
    if (!('result' in message) || message.result['resultType'] !== undefined) return;
    const request = this.#pending.get(message.id);
    if (request?.refuseOld === true) request.reject(new OldResponseError());
  }

  /** Handles the response if it belongs to one of these requests. Returns false otherwise. */
  takeResponse(message: Response, receipt: Receipt | undefined): boolean {
    const { id } = message;
    if (typeof id !== 'string' || !id.startsWith(prefix)) return false;
    const request = this.#pending.get(id);
    if (request === undefined) {
      const error = 'error' in message ? new ResponseError(message.error) : undefined;
      this.#streams.get(id)?.end(error ?? new Error('the server closed the stream of notifications'));
      return true;
    }
    this.#pending.delete(id);
    if (receipt !== undefined) request.onReceipt?.(receipt);
    if ('error' in message) request.reject(new ResponseError(message.error));
    else request.resolve(message.result);
    // Deliver the response before the phase changes.
    this.endCall(id);
    return true;
  }

  /** Handles the notification if it is about one of these requests. Returns false otherwise. */
  takeNotification(message: Message): boolean {
    const params: JsonObject = ('params' in message ? message.params : undefined) ?? {};
    switch (message.method) {
      case 'notifications/progress':
        return this.#takeProgress(params);
      case 'notifications/cancelled': {
        const stream = this.#streams.get(params['requestId']);
        stream?.end(new Error('the server cancelled the stream of notifications'));
        return stream !== undefined;
      }
      case 'notifications/subscriptions/acknowledged': {
        const meta = params['_meta'];
        const stream = this.#streams.get(isObject(meta) ? meta[subscriptionKey] : undefined);
        stream?.acknowledge();
        return stream !== undefined;
      }
      default:
        return false;
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const { reject } of this.#pending.values()) reject(new ChannelClosedError());
    for (const { end } of this.#streams.values()) end(new ChannelClosedError());
    this.#pending.clear();
    if (this.#calls.size === 0) return;
    this.#calls.clear();
    this.#events.onCalls(0);
  }

  #nextId(): string {
    if (this.#isClosed) throw new ChannelClosedError();
    this.#count += 1;
    return prefix + this.#count;
  }

  #cancel(requestId: string, reason: string, envelope: JsonObject | undefined): void {
    const sender = envelope === undefined ? {} : { _meta: { ...envelope } };
    const params = { requestId, reason, ...sender };
    this.#transport
      .send({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
      .catch(() => undefined);
  }

  /** Ignores progress for calls that have completed. */
  #takeProgress({ progressToken, progress, total, message }: JsonObject): boolean {
    if (typeof progressToken !== 'string' || !progressToken.startsWith(prefix)) return false;
    if (typeof progress === 'number')
      this.#pending.get(progressToken)?.onProgress?.({
        progress,
        ...(typeof total === 'number' ? { total } : {}),
        ...(typeof message === 'string' ? { message } : {}),
      });
    return true;
  }
}
