/**
 * One open line to a server. Below it is the transport, above it the SDK's client, which may be exchanged while the two
 * sides find out which protocol they share. It also asks small questions of its own beside the client, counts the calls
 * in flight, and lets nothing that is thrown above it reach the transport.
 */

import type {
  JSONRPCMessage,
  MessageExtraInfo,
  Transport,
  TransportSendOptions,
} from '@modelcontextprotocol/client';

import type { ServerTransport } from '../../transports/server-transport.ts';
import { createQuestions, type AskOptions, type JsonObject } from './questions.ts';

export const listKinds = ['tools', 'resources', 'prompts'] as const;
export type ListKind = (typeof listKinds)[number];

export interface LineEvents {
  /** Once, whoever closed it. */
  onClose(): void;
  /** Something odd that does not end the line. */
  onError(error: Error): void;
  /** A handler above threw. */
  onFault(error: unknown): void;
  /** A message did not reach the server. */
  onSendFailed(error: unknown): void;
  onListChanged(kind: ListKind): void;
  onCalls(inFlight: number): void;
  /** The client's request of this method was answered. */
  onAnswer(method: string): void;
}

/** The client's end. Closing it closes the line only once the line is kept. */
export interface ClientEnd extends Transport {
  /** From now on the client and the line share one life. */
  keep(): void;
}

export interface Line {
  readonly transport: ServerTransport;
  readonly isClosed: boolean;
  start(): Promise<void>;
  /** A request of our own. Rejects with `AnswerError`, `LineClosedError`, what `send` threw, or the signal's reason. */
  ask(method: string, params: JsonObject, options: AskOptions): Promise<JsonObject>;
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
  const calls = createCallCount(events.onCalls);
  const answered = new Map<unknown, string>();
  let end: EndState | undefined;
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
  const onClose = (): void => {
    if (isClosed) return;
    isClosed = true;
    guard(() => events.onClose());
    questions.close();
    guard(() => end?.face.onclose?.());
    calls.clear();
  };

  transport.onclose = onClose;
  transport.onerror = (error) => {
    guard(() => events.onError(error));
    guard(() => end?.face.onerror?.(error));
  };
  transport.onmessage = (message, extra) => {
    if (questions.take(message)) return;
    guard(() => hear(message, extra));
  };
  peekBelowRepair(transport, (message) => questions.peek(message));
  const hear = (message: JSONRPCMessage, extra: MessageExtraInfo | undefined): void => {
    if ('method' in message) {
      const kind = changes[message.method];
      if (kind !== undefined) events.onListChanged(kind);
    } else if (message.id !== undefined) {
      const method = answered.get(message.id);
      answered.delete(message.id);
      if (method !== undefined) events.onAnswer(method);
    }
    end?.face.onmessage?.(message, extra);
    // After the client has heard it: who waits for the answer runs before the phase changes.
    if (!('method' in message)) calls.end(message.id);
  };

  const send = async (message: JSONRPCMessage, options: TransportSendOptions | undefined): Promise<void> => {
    if ('method' in message && 'id' in message && message.method === 'initialize')
      answered.set(message.id, message.method);
    calls.begin(message, options);
    try {
      await transport.send(message, options);
    } catch (error) {
      if ('id' in message) calls.end(message.id);
      events.onSendFailed(error);
      throw error;
    }
  };

  const line: Line = {
    transport,
    get isClosed() {
      return isClosed;
    },
    start: () => (started ??= transport.start()),
    ask: (method, params, options) => questions.ask(method, params, options),
    attach: () => {
      end = createEnd(line, send, isCurrent);
      return end.face;
    },
    close: () => (closing ??= transport.close().finally(onClose)),
  };
  const isCurrent = (face: ClientEnd): boolean => end?.face === face;
  return line;
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

interface EndState {
  readonly face: ClientEnd;
}

type Send = (message: JSONRPCMessage, options: TransportSendOptions | undefined) => Promise<void>;

function createEnd(line: Line, send: Send, isCurrent: (face: ClientEnd) => boolean): EndState {
  const { transport } = line;
  let kept = false;
  const face: ClientEnd = {
    start: () => line.start(),
    send: (message, options) =>
      isCurrent(face)
        ? send(message, options)
        : Promise.reject(new Error('This end of the line is no longer in use')),
    close: async () => {
      if (kept) await line.close();
      else face.onclose?.();
    },
    keep: () => {
      kept = true;
    },
    ...(transport.hasPerRequestStream === undefined
      ? {}
      : { hasPerRequestStream: transport.hasPerRequestStream }),
    get sessionId() {
      // A session that the client did not open itself would make it skip its greeting.
      return kept ? transport.sessionId : undefined;
    },
    setProtocolVersion: (version) => transport.setProtocolVersion?.(version),
    setSupportedProtocolVersions: (versions) => transport.setSupportedProtocolVersions?.(versions),
    // By these two the client tells a local program from a remote server.
    ...(transport.processId === undefined ? {} : { stderr: null, pid: transport.processId }),
  };
  return { face };
}

interface CallCount {
  begin(message: JSONRPCMessage, options: TransportSendOptions | undefined): void;
  end(id: unknown): void;
  clear(): void;
}

/** Calls are the client's numbered requests; the greeting is none, and our own questions have names for ids. */
function createCallCount(onCalls: (inFlight: number) => void): CallCount {
  const open = new Set<unknown>();
  const end = (id: unknown): void => {
    if (open.delete(id)) onCalls(open.size);
  };
  return {
    begin: (message, options) => {
      if (!('method' in message)) return;
      if (!('id' in message)) {
        if (message.method === 'notifications/cancelled') end(message.params?.['requestId']);
        return;
      }
      const { id } = message;
      if (typeof id !== 'number' || message.method === 'initialize') return;
      open.add(id);
      options?.requestSignal?.addEventListener('abort', () => end(id), { once: true });
      onCalls(open.size);
    },
    end,
    clear: () => {
      if (open.size === 0) return;
      open.clear();
      onCalls(0);
    },
  };
}
