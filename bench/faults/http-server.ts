/** A small stateful server over Streamable HTTP whose manners can be changed while it runs. */

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Request {
  readonly method: string;
  readonly id: number | string | undefined;
  readonly session: string | undefined;
  /** When it came, in milliseconds. */
  readonly at: number;
}

export interface FaultyServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly Request[];
  /** True when it has dealt with the request itself. */
  misbehave: ((request: Request, response: http.ServerResponse) => boolean) | undefined;
  forgetSessions(): void;
}

export async function startFaultyServer(): Promise<FaultyServer> {
  const sessions = new Set<string>();
  const requests: Request[] = [];
  const tool = { name: 'echo', description: 'Says it again', inputSchema: { type: 'object' } };
  const results: Readonly<Record<string, object>> = {
    initialize: {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'faulty', version: '1.0.0' },
    },
    'tools/list': { tools: [tool] },
    'tools/call': { content: [{ type: 'text', text: 'again' }] },
    ping: {},
  };

  const answer = (request: Request, response: http.ServerResponse): void => {
    if (faulty.misbehave?.(request, response) === true) return;
    const { method, id, session } = request;
    if (method === 'server/discover') return void response.writeHead(400).end();
    if (method === 'initialize') {
      const fresh = randomUUID();
      sessions.add(fresh);
      response.setHeader('mcp-session-id', fresh);
    } else if (session === undefined || !sessions.has(session)) return void response.writeHead(404).end();
    if (id === undefined) return void response.writeHead(202).end();
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }));
  };
  const server = http.createServer((incoming, response) => {
    const at = performance.now();
    if (incoming.method !== 'POST')
      return void response.writeHead(incoming.method === 'DELETE' ? 200 : 405).end();
    let body = '';
    incoming.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    incoming.on('end', () => {
      const { method, id } = JSON.parse(body) as Pick<Request, 'method' | 'id'>; // a client of ours wrote it
      const request = { method, id, session: incoming.headers['mcp-session-id']?.toString(), at };
      requests.push(request);
      answer(request, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  const faulty: FaultyServer = {
    url: `http://127.0.0.1:${port}/mcp`,
    requests,
    misbehave: undefined,
    forgetSessions: () => sessions.clear(),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return faulty;
}
