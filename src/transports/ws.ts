/**
 * MCP over a WebSocket: one JSON-RPC message per text frame, subprotocol `mcp`, headers on the upgrade
 * request. Sends regular pings, because a socket with a vanished peer looks the same as an idle one.
 */

import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { WebSocket } from 'ws';

import { asksForLogin, type Refused, type RemoteLogin } from '../auth/remote-login.ts';
import { explainBreak } from '../network/explain-error.ts';
import { StructureCount } from '../network/count-structure.ts';
import { structureExcess, type MessageLimits } from '../network/message-meter.ts';
import { excessFailure, NetworkFailure } from '../network/network-failure.ts';
import type { Received, ReceiveSource } from '../network/receive-budget.ts';
import { readRetryAfter } from '../network/retry-after.ts';
import { type RemoteParts, RemoteTransport } from './remote/remote-transport.ts';
import {
  type MessageExtra,
  type ServerTransport,
  type TransportEnd,
  TransportFailure,
} from './server-transport.ts';

export interface WsParts extends RemoteParts {
  readonly headers: Readonly<Record<string, string>>;
  readonly limits: MessageLimits;
  readonly login?: RemoteLogin | undefined;
  /** Interval between pings in milliseconds; default 30 000. The pong must arrive within a third of it. */
  readonly pingMs?: number;
}

/** Maximum number of unsent bytes before `send` rejects because the server does not read. */
const mostUnsentBytes = 8 << 20;
const farewellMs = 500;

export class WsTransport extends RemoteTransport implements ServerTransport {
  readonly #url: URL;
  readonly #parts: WsParts;
  readonly #dialing = new AbortController();
  readonly #source: ReceiveSource;
  /** Bytes received that do not form a complete frame yet. */
  #partialBytes = 0;
  #lastChunkBytes = 0;
  #socket: WebSocket | undefined;
  /** The last upgrade request that the server rejected. */
  #refused: Refused | undefined;
  #cancelPing: () => void = () => undefined;

  constructor(url: URL, parts: WsParts) {
    super();
    this.#url = url;
    this.#parts = parts;
    this.#source = parts.account.openSource();
  }

