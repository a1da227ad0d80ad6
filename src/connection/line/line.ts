/**
 * One open line to a server. Below it is the transport, above it the SDK's client, which may be exchanged while the two
 * sides find out which protocol they share. It also asks small questions of its own beside the client, counts the calls
 * in flight, and lets nothing that is thrown above it reach the transport.
 */

import type { JSONRPCMessage, MessageExtraInfo, TransportSendOptions } from '@modelcontextprotocol/client';

import type { ServerTransport } from '../../transports/server-transport.ts';
import { createCallCount } from './call-count.ts';
import { createClientEnd, type ClientEnd } from './client-end.ts';
import { createRawCalls, type RawCalls } from './raw-calls.ts';
import { createQuestions, type AskOptions, type JsonObject } from './questions.ts';

export const listKinds = ['tools', 'resources', 'prompts'] as const;
export type ListKind = (typeof listKinds)[number];

export interface LineEvents {
  /** Once, whoever closed it. */
  readonly onClose: () => void;
  /** Something odd that does not end the line. */
  readonly onError: (error: Error) => void;
  /** A handler above threw. */
  readonly onFault: (error: unknown) => void;
  /** A message did not reach the server. */
  readonly onSendFailed: (error: unknown) => void;
  readonly onListChanged: (kind: ListKind) => void;
  readonly onCalls: (inFlight: number) => void;
  /** The client's request of this method was answered. */
  readonly onAnswer: (method: string) => void;
}

export interface Line {
  readonly transport: ServerTransport;
  readonly isClosed: boolean;
  start(): Promise<void>;
  /** A request of our own. Rejects with `AnswerError`, `LineClosedError`, what `send` threw, or the signal's reason. */
  ask(method: string, params: JsonObject, options: AskOptions): Promise<JsonObject>;
  /** A call that goes past the client; only where all requests share one stream. */
  readonly call: RawCalls['call'];
  /** A new end for a client; the one before hears nothing any more. */
  attach(): ClientEnd;
  close(): Promise<void>;
}

const changes: Readonly<Record<string, ListKind>> = {
  'notifications/tools/list_changed': 'tools',
  'notifications/resources/list_changed': 'resources',
  'notifications/prompts/list_changed': 'prompts',
};

export function createLine(transport: ServerTransport, events: LineEvents): Line {
  const questions = createQuestions(transport);
  const { hear, send, ends, raw } = createTraffic(transport, events);
  let isClosed = false;
  let started: Promise<void> | undefined;
  let closing: Promise<void> | undefined;

  /** What is above is not ours: it may throw, and the line goes on. */
  const guard = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      events.onFault(error);
    }
  };
  const onclose = (): void => {
    if (isClosed) return;
    isClosed = true;
    guard(events.onClose);
    questions.close();
    raw.close();
    guard(ends.close);
  };
  const onerror = (error: Error): void => {
    guard(() => events.onError(error));
    guard(() => ends.current()?.onerror?.(error));
  };
  const onmessage: NonNullable<ServerTransport['onmessage']> = (message, extra) => {
    if (!questions.take(message)) guard(() => hear(message, extra));
  };
  Object.assign(transport, { onclose, onerror, onmessage });
  peekBelowRepair(transport, (message) => questions.peek(message));

  const start = (): Promise<void> => (started ??= transport.start());
  const close = (): Promise<void> => (closing ??= transport.close().finally(onclose));
  return {
    transport,
    get isClosed() {
      return isClosed;
    },
    start,
    ask: (method, params, options) => questions.ask(method, params, options),
    call: (method, params, options, envelope) => raw.call(method, params, options, envelope),
    attach: () =>
      ends.exchange(
        createClientEnd({ transport, start, close, send, isInUse: (end) => ends.current() === end }),
      ),
    close,
  };
}

interface Traffic {
  readonly hear: (message: JSONRPCMessage, extra: MessageExtraInfo | undefined) => void;
  readonly send: (message: JSONRPCMessage, options: TransportSendOptions | undefined) => Promise<void>;
  readonly raw: RawCalls;
  readonly ends: {
    readonly current: () => ClientEnd | undefined;
    readonly exchange: (end: ClientEnd) => ClientEnd;
    readonly close: () => void;
  };
}

/** Between the transport and the client's end: both ways are looked at, nothing is changed. */
function createTraffic(
  transport: ServerTransport,
  { onCalls, onListChanged, onAnswer, onSendFailed }: LineEvents,
): Traffic {
  const calls = createCallCount(onCalls);
  const greetings = new Set<unknown>();
  let current: ClientEnd | undefined;
  const send: Traffic['send'] = (message, options) => {
    if ('method' in message && 'id' in message && message.method === 'initialize') greetings.add(message.id);
    calls.begin(message, options);
    return transport.send(message, options).catch((error: unknown) => {
      if ('id' in message) calls.end(message.id);
      onSendFailed(error);
      throw error;
    });
  };
  const raw = createRawCalls((message) => send(message, undefined));
  return {
    raw,
    send,
    hear: (message, extra) => {
      if ('method' in message) {
        const kind = changes[message.method];
        if (kind !== undefined) onListChanged(kind);
      } else if (greetings.delete(message.id)) onAnswer('initialize');
      if (!raw.take(message)) current?.onmessage?.(message, extra);
      // After the client has heard it: who waits for the answer runs before the phase changes.
      if (!('method' in message)) calls.end(message.id);
    },
    ends: {
      current: () => current,
      exchange: (end) => (current = end),
      close: () => {
        current?.onclose?.();
        calls.clear();
      },
    },
  };
}

/** Transports repair what they hand up; some questions are about what really came. */
function peekBelowRepair(transport: ServerTransport, peek: (message: JSONRPCMessage) => void): void {
  const repairing = transport.onmessage;
  const value: NonNullable<ServerTransport['onmessage']> = (message, extra) => {
    peek(message);
    repairing?.(message, extra);
  };
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    enumerable: true,
    writable: true,
    value,
  });
}
