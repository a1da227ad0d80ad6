/**
 * Counts the calls in flight: the client's requests, which have numeric ids, and raw calls. The handshake and
 * holt's own requests do not count.
 */

import type { JSONRPCMessage, TransportSendOptions } from '@modelcontextprotocol/client';

import { isRawCall } from './raw-calls.ts';

export interface CallCount {
  /** Observes every message to the server. */
  begin(message: JSONRPCMessage, options: TransportSendOptions | undefined): void;
  /** The request was answered, or can no longer be answered. */
  end(id: unknown): void;
  clear(): void;
}

export function createCallCount(onCalls: (inFlight: number) => void): CallCount {
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
      if (!(typeof id === 'number' || isRawCall(id)) || message.method === 'initialize') return;
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
