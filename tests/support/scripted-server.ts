/** An in-memory server with scripted responses, read by the SDK’s own client of either era. */

import { Client, type JSONRPCMessage } from '@modelcontextprotocol/client';

import type { Era } from '../../src/kernel/phases.ts';
import type { ServerTransport } from '../../src/transports/server-transport.ts';
import { makeTolerant } from '../../src/transports/tolerant.ts';

export interface Scripted extends AsyncDisposable {
  readonly client: Client;
  readonly warnings: readonly (readonly [code: string, message: string])[];
  /** The client's answer to one request that the server answers with `result`. */
  ask(method: string, result: unknown): Promise<Record<string, unknown>>;
}

const capabilities = { tools: {}, prompts: {}, resources: {} };
const serverInfo = { name: 'scripted', version: '1.0.0' };

export async function openScripted(era: Era): Promise<Scripted> {
  const warnings: (readonly [string, string])[] = [];
  let next: unknown;
  const transport = makeTolerant<ServerTransport>({
    opened: Promise.resolve(),
    end: undefined,
    processId: undefined,
    stderrTail: () => '',
    onwarning: (code, message) => warnings.push([code, message]),
    start: () => Promise.resolve(),
    close: () => Promise.resolve(),
    send: (message) => {
      if ('method' in message && 'id' in message) answer(message.id, message.method);
      return Promise.resolve();
    },
  });
  const answer = (id: string | number, method: string): void => {
    const result =
      method === 'initialize' ? { protocolVersion: '2025-11-25', capabilities, serverInfo } : next;
    transport.onmessage?.({ jsonrpc: '2.0', id, result } as JSONRPCMessage); // wrong shapes are what it is for
  };
  const client = new Client(serverInfo, { versionNegotiation: { mode: 'auto' } });
  const discover = {
    supportedVersions: ['2026-07-28'],
    capabilities,
    ttlMs: 0,
    cacheScope: 'private' as const,
  };
  await client.connect(transport, {
    prior: era === 'stateless' ? { kind: 'modern', discover } : { kind: 'legacy' },
  });
  return {
    client,
    warnings,
    ask: async (method, result) => {
      next = result;
      const params = method.endsWith('/list') ? {} : { name: 'x', uri: 'x:y' };
      return await client.request({ method, params } as never); // any method, any result
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}
