/**
 * Listens for HTTP on a TCP address or a unix socket, and enforces limits on header size, request time and
 * number of connections. Other modules interpret the requests.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { networkInterfaces } from 'node:os';

import { HoltError, errorCode } from '../../kernel/errors.ts';
import { openReply, readBody, type BodyLimits, type HttpReply } from './http/messages.ts';

export type { HttpReply, HttpStream } from './http/messages.ts';

export interface HttpRequest {
  readonly method: string;
  /** The path and query as received, not decoded. */
  readonly target: string;
  /** All headers as received, with names in lower case. Repeated headers appear repeatedly. */
  readonly headers: readonly (readonly [string, string])[];
  /** Aborted when the client disconnects before the response is complete. */
  readonly signal: AbortSignal;
  readonly body: (limits: BodyLimits) => ReturnType<typeof readBody>;
}

export type ListenPlace =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'socket'; readonly path: string };

interface HttpLimits {
  readonly headerBytes: number;
  readonly headersMs: number;
  /** From the first byte of a request to its last, in milliseconds. */
  readonly requestMs: number;
  readonly connections: number;
}

interface HttpServerParts {
  readonly limits: HttpLimits;
  readonly onRequest: (request: HttpRequest, reply: HttpReply) => void;
  /** Creates the body of the response to a request that Node rejects. */
  readonly refusal: (status: number) => string;
}

export interface HttpServer {
  /** The actual port; 0 for a socket. */
  readonly port: number;
  /**
   * Stops accepting connections and closes idle ones now, others after their response. Resolves when all are
   * closed.
   */
  stop(): Promise<void>;
  /** Closes every connection immediately. */
  destroy(): void;
}

/** Throws `usage-invalid` when holt cannot listen there. */
export async function listenHttp(place: ListenPlace, parts: HttpServerParts): Promise<HttpServer> {
  const server = createLimitedServer(parts);
  const connections = followConnections(server);
  await listen(server, place);
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        connections.endIdle();
      }),
    destroy: () => server.closeAllConnections(),
  };
}

function createLimitedServer({ limits, onRequest, refusal }: HttpServerParts): Server {
  const server = createServer(
    {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      // How often Node checks the two limits above. Its default of 30 s would let a slow client stay four
      // times as long.
      connectionsCheckingInterval: 1000,
      keepAliveTimeout: 5000,
      // The gate requires the header and sends its own error response.
      requireHostHeader: false,
      insecureHTTPParser: false,
    },
    (request, response) => onRequest(requestOf(request, response), openReply(response)),
  );
  server.maxConnections = limits.connections;
  // No limit: at Node's limit, further headers are dropped silently, possibly a second Host header.
  server.maxHeadersCount = 0;
  // Typed as a duplex stream, but always a socket.
  server.on('clientError', (error, socket) => refuse(errorCode(error) ?? '', socket as Socket, refusal));
  return server;
}

function listen(server: Server, place: ListenPlace): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(explain(error, place)));
    if (place.kind === 'tcp') {
      server.listen({ host: place.host, port: place.port, exclusive: true }, resolve);
      return;
    }
    // `listen` creates the socket synchronously, so with this umask other users never have access to it.
    const before = process.umask(0o177);
    try {
      server.listen({ path: place.path }, resolve);
    } finally {
      process.umask(before);
    }
  });
}

function explain(error: Error, place: ListenPlace): HoltError<'usage-invalid'> {
  const code = errorCode(error) ?? error.message;
  const where = place.kind === 'tcp' ? `${place.host}:${place.port}` : place.path;
  const taken = code === 'EADDRINUSE';
  return new HoltError(
    'usage-invalid',
    taken ? `${where} is taken by another program` : `holt cannot listen at ${where} (${code})`,
    { given: where },
    {
      cause: error,
      remedy: taken ? 'Choose another with --port, or end the other program.' : 'Check --host and --port.',
    },
  );
}

function requestOf(request: IncomingMessage, response: ServerResponse): HttpRequest {
  const { rawHeaders } = request;
  const headers: (readonly [string, string])[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    headers.push([(rawHeaders[at] ?? '').toLowerCase(), rawHeaders[at + 1] ?? '']);
  const gone = new AbortController();
  response.on('close', () => {
    if (!response.writableFinished) gone.abort(new DOMException('the client went away', 'AbortError'));
  });
  return {
    method: request.method ?? '',
    target: request.url ?? '',
    headers,
    signal: gone.signal,
    body: (limits) => readBody(request, limits),
  };
}

const statusOfFault: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Responds to requests that Node rejects, such as malformed or slow ones. They never reach the gate. */
function refuse(code: string, socket: Socket, refusal: (status: number) => string): void {
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = statusOfFault[code] ?? 400;
  const body = refusal(status);
  socket.end(
    `HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

/** Returns all addresses of this machine, without zone ids. */
export function localAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
}

interface Connections {
  /** Closes idle connections now, and the others after their pending responses. */
  endIdle(): void;
}

function followConnections(server: Server): Connections {
  const open = new Map<Socket, number>();
  let ending = false;
  server.on('connection', (socket: Socket) => {
    open.set(socket, 0);
    socket.once('close', () => open.delete(socket));
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    open.set(socket, (open.get(socket) ?? 0) + 1);
    response.once('close', () => {
      if (!open.has(socket)) return;
      const left = (open.get(socket) ?? 1) - 1;
      open.set(socket, left);
      if (ending && left === 0) socket.destroySoon();
    });
  });
  return {
    endIdle: () => {
      ending = true;
      for (const [socket, asked] of open) if (asked === 0) socket.destroySoon();
    },
  };
}
