/** Serves the fixture over Streamable HTTP: a session per client in the stateful era, a server object per request in the other. */

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

import { NodeStreamableHTTPServerTransport, toNodeHandler, toWebRequest } from '@modelcontextprotocol/node';
import {
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  localhostAllowedHostnames,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server';

import { createUpstream, type Era } from './create-upstream.ts';

const maxBodyBytes = 16 * 1024 * 1024;

/** Resolves to the URL once the server listens. Port 0 picks a free one. */
export async function serveHttp(port: number, era: Era): Promise<string> {
  const stateless = createMcpHandler(
    () =>
      createUpstream('stateless', {
        tools: () => stateless.notify.toolsChanged(),
        prompts: () => stateless.notify.promptsChanged(),
      }),
    { legacy: 'reject', maxRequestBodySize: maxBodyBytes },
  );
  const serveStateless = toNodeHandler(stateless, { maxRequestBodySize: maxBodyBytes });
  const serveStateful = createSessions();
  const server = http.createServer(async (request, response) => {
    if (!isLocal(request)) return void response.writeHead(403).end();
    if (new URL(request.url ?? '/', 'http://localhost').pathname !== '/mcp')
      return void response.writeHead(404).end();
    const body = await readBody(request);
    const isStateful =
      era !== 'stateless' &&
      (era === 'stateful' || (await isLegacyRequest(await toWebRequest(request, body))));
    await (isStateful ? serveStateful(request, response, body) : serveStateless(request, response, body));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

function isLocal({ headers }: http.IncomingMessage): boolean {
  const names = localhostAllowedHostnames();
  return validateHostHeader(headers.host, names).ok && validateOriginHeader(headers.origin, names).ok;
}

async function readBody(request: http.IncomingMessage): Promise<unknown> {
  if (request.method !== 'POST') return undefined;
  const chunks = await Array.fromAsync<Buffer>(request);
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    return undefined;
  }
}

type Serve = (request: http.IncomingMessage, response: http.ServerResponse, body: unknown) => Promise<void>;

function createSessions(): Serve {
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>();
  return async (request, response, body) => {
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? sessions.get(id) : undefined;
    if (known !== undefined) return known.handleRequest(request, response, body);
    if (id !== undefined || !isInitializeRequest(body)) {
      const status = id === undefined ? 400 : 404;
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32_001, message: 'Session not found' } }),
      );
      return;
    }
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (session) => void sessions.set(session, transport),
      onsessionclosed: (session) => void sessions.delete(session),
    });
    await createUpstream('stateful').connect(transport);
    await transport.handleRequest(request, response, body);
  };
}
