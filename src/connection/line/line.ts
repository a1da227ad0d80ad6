/**
 * An open message channel to one server, between the transport and the SDK client. The client may be replaced
 * while the protocol is negotiated. The channel also sends holt's own requests beside those of the client,
 * counts the calls in flight, and stops errors of the code above it from reaching the transport.
 */

import type { JSONRPCMessage, MessageExtraInfo, TransportSendOptions } from '@modelcontextprotocol/client';

import type { JsonObject } from '../../kernel/json.ts';
import { receiptIn, type ServerTransport } from '../../transports/server-transport.ts';
import { noteReceipt } from '../receipts.ts';
import { createBacklog } from './backlog.ts';
import { createCallCount } from './call-count.ts';
import { createClientEnd, type ClientEnd } from './client-end.ts';
import { createClientLists, type ClientLists } from './client-lists.ts';
import { createRawCalls, type RawCalls } from './raw-calls.ts';
import { AnswerError, createQuestions, type AskOptions, type Questions } from './questions.ts';

export const listKinds = ['tools', 'resources', 'prompts'] as const;
export type ListKind = (typeof listKinds)[number];

export interface LineEvents {
  /** Called once, whichever side closes the channel. */
  readonly onClose: () => void;
  /** An error that does not close the channel. */
  readonly onError: (error: Error) => void;
  /** A message handler threw. */
  readonly onFault: (error: unknown) => void;
  /** A message could not be sent. */
  readonly onSendFailed: (error: unknown) => void;
  readonly onListChanged: (kind: ListKind) => void;
  readonly onCalls: (inFlight: number) => void;
  /** A request with this method was answered. Reported only for `initialize`. */
  readonly onAnswer: (method: string) => void;
}

export interface Line {
  readonly transport: ServerTransport;
  readonly isClosed: boolean;
  start(): Promise<void>;
  /**
   * Sends one of holt's own requests. Rejects with `AnswerError`, `LineClosedError`, what `send` threw, or
   * the signal's reason.
   */
  ask(method: string, params: JsonObject, options: AskOptions): Promise<JsonObject>;
  /** Sends a call without the SDK client. Only for channels on which all requests share one stream. */
  readonly call: RawCalls['call'];
  /** Sends a notification. */
  tell(method: string): Promise<void>;
  /**
   * Returns a new transport for a client; the previous one receives nothing more. With `greeted`, the
   * server's answer to an earlier handshake, the server is not sent another one.
   */
  attach(greeted?: JsonObject): ClientEnd;
  /** Calls `then` once, when a message for a client arrives and none is attached. The message is queued. */
  whenUnheard(then: () => void): void;
  close(): Promise<void>;
}

const changes: Readonly<Record<string, ListKind>> = {
  'notifications/tools/list_changed': 'tools',
  'notifications/resources/list_changed': 'resources',
  'notifications/prompts/list_changed': 'prompts',
};

export interface LineOptions {
  /** The size limit of a list that the client reads by itself. */
  readonly listBytes?: () => number;
}

export function createLine(
  transport: ServerTransport,
  events: LineEvents,
  { listBytes = () => Number.POSITIVE_INFINITY }: LineOptions = {},
): Line {
  const questions = createQuestions(transport);
  const lists = createClientLists({ listBytes, onCut: (...cut) => warnOfCut(transport, ...cut) });
  const { hear, send, ends, raw } = createTraffic(transport, lists, events);
  let isClosed = false;
  let started: Promise<void> | undefined;
  let closing: Promise<void> | undefined;

  /** A listener may throw; the channel stays open. */
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
    const receipt = receiptIn(extra);
    if (questions.take(message, receipt)) return;
    noteReceipt(message, receipt);
    guard(() => hear(message, extra));
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
    ask: (method, params, options) => ask(questions, { method, params, options }, events),
    tell: (method) => transport.send({ jsonrpc: '2.0', method }),
    call: (method, params, options, envelope) => raw.call(method, params, options, envelope),
    attach: (greeted) => {
      const isInUse = (end: ClientEnd): boolean => ends.current() === end;
      const own = { transport, start, close, send, greeted, isInUse, onKept: ends.open };
      return ends.exchange(createClientEnd(own), greeted === undefined);
    },
    whenUnheard: ends.whenUnheard,
    close,
  };
}

function warnOfCut({ onwarning }: ServerTransport, method: string, bytes: number): void {
  const text = `A client's ${method} was ended early: the list is larger than ${bytes} bytes (limits.listBytes).`;
  onwarning?.('list-cut', text);
}

interface Question {
  readonly method: string;
  readonly params: JsonObject;
  readonly options: AskOptions;
}

async function ask(
  questions: Questions,
  { method, params, options }: Question,
  { onAnswer }: LineEvents,
): Promise<JsonObject> {
  const answered = (): void => {
    if (method === 'initialize') onAnswer(method);
  };
  try {
    const result = await questions.ask(method, params, options);
    answered();
    return result;
  } catch (error) {
    if (error instanceof AnswerError) answered();
    throw error;
  }
}

interface Traffic {
  readonly hear: (message: JSONRPCMessage, extra: MessageExtraInfo | undefined) => void;
  readonly send: (message: JSONRPCMessage, options: TransportSendOptions | undefined) => Promise<void>;
  readonly raw: RawCalls;
  readonly ends: {
    readonly current: () => ClientEnd | undefined;
    readonly exchange: (end: ClientEnd, isOpen: boolean) => ClientEnd;
    /** From now on the current end receives all messages, and the queued ones first. */
    readonly open: () => void;
    readonly whenUnheard: (then: () => void) => void;
    readonly close: () => void;
  };
}

/** Observes the messages between transport and client. Changes only lists that are too large. */
function createTraffic(
  transport: ServerTransport,
  lists: ClientLists,
  { onCalls, onListChanged, onAnswer, onSendFailed }: LineEvents,
): Traffic {
  const calls = createCallCount(onCalls);
  const greetings = new Set<unknown>();
  const unheard = createBacklog();
  let current: ClientEnd | undefined;
  let isOpen = false;
  const hand = (message: JSONRPCMessage, extra: MessageExtraInfo | undefined): void => {
    if (isOpen) current?.onmessage?.(message, extra);
    else unheard.keep(message, extra);
  };
  const send: Traffic['send'] = (message, options) => {
    if ('method' in message && 'id' in message && message.method === 'initialize') greetings.add(message.id);
    calls.begin(message, options);
    lists.asked(message);
    const failed = (error: unknown): Promise<never> => {
      if ('id' in message) calls.end(message.id);
      onSendFailed(error);
      return Promise.reject(error);
    };
    try {
      return transport.send(message, options).catch(failed);
    } catch (error) {
      // Some transports throw synchronously if a message cannot be serialized.
      return failed(error);
    }
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
      if (!raw.take(message)) hand(lists.answered(message, receiptIn(extra)), extra);
      // Deliver the answer to the client before the phase changes.
      if (!('method' in message)) calls.end(message.id);
    },
    ends: {
      current: () => current,
      exchange: (end, opens) => {
        isOpen = opens;
        return (current = end);
      },
      open: () => {
        isOpen = true;
        unheard.empty(hand);
      },
      whenUnheard: unheard.when,
      close: () => {
        current?.onclose?.();
        calls.clear();
      },
    },
  };
}

/** Transports repair messages before they pass them on, but `refuseOld` needs the original. */
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
