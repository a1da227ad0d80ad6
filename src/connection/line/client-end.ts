/** The client's end of a line. While the two sides still look for a common protocol, one end may be exchanged for another. */

import type { JSONRPCMessage, Transport, TransportSendOptions } from '@modelcontextprotocol/client';

import type { ServerTransport } from '../../transports/server-transport.ts';

/** Closing it closes the line only once the line is kept. */
export interface ClientEnd extends Transport {
  /** From now on the client and the line share one life. */
  keep(): void;
}

export interface EndParts {
  readonly transport: ServerTransport;
  readonly start: () => Promise<void>;
  readonly close: () => Promise<void>;
  readonly send: (message: JSONRPCMessage, options: TransportSendOptions | undefined) => Promise<void>;
  /** False for an end that was exchanged for another. */
  readonly isInUse: (end: ClientEnd) => boolean;
}

export function createClientEnd({ transport, start, close, send, isInUse }: EndParts): ClientEnd {
  let kept = false;
  const end: ClientEnd = {
    start,
    send: (message, options) =>
      isInUse(end)
        ? send(message, options)
        : Promise.reject(new Error('This end of the line is no longer in use')),
    close: async () => {
      if (kept) await close();
      else end.onclose?.();
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
  return end;
}
