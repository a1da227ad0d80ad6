/**
 * A small HTTP listener that only this machine can reach. It binds to 127.0.0.1, sends one response per
 * connection and does not read bodies. Requests for another host are refused before the handler sees them.
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
  /** Called when the response has been sent or the client has disconnected. */
  readonly onSent?: (() => void) | undefined;
}

export interface LoopbackServer {
  readonly port: number;
  /** Resolves when the port is free again. */
  close(): Promise<void>;
}

export type OpenLoopbackServer = (
  port: number,
  answer: (request: LoopbackRequest) => LoopbackAnswer,
) => Promise<LoopbackServer>;

const address = '127.0.0.1';
/** A client that needs longer for a single line only wants to block the connection. */
const slowestMs = 5000;

/**
 * Listens on a port; 0 selects any free one. Rejects with the system's error, such as `EADDRINUSE` for a port
 * in use.
 */
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

/**
 * Protects against DNS rebinding: a website whose name resolves to this machine still sends that name as its
 * host.
 */
const misdirected: LoopbackAnswer = {
  status: 421,
  headers: { 'Content-Type': 'text/plain; charset=utf-8' },
  body: 'Misdirected Request\n',
};

function isOurHost(host: string | undefined, port: number): boolean {
  return host === `${address}:${port}` || host === `localhost:${port}`;
}

/** Returns undefined for anything but a path, such as the full URL of a proxy request. */
function readTarget(target: string | undefined): URL | undefined {
  if (target?.startsWith('/') !== true || target.startsWith('//')) return undefined;
  return new URL(`http://${address}${target}`);
}