  async start(): Promise<void> {
    try {
      await this.#openLoggedIn();
    } catch (error) {
      const cause = this.ending?.cause ?? (error as Error); // sockets reject with Errors
      await this.#finish({ reason: cause.message, cause });
      throw cause;
    }
    if (this.ending !== undefined)
      throw this.ending.cause ?? new TransportFailure({ kind: 'closed', reason: 'by holt' });
    this.opening.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    const socket = this.#socket;
    if (socket === undefined || this.ending !== undefined) {
      return Promise.reject(
        this.ending?.cause ?? new TransportFailure({ kind: 'closed', reason: 'not open' }),
      );
    }
    if (socket.bufferedAmount > mostUnsentBytes) {
      return Promise.reject(
        new TransportFailure({ kind: 'closed', reason: 'the server does not read what it is sent' }),
      );
    }
    return new Promise((resolve, reject) => {
      socket.send(JSON.stringify(message), (error) => {
        if (error) reject(this.ending?.cause ?? explainBreak(error, this.#url.host));
        else resolve();
      });
    });
  }

  async close(): Promise<void> {
    const socket = this.#socket;
    await this.#finish({ reason: 'closed by holt' });
    if (socket === undefined || socket.readyState === WebSocket.CLOSED) return;
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const cancel = this.#parts.clock.setTimer(farewellMs, () => socket.terminate());
    socket.close(1000);
    await closed;
    cancel();
  }

  /** Connects with the stored login, and retries once with a renewed one if the server rejects it. */
  async #openLoggedIn(): Promise<void> {
    const { login, headers } = this.#parts;
    const own = { 'user-agent': 'holt', ...headers };
    const given = await login?.authorization();
    const withToken = given === undefined ? own : { ...own, authorization: given };
    try {
      await this.#openAs(withToken);
    } catch (error) {
      const refused = this.#refused;
      if (login === undefined || refused === undefined || !asksForLogin(refused)) throw error;
      await this.#openAs({ ...own, authorization: await login.renew(given, refused) });
    }
  }

  async #openAs(headers: Record<string, string>): Promise<void> {
    await this.#open(headers, ['mcp']).catch((error: unknown) => {
      // Servers may omit the subprotocol from their response; only the `ws` library requires it.
      if (!(error instanceof Error) || error.message !== 'Server sent no subprotocol') throw error;
      this.onwarning?.('no-subprotocol', 'the server does not name the subprotocol mcp');
      return this.#open(headers, []);
    });
  }

  async #open(headers: Record<string, string>, protocols: readonly string[]): Promise<WebSocket> {
    const wire = await this.#parts.remote.dial(this.#url, this.#dialing.signal);
    return await new Promise((resolve, reject) => {
      const socket = this.#upgrade(wire, headers, protocols);
      const abort = (): void => socket.terminate();
      this.#dialing.signal.addEventListener('abort', abort, { once: true });
      socket.once('unexpected-response', (request, response) => {
        reject(this.#refusal(response));
        request.destroy();
      });
      socket.once('open', () => {
        this.#dialing.signal.removeEventListener('abort', abort);
        this.#socket = socket;
        this.#watchWire(wire, socket);
        this.#listen(socket);
        resolve(socket);
      });
      socket.on('error', (error) => {
        const known = /subprotocol/.test(error.message) ? error : this.#explain(error);
        reject(known);
        void this.#finish({ reason: known.message, cause: known }, socket);
      });
    });
  }

  #upgrade(wire: Socket, headers: Record<string, string>, protocols: readonly string[]): WebSocket {
    try {
      return new WebSocket(this.#url, [...protocols], {
        headers,
        createConnection: () => wire,
        maxPayload: this.#parts.limits.messageBytes,
        perMessageDeflate: false,
        followRedirects: false,
      });
    } catch (error) {
      wire.destroy();
      throw error;
    }
  }

  #listen(socket: WebSocket): void {
    this.#keepAlive(socket);
    socket.on('message', (data: Buffer) => this.#receive(data, socket));
    socket.on('close', (code, reason) => {
      const cause = new TransportFailure({
        kind: 'closed',
        code,
        reason: reason.toString() || 'by the server',
      });
      void this.#finish({ exitCode: code, reason: cause.message, cause }, socket);
    });
  }

  /** Counts the bytes of incomplete frames, which the `ws` library does not expose. */
  #watchWire(wire: Socket, socket: WebSocket): void {
    this.#source.attach({ pause: () => socket.pause(), resume: () => socket.resume() });
    // Runs before the library's own listener, because that listener emits complete frames synchronously.
    wire.prependListener('data', (chunk: Buffer) => {
      if (this.ending !== undefined) return;
      this.#partialBytes += chunk.length;
      this.#lastChunkBytes = chunk.length;
      this.#source.hold(this.#partialBytes);
    });
  }

  #receive(data: Buffer, socket: WebSocket): void {
    if (this.ending !== undefined) return;
    // The remainder is part of the last chunk. Fragmented frames and pings have more header bytes than are
    // counted here.
    const left = this.#partialBytes - data.length - frameHeaderBytes(data.length);
    this.#partialBytes = Math.max(0, Math.min(left, this.#lastChunkBytes));
    this.#source.hold(this.#partialBytes);
    const structure = structureOf(data);
    const excess = structureExcess(structure, this.#parts.limits);
    if (excess !== undefined) {
      const cause = excessFailure(excess, this.#parts.limits);
      void this.#finish({ reason: cause.message, cause }, socket);
      socket.terminate();
      return;
    }
    this.#read(data.toString('utf8'), { bytes: data.length, nodes: structure.count });
  }

  #read(text: string, received: Received): void {
    try {
      const parsed: unknown = JSON.parse(text);
      const extra = { receipt: this.#parts.account.receive(received) };
      for (const message of Array.isArray(parsed) ? (parsed as unknown[]) : [parsed])
        this.#deliver(message, extra);
    } catch (error) {
      this.onwarning?.('unreadable-message', 'the server sent a frame that is not JSON');
      this.onerror?.(error as Error); // JSON.parse throws Errors
    }
  }

  #deliver(message: unknown, extra: MessageExtra): void {
    if (
      typeof message === 'object' &&
      message !== null &&
      'jsonrpc' in message &&
      message.jsonrpc === '2.0'
    ) {
      this.onmessage?.(message as JSONRPCMessage, extra); // its fields are validated by the code that reads them
    } else this.onwarning?.('unreadable-message', 'the server sent a frame that is not JSON-RPC');
  }

  #explain(error: Error): Error {
    const code = 'code' in error ? error.code : undefined;
    if (code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') {
      return excessFailure('bytes', this.#parts.limits, error);
    }
    return explainBreak(error, this.#url.host);
  }

  #refusal({ statusCode = 0, headers }: IncomingMessage): Error {
    const { location } = headers;
    this.#refused = { status: statusCode, wwwAuthenticate: headers['www-authenticate'] ?? null };
    if (statusCode >= 300 && statusCode < 400 && location !== undefined) {
      const to = URL.canParse(location, this.#url.href)
        ? new URL(location, this.#url).origin
        : 'an invalid address';
      return new NetworkFailure({ kind: 'redirect-refused', to, reason: 'an upgrade is never sent on' });
    }
    if (statusCode !== 429 && statusCode !== 503)
      return new TransportFailure({ kind: 'http-status', status: statusCode, body: '' });
    const retryAfterMs = readRetryAfter(
      { retryAfter: headers['retry-after'] ?? null, date: headers.date ?? null },
      this.#parts.wallNow(),
    );
    const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
    return new NetworkFailure({ kind: 'rate-limited', host: this.#url.host, status: statusCode, ...wait });
  }

  #keepAlive(socket: WebSocket): void {
    const { clock, pingMs = 30_000 } = this.#parts;
    const answered = (): void => {
      this.#cancelPing();
      this.#cancelPing = clock.setTimer(pingMs, ask, { background: true });
    };
    const lost = (): void => {
      // A paused socket cannot deliver the pong.
      if (this.#source.isPaused) return answered();
      const cause = new NetworkFailure({ kind: 'lost', host: this.#url.host, code: 'no answer to a ping' });
      void this.#finish({ reason: cause.message, cause }, socket);
      socket.terminate();
    };
    const ask = (): void => {
      this.#cancelPing = clock.setTimer(pingMs / 3, lost, { background: true });
      socket.ping();
    };
    socket.on('pong', answered);
    answered();
  }

  /** Ends the transport once. Ignores events from a socket that was replaced. */
  async #finish(end: TransportEnd, from?: WebSocket): Promise<void> {
    if (this.ending !== undefined || (from !== undefined && from !== this.#socket)) return;
    this.ending = end;
    this.#source.end();
    this.#cancelPing();
    this.#dialing.abort(end.cause ?? new TransportFailure({ kind: 'closed', reason: 'by holt' }));
    this.opening.reject(end.cause ?? new TransportFailure({ kind: 'closed', reason: 'by holt' }));
    this.onclose?.();
    await this.#parts.remote.close();
  }
}

/** Size of the header of an unfragmented server frame with a payload of `length` bytes. */
function frameHeaderBytes(length: number): number {
  if (length < 126) return 2;
  return length < 1 << 16 ? 4 : 10;
}

/** Shorter messages have too little structure to matter. */
const countedBytes = 4 << 10;

function structureOf(data: Buffer): StructureCount {
  const structure = new StructureCount();
  if (data.length >= countedBytes) structure.add(data);
  return structure;
}
