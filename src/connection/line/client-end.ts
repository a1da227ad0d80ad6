/**
 * The transport that a channel offers to the SDK client. While the protocol is negotiated, it may be replaced
 * by another one.
 */

import type { JSONRPCMessage, Transport, TransportSendOptions } from '@modelcontextprotocol/client';

import type { JsonObject } from '../../kernel/json.ts';
import type { ServerTransport } from '../../transports/server-transport.ts';

/** Closing it closes the channel only after `keep`. */
export interface ClientEnd extends Transport {
  /** From now on, closing the client closes the channel. */
  keep(): void;
}

export interface EndParts {
  /** The server's answer to the handshake, if that took place before the client existed. */
  readonly greeted?: JsonObject | undefined;
  readonly onKept: () => void;
  readonly transport: ServerTransport;
  readonly start: () => Promise<void>;
  readonly close: () => Promise<void>;
  readonly send: (message: JSONRPCMessage, options: TransportSendOptions | undefined) => Promise<void>;
  /** False if this end was replaced by another. */
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
      // The client skips its handshake if it sees a session id, so hide one that it did not open.
      return kept ? transport.sessionId : undefined;
    },
    setProtocolVersion: (version) => transport.setProtocolVersion?.(version),
    setSupportedProtocolVersions: (versions) => transport.setSupportedProtocolVersions?.(versions),
    // The client recognizes a local program by these two fields.
    ...(transport.processId === undefined ? {} : { stderr: null, pid: transport.processId }),
  };
  return end;
}

/**
 * The handshake is already done: answers the client's request with the stored result, and drops the
 * notification that follows it.
 */
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
