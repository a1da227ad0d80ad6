/**
 * Listening for HTTP on an address or a unix socket. Holds the limits that only the machine can hold: the size of
 * headers, the time a request may take to arrive, the number of connections. What a request means is decided elsewhere.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { networkInterfaces } from 'node:os';

import { HoltError } from '../kernel/errors.ts';
import { errorCode } from './error-code.ts';
import { followConnections } from './http/connections.ts';
import { openReply, type HttpReply } from './http/reply.ts';
import { readBody, type BodyLimits } from './http/request-body.ts';

export type { HttpReply, HttpStream } from './http/reply.ts';

export interface HttpRequest {
  readonly method: string;
  /** As it came: path and query, not decoded. */
  readonly target: string;
  /** Every header as it came, names in lower case. One that came twice stands here twice. */
  readonly headers: readonly (readonly [string, string])[];
  /** Aborted when the client goes away before the answer is complete. */
  readonly signal: AbortSignal;
  readonly body: (limits: BodyLimits) => ReturnType<typeof readBody>;
}

export type ListenPlace =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'socket'; readonly path: string };

export interface HttpLimits {
  readonly headerBytes: number;
  readonly headersMs: number;
  /** From the first byte of a request to its last. */
  readonly requestMs: number;
  readonly connections: number;
}

export interface HttpServerParts {
  readonly limits: HttpLimits;
  readonly onRequest: (request: HttpRequest, reply: HttpReply) => void;
  /** The body of an answer to what was no proper request. */
  readonly refusal: (status: number) => string;
}

export interface HttpServer {
  /** The port that was taken; 0 for a socket. */
  readonly port: number;
  /** Takes no more connections; idle ones end now, others when their answer is complete. Settles when all have. */
  stop(): Promise<void>;
  /** Ends every connection, whatever it is doing. */
  destroy(): void;
}

/** Throws `usage-invalid` when the place cannot be listened at. */
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
      // How often the two above are looked at; Node's own 30 s would let a slow client stay four times as long.
      connectionsCheckingInterval: 1000,
      keepAliveTimeout: 5000,
      // Asked for by the gate, which answers in its own words.
      requireHostHeader: false,
      insecureHTTPParser: false,
    },
    (request, response) => onRequest(requestOf(request, response), openReply(response)),
  );
  server.maxConnections = limits.connections;
  // Without a limit of its own: one that is reached drops headers silently, a second Host among them.
  server.maxHeadersCount = 0;
  server.on('clientError', (error, socket) => refuse(errorCode(error) ?? '', socket as Socket, refusal)); // a duplex stream by type, a socket in fact
  return server;
}

function listen(server: Server, place: ListenPlace): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(explain(error, place)));
    if (place.kind === 'tcp') {
      server.listen({ host: place.host, port: place.port, exclusive: true }, resolve);
      return;
    }
    // The socket is made inside this call. It is nobody else's from its first moment.
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

/** A request that Node could not make sense of never reaches the gate. */
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

/** Every address this machine answers to, without zones. */
export function localAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
}
