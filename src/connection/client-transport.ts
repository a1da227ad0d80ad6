/**
 * A transport for an SDK client on the open connection of a server. Answers the client's handshake from what
 * was negotiated, and gives its requests ids of their own, because several clients share the connection. The
 * host answers the server's requests, so a client receives only responses and notifications.
 */

import type { JSONRPCMessage, Transport, TransportSendOptions } from '@modelcontextprotocol/client';

import { isObject, type JsonObject } from '../kernel/json.ts';
import { weightOf } from '../network/receive-budget.ts';
import type { MessageExtra } from '../transports/server-transport.ts';
import type { Session } from './session.ts';
import { toInitializeResult } from './start/protocol.ts';

export interface ClientTransportOptions {
  /** Starts the ids of this client's requests. Unique within the connection. */
  readonly prefix: string;
  /** Called when the client or the connection is closed. */
  readonly onClose: () => void;
}

interface PendingRequest {
  /** The client's id. */
  readonly id: string | number;
  readonly list: ListPages | undefined;
}

/** A list that the client reads page by page. */
interface ListPages {
  readonly method: string;
  weight: number;
}

type Request = Extract<JSONRPCMessage, { readonly method: string }> & { readonly id: string | number };
type Params = NonNullable<Request['params']>;

const listMethods: ReadonlySet<string> = new Set([
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'prompts/list',
]);
const subscriptionKey = 'io.modelcontextprotocol/subscriptionId';

export class ClientTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport['onmessage']>;
  readonly hasPerRequestStream: boolean;
  readonly #session: Session;
  readonly #options: ClientTransportOptions;
  /** By the id on the connection. */
  readonly #pending = new Map<unknown, PendingRequest>();
  /** The lists that the client reads, by method. */
  readonly #lists = new Map<string, ListPages>();
  #stopListening: (() => void) | undefined;

  constructor(session: Session, options: ClientTransportOptions) {
    this.#session = session;
    this.#options = options;
    this.hasPerRequestStream = session.channel.transport.hasPerRequestStream === true;
  }

  start(): Promise<void> {
    const { channel } = this.#session;
    if (channel.isClosed) return Promise.reject(new Error('Not connected'));
    this.#stopListening = channel.listen({
      onMessage: (message, extra) => {
        try {
          this.#receive(message, extra);
        } catch (error) {
          // Errors of this client do not concern the connection.
          this.onerror?.(error instanceof Error ? error : new Error(String(error)));
        }
      },
      onClose: () => this.#end(),
    });
    return Promise.resolve();
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (this.#stopListening === undefined) return Promise.reject(new Error('Not connected'));
    if (!('method' in message) || message.method === 'notifications/initialized') return Promise.resolve();
    if ('id' in message && message.id !== undefined) return this.#sendRequest(message, options);
    const { transport } = this.#session.channel;
    if (message.method !== 'notifications/cancelled') return transport.send(message, options);
    const requestId = this.#options.prefix + String(message.params?.['requestId']);
    if (!this.#forget(requestId)) return Promise.resolve();
    return transport.send({ ...message, params: { ...message.params, requestId } }, options);
  }

  /** Closes only this client. The server stays connected. */
  close(): Promise<void> {
    this.#end();
    return Promise.resolve();
  }

  #sendRequest(message: Request, options: TransportSendOptions | undefined): Promise<void> {
    const { method, params } = message;
    if (method === 'initialize') {
      const result = { ...toInitializeResult(this.#session) };
      queueMicrotask(() => this.onmessage?.({ jsonrpc: '2.0', id: message.id, result }));
      return Promise.resolve();
    }
    const id = this.#options.prefix + message.id;
    this.#pending.set(id, { id: message.id, list: this.#listOf(method, params) });
    options?.requestSignal?.addEventListener('abort', () => this.#forget(id), { once: true });
    const own = {
      ...message,
      id,
      ...(params === undefined ? {} : { params: withToken(params, message.id, id) }),
    };
    const { requests, transport } = this.#session.channel;
    // Streams of notifications have string ids. They are not calls in flight.
    const sending =
      typeof message.id === 'number' ? requests.sendCall(own, options) : transport.send(own, options);
    return sending.catch((error: unknown) => {
      this.#forget(id);
      throw error;
    });
  }

  #receive(message: JSONRPCMessage, extra: MessageExtra | undefined): void {
    if ('method' in message) {
      const own = this.#ownNotification(message.method, ('params' in message && message.params) || {});
      if (own !== undefined) this.onmessage?.({ ...message, params: own }, extra);
      return;
    }
    const request = this.#pending.get(message.id);
    if (request === undefined) return;
    this.#pending.delete(message.id);
    this.onmessage?.({ ...this.#cutList(message, request.list, extra), id: request.id }, extra);
  }

  /** The parameters with this client's ids. Undefined if the notification is about another's request. */
  #ownNotification(method: string, params: Params): Params | undefined {
    const { progressToken, requestId } = params as JsonObject;
    if (method === 'notifications/progress') {
      const request = this.#pending.get(progressToken);
      return request === undefined ? undefined : { ...params, progressToken: request.id };
    }
    if (method === 'notifications/cancelled') {
      const request = this.#pending.get(requestId);
      return request === undefined ? undefined : { ...params, requestId: request.id };
    }
    const meta = params['_meta'];
    if (!isObject(meta) || meta[subscriptionKey] === undefined) return params;
    const stream = this.#pending.get(meta[subscriptionKey]);
    if (stream !== undefined) return { ...params, _meta: { ...meta, [subscriptionKey]: stream.id } };
    return method === 'notifications/subscriptions/acknowledged' ? undefined : params;
  }

  #listOf(method: string, params: Params | undefined): ListPages | undefined {
    if (!listMethods.has(method)) return undefined;
    const known = params?.['cursor'] === undefined ? undefined : this.#lists.get(method);
    const list = known ?? { method, weight: 0 };
    this.#lists.set(method, list);
    return list;
  }

  /** Nothing else bounds the size of such a list, so the page that makes it too large becomes the last one. */
  #cutList<Message extends JSONRPCMessage>(
    message: Message,
    list: ListPages | undefined,
    extra: MessageExtra | undefined,
  ): Message {
    const receipt = extra?.receipt;
    if (list === undefined || receipt === undefined || !('result' in message)) return message;
    list.weight += weightOf(receipt);
    const { nextCursor, ...last } = message.result;
    const bytes = this.#session.listBytes;
    if (nextCursor === undefined || list.weight <= bytes) return message;
    const text = `A client's ${list.method} was ended early: the list is larger than ${bytes} bytes (limits.listBytes).`;
    this.#session.channel.transport.onwarning?.('list-cut', text);
    return { ...message, result: last };
  }

  #forget(id: string): boolean {
    this.#session.channel.requests.endCall(id);
    return this.#pending.delete(id);
  }

  #end(): void {
    if (this.#stopListening === undefined) return;
    this.#stopListening();
    this.#stopListening = undefined;
    for (const id of this.#pending.keys()) this.#session.channel.requests.endCall(id);
    this.#pending.clear();
    this.#options.onClose();
    this.onclose?.();
  }
}

/** Progress is reported by a token, which the client sets to the id of its request. */
function withToken(params: Params, id: string | number, wireId: string): Params {
  const meta = params['_meta'];
  if (!isObject(meta) || meta['progressToken'] !== id) return params;
  return { ...params, _meta: { ...meta, progressToken: wireId } };
}
