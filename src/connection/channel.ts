/**
 * An open message channel to one server. Carries holt's own requests, responses to the server's requests, and
 * the messages of SDK clients, and stops errors of the code above it from reaching the transport.
 */

import type { JSONRPCMessage } from '@modelcontextprotocol/client';

import type { JsonObject } from '../kernel/json.ts';
import type { Receipt } from '../network/receive-budget.ts';
import type { MessageExtra, ServerTransport } from '../transports/server-transport.ts';
import { type RequestEvents, Requests } from './requests.ts';

export const listKinds = ['tools', 'resources', 'prompts'] as const;
export type ListKind = (typeof listKinds)[number];

export interface ChannelEvents extends RequestEvents {
  /** Called once, whichever side closes the channel. */
  readonly onClose: () => void;
  /** An error that does not close the channel. */
  readonly onError: (error: Error) => void;
  /** A message handler threw. */
  readonly onFault: (error: unknown) => void;
  readonly onListChanged: (kind: ListKind) => void;
  /** Answers a request from the server. An error with a numeric `code` is sent with that code. */
  readonly onRequest: (method: string, params: JsonObject) => Promise<JsonObject>;
  readonly onNotification: (method: string, params: JsonObject) => void;
}

/** Receives the server's notifications, and responses to requests that are not holt's own. */
export interface ChannelListener {
  readonly onMessage: (message: JSONRPCMessage, extra: MessageExtra | undefined) => void;
  readonly onClose: () => void;
}

interface Incoming {
  readonly method: string;
  readonly params?: JsonObject | undefined;
}

type MethodMessage = JSONRPCMessage & Incoming;

const changes: Readonly<Record<string, ListKind>> = {
  'notifications/tools/list_changed': 'tools',
  'notifications/resources/list_changed': 'resources',
  'notifications/prompts/list_changed': 'prompts',
};

const internalError = -32_603;

/** A request may wait for a person, so a server could make any number of them wait. */
const maxAnswering = 100;

export class Channel {
  readonly transport: ServerTransport;
  readonly requests: Requests;
  /** False for the stateless protocol, in which a server may not send requests. */
  answersRequests = true;
  readonly #events: ChannelEvents;
  readonly #listeners = new Set<ChannelListener>();
  /** The server's requests that are being answered. */
  readonly #answering = new Set<unknown>();
  /** How many handlers run, including those of requests that the server has cancelled. */
  #handlers = 0;
  #isClosed = false;
  #started: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(transport: ServerTransport, eventsOf: (channel: Channel) => ChannelEvents) {
    this.transport = transport;
    const events = eventsOf(this);
    this.#events = events;
    this.requests = new Requests(transport, events);
    Object.assign(transport, {
      onclose: () => this.#onClose(),
      onerror: (error: Error) => this.#guard(() => events.onError(error)),
      onmessage: (message: JSONRPCMessage, extra?: MessageExtra) => this.#receive(message, extra),
    });
    inspectBelowRepair(transport, this.requests);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  start(): Promise<void> {
    return (this.#started ??= this.transport.start());
  }

  notify(method: string): Promise<void> {
    return this.transport.send({ jsonrpc: '2.0', method });
  }

  /** Returns a function that removes the listener. */
  listen(listener: ChannelListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  close(): Promise<void> {
    return (this.#closing ??= this.transport.close().finally(() => this.#onClose()));
  }

  #onClose(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#guard(this.#events.onClose);
    this.requests.close();
    for (const { onClose } of this.#listeners) this.#guard(onClose);
    this.#listeners.clear();
  }

  #receive(message: JSONRPCMessage, extra: MessageExtra | undefined): void {
    if ('method' in message) return this.#guard(() => this.#receiveMethod(message, extra));
    const receipt = extra?.receipt;
    noteReceipt(message, receipt);
    if (this.requests.takeResponse(message, receipt)) return;
    this.#pass(message, extra);
    this.requests.endCall(message.id);
  }

  #receiveMethod(message: MethodMessage, extra: MessageExtra | undefined): void {
    if ('id' in message && message.id !== undefined) return void this.#answer(message.id, message);
    const kind = changes[message.method];
    if (kind !== undefined) this.#events.onListChanged(kind);
    if (this.requests.takeNotification(message)) return;
    const params: JsonObject = ('params' in message ? message.params : undefined) ?? {};
    if (message.method === 'notifications/cancelled') this.#answering.delete(params['requestId']);
    this.#events.onNotification(message.method, params);
    this.#pass(message, extra);
  }

  #pass(message: JSONRPCMessage, extra: MessageExtra | undefined): void {
    for (const { onMessage } of this.#listeners) this.#guard(() => onMessage(message, extra));
  }

  /** Sends no response if the server has cancelled its request. */
  async #answer(id: string | number, { method, params = {} }: Incoming): Promise<void> {
    if (!this.answersRequests) {
      this.#events.onError(new Error(`ignored a request of a stateless server: ${method}`));
      return;
    }
    if (this.#handlers >= maxAnswering) {
      const error = { code: internalError, message: `More than ${maxAnswering} requests are being answered` };
      await this.transport.send({ jsonrpc: '2.0', id, error }).catch(this.#events.onError);
      return;
    }
    this.#answering.add(id);
    this.#handlers += 1;
    const response = await this.#responseTo(method, params);
    this.#handlers -= 1;
    if (!this.#answering.delete(id) || this.#isClosed) return;
    await this.transport.send({ jsonrpc: '2.0', id, ...response }).catch(this.#events.onError);
  }

  async #responseTo(
    method: string,
    params: JsonObject,
  ): Promise<{ result: { [key: string]: unknown } } | { error: { code: number; message: string } }> {
    if (method === 'ping') return { result: {} };
    try {
      return { result: { ...(await this.#events.onRequest(method, params)) } };
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      const message = error instanceof Error ? error.message : 'Internal error';
      return {
        error: {
          code: typeof code === 'number' && Number.isSafeInteger(code) ? code : internalError,
          message,
        },
      };
    }
  }

  /** A handler may throw; the channel stays open. */
  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#events.onFault(error);
    }
  }
}

/** Transports repair messages before they pass them on, but `refuseOld` needs the original. */
function inspectBelowRepair(transport: ServerTransport, requests: Requests): void {
  const repairing = transport.onmessage;
  const value: NonNullable<ServerTransport['onmessage']> = (message, extra) => {
    requests.inspect(message);
    repairing?.(message, extra);
  };
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    enumerable: true,
    writable: true,
    value,
  });
}

const receipts = new WeakMap<object, Receipt>();

export function noteReceipt(message: JSONRPCMessage, receipt: Receipt | undefined): void {
  if (receipt?.isCounted !== true) return;
  const content = 'result' in message ? message.result['content'] : undefined;
  if (typeof content === 'object' && content !== null) receipts.set(content, receipt);
}

/** Counts the result as not delivered until the returned function is called. */
export function keepReceipt({ content }: { readonly content: readonly unknown[] }): () => void {
  return receipts.get(content)?.keep() ?? keptNothing;
}

const keptNothing = (): void => undefined;
