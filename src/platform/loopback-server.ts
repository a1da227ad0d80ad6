/**
 * A small HTTP listener that only this machine can reach: bound to 127.0.0.1 and nothing else, one answer a connection,
 * bodies are not read. Requests that name another host are refused before anybody sees them.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

export interface LoopbackRequest {
  readonly method: string;
  readonly path: string;
  /** Without the question mark, and not decoded. */
  readonly search: string;
}

export interface LoopbackAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Called when the answer is on its way, or its reader has gone. */
  readonly onSent?: (() => void) | undefined;
}

export interface LoopbackServer {
  readonly port: number;
  /** The port is free when this settles. */
  close(): Promise<void>;
}

export type OpenLoopbackServer = (
  port: number,
  answer: (request: LoopbackRequest) => LoopbackAnswer,
) => Promise<LoopbackServer>;

const address = '127.0.0.1';
/** Nobody needs longer to send one line; whoever does only wants to hold the connection. */
const slowestMs = 5000;

/** Port 0 takes any that is free. Rejects with the system's own error, `EADDRINUSE` for a port that is taken. */
export const openLoopbackServer: OpenLoopbackServer = async (port, answer) => {
  const server = createServer(
    {
      headersTimeout: slowestMs,
      requestTimeout: slowestMs,
      connectionsCheckingInterval: 1000,
      maxHeaderSize: 64 << 10,
    },
    (request, response) => respond(request, response, { server, answer }),
  );
  await listen(server, port);
  return {
    port: portOf(server),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: address, port, exclusive: true }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function portOf(server: Server): number {
  const bound = server.address();
  return typeof bound === 'object' && bound !== null ? bound.port : 0;
}

interface Responding {
  readonly server: Server;
  readonly answer: (request: LoopbackRequest) => LoopbackAnswer;
}

function respond(request: IncomingMessage, response: ServerResponse, { server, answer }: Responding): void {
  const url = readTarget(request.url);
  const { status, headers, body, onSent } =
    url !== undefined && isOurHost(request.headers.host, portOf(server))
      ? answer({ method: request.method ?? '', path: url.pathname, search: url.search.slice(1) })
      : misdirected;
  if (onSent !== undefined) response.once('close', onSent);
  response.writeHead(status, {
    ...headers,
    Connection: 'close',
    'Content-Length': Buffer.byteLength(body),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** A page of another site whose name was made to lead here carries that name. */
const misdirected: LoopbackAnswer = {
  status: 421,
  headers: { 'Content-Type': 'text/plain; charset=utf-8' },
  body: 'Misdirected Request\n',
};

function isOurHost(host: string | undefined, port: number): boolean {
  return host === `${address}:${port}` || host === `localhost:${port}`;
}

/** Undefined for what is no path, such as the full address that proxies are asked for. */
function readTarget(target: string | undefined): URL | undefined {
  if (target?.startsWith('/') !== true || target.startsWith('//')) return undefined;
  return new URL(`http://${address}${target}`);
}
