/** The client's end of a line. While the two sides still look for a common protocol, one end may be exchanged for another. */

import type { JSONRPCMessage, Transport, TransportSendOptions } from '@modelcontextprotocol/client';

import type { ServerTransport } from '../../transports/server-transport.ts';
import type { JsonObject } from './questions.ts';

/** Closing it closes the line only once the line is kept. */
export interface ClientEnd extends Transport {
  /** From now on the client and the line share one life. */
  keep(): void;
}

export interface EndParts {
  /** What the server answered to the greeting, where it was greeted before there was a client. */
  readonly greeted?: JsonObject | undefined;
  readonly onKept: () => void;
  readonly transport: ServerTransport;
  readonly start: () => Promise<void>;
  readonly close: () => Promise<void>;
  readonly send: (message: JSONRPCMessage, options: TransportSendOptions | undefined) => Promise<void>;
  /** False for an end that was exchanged for another. */
  readonly isInUse: (end: ClientEnd) => boolean;
}

export function createClientEnd(parts: EndParts): ClientEnd {
  const { transport, start, close, send, isInUse, greeted } = parts;
  let kept = false;
  const end: ClientEnd = {
    start,
    send: (message, options) => {
      if (!isInUse(end)) return Promise.reject(new Error('This end of the line is no longer in use'));
      if (greeted === undefined || kept || !('method' in message)) return send(message, options);
      return answerGreeting(message, greeted, (answer) => end.onmessage?.(answer));
    },
    close: async () => {
      if (kept) await close();
      else end.onclose?.();
    },
    keep: () => {
      kept = true;
      parts.onKept();
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
  return end;
}

/** The server has been greeted: the client hears what was answered then, and its thanks have been said. */
function answerGreeting(
  message: JSONRPCMessage & { readonly method: string },
  result: JsonObject,
  hear: (answer: JSONRPCMessage) => void,
): Promise<void> {
  const id = 'id' in message ? message.id : undefined;
  if (id !== undefined) {
    queueMicrotask(() => hear({ jsonrpc: '2.0', id, result: { ...result } }));
  }
  return Promise.resolve();
}
