/**
 * Opens a connection to a host: TCP with a race between its addresses, a proxy tunnel if one is configured,
 * and TLS on top. Every failure names the step that failed.
 */

import http from 'node:http';
import net, { type LookupFunction, type Socket } from 'node:net';
import tls, { type SecureContext } from 'node:tls';

import type { Clock } from '../platform/clock.ts';
import { linkSignal, type LinkedSignal } from '../platform/waits.ts';
import { type ProxyChoice, proxyAuthorization } from './choose-proxy.ts';
import { blameProxy, explainDialing } from './explain-error.ts';
import { NetworkFailure } from './network-failure.ts';
import { bareHost, defaultPort } from './no-proxy.ts';

export interface DialParts {
  readonly clock: Clock;
  readonly lookup: LookupFunction;
  /** Limit for the whole connection, including DNS and TLS handshakes. */
  readonly timeoutMs: number;
  /**
   * How long to wait before the next address of a host is tried.
   * Node's 250 ms are too short for some networks.
   */
  readonly attemptMs: number;
  readonly connector?: Connector;
}

export type Connector = (options: net.TcpNetConnectOpts) => Socket;

/** Decides whether a connection to `host` may use `address`. */
export type AdmitAddress = (address: string, host: string) => boolean;

export interface Way {
  readonly url: URL;
  readonly proxy: ProxyChoice | undefined;
  readonly context: () => SecureContext | undefined;
  /** CA certificates for an https proxy, without the client certificate. */
  readonly proxyContext: () => SecureContext | undefined;
  readonly signal: AbortSignal;
  readonly admits?: AdmitAddress | undefined;
}

export async function dial(way: Way, parts: DialParts): Promise<Socket> {
  const { url, proxy, context, signal } = way;
  const limit = startLimit(signal, parts);
  const secure = url.protocol === 'https:' || url.protocol === 'wss:';
  try {
    refuseLiteral(way);
    const guarded = { ...parts, lookup: admittedLookup(way, parts) };
    const socket =
      proxy === undefined ? await connect(url, limit, guarded) : await openTunnel(way, proxy, limit, parts);
    return secure ? await secureSocket(socket, url, context(), limit) : socket;
  } catch (error) {
    if (signal.aborted) throw error;
    throw explainDialing(error, { host: url.host, timeoutMs: parts.timeoutMs });
  } finally {
    limit.release();
  }
}

/** Connects to a proxy that forwards plain http itself. */
export async function dialProxy(way: Way, proxy: ProxyChoice, parts: DialParts): Promise<Socket> {
  const limit = startLimit(way.signal, parts);
  try {
    refuseLiteral(way);
    return await connectProxy(way, proxy, limit, parts);
  } finally {
    limit.release();
  }
}

async function connectProxy(
  way: Way,
  proxy: ProxyChoice,
  limit: LinkedSignal,
  parts: DialParts,
): Promise<Socket> {
  try {
    const socket = await connect(proxy.url, limit, parts);
    return proxy.url.protocol === 'https:'
      ? await secureSocket(socket, proxy.url, way.proxyContext(), limit)
      : socket;
  } catch (error) {
    if (way.signal.aborted) throw error;
    throw blameProxy(explainDialing(error, { host: proxy.url.host, timeoutMs: parts.timeoutMs }), proxy);
  }
}

function startLimit(outer: AbortSignal, { clock, timeoutMs }: DialParts): LinkedSignal {
  return linkSignal(outer, {
    ms: timeoutMs,
    clock,
    reason: () => Object.assign(new Error('timed out'), { code: 'ETIMEDOUT' }),
  });
}

/** Checks a literal address here, because it is never looked up and so never reaches `admittedLookup`. */
function refuseLiteral({ url, admits }: Way): void {
  const host = bareHost(url.hostname);
  if (admits === undefined || net.isIP(host) === 0 || admits(host, url.hostname)) return;
  throw refusedAddress(url.host);
}

/** Filters the results of the lookup itself, so that the addresses checked are the addresses connected to. */
function admittedLookup({ url, admits }: Way, { lookup }: DialParts): LookupFunction {
  if (admits === undefined) return lookup;
  return (host, options, answer) => {
    lookup(host, options, (error, address, family) => {
      if (error !== null) return answer(error, address, family);
      const all = typeof address === 'string' ? [{ address, family: family ?? 4 }] : address;
      const good = all.filter((one) => admits(one.address, url.hostname));
      const [first] = good;
      if (first === undefined) return answer(refusedAddress(url.host), []);
      if (typeof address === 'string') answer(null, first.address, first.family);
      else answer(null, good);
    });
  };
}

function refusedAddress(host: string): NetworkFailure {
  const reason = 'it is not a public address, and the server is not there itself';
  return new NetworkFailure({ kind: 'address-refused', host, reason });
}

function connect(url: URL, limit: LinkedSignal, parts: DialParts): Promise<Socket> {
  const { lookup, attemptMs, connector = net.connect } = parts;
  const host = bareHost(url.hostname);
  const port = Number(url.port === '' ? defaultPort(url.protocol) : url.port);
  const open = (): Socket =>
    connector({
      host,
      port,
      lookup,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: attemptMs,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: 15_000,
    });
  return settled(open, 'connect', limit);
}

function secureSocket(
  socket: Socket,
  url: URL,
  context: SecureContext | undefined,
  limit: LinkedSignal,
): Promise<Socket> {
  const host = bareHost(url.hostname);
  const open = (): Socket =>
    tls.connect({
      socket,
      host,
      ...(net.isIP(host) === 0 ? { servername: host } : {}),
      ...(context === undefined ? {} : { secureContext: context }),
      ALPNProtocols: ['http/1.1'],
      // Set explicitly, so that no environment variable can disable it.
      rejectUnauthorized: true,
    });
  return settled(open, 'secureConnect', limit);
}

/** Resolves with the socket once it is ready. Destroys the socket and rejects on an error or at the limit. */
function settled(
  open: () => Socket,
  ready: 'connect' | 'secureConnect',
  { signal }: LinkedSignal,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error); // always an Error here
    const socket = open();
    const abort = (): void => void socket.destroy(signal.reason as Error); // always an Error here
    const done = (): void => {
      signal.removeEventListener('abort', abort);
      socket.off('error', fail).off('close', closed).off(ready, succeed);
    };
    const succeed = (): void => {
      done();
      resolve(socket);
    };
    const fail = (error: Error): void => {
      done();
      // A second error on an abandoned socket must not crash the process.
      socket.on('error', ignore).destroy();
      reject(error);
    };
    const closed = (): void =>
      fail(Object.assign(new Error('closed before it was ready'), { code: 'ECONNRESET' }));
    socket.once(ready, succeed).once('error', fail).once('close', closed);
    signal.addEventListener('abort', abort, { once: true });
  });
}

function ignore(): void {
  // No caller waits for this socket any more.
}

async function openTunnel(
  way: Way,
  proxy: ProxyChoice,
  limit: LinkedSignal,
  parts: DialParts,
): Promise<Socket> {
  const socket = await connectProxy(way, proxy, limit, parts);
  const port = way.url.port === '' ? defaultPort(way.url.protocol) : way.url.port;
  const fail = (error: unknown): Error =>
    way.signal.aborted
      ? (error as Error)
      : blameProxy(explainDialing(error, { host: proxy.url.host, timeoutMs: parts.timeoutMs }), proxy); // sockets reject with Errors only
  const status = await askForTunnel(socket, `${way.url.hostname}:${port}`, proxy, limit).catch(
    (error: unknown) => {
      socket.on('error', ignore).destroy();
      throw fail(error);
    },
  );
  if (status >= 200 && status < 300) return socket;
  socket.on('error', ignore).destroy();
  const { proxy: name, variable } = proxy;
  if (status === 407) throw new NetworkFailure({ kind: 'proxy-auth', proxy: name, variable });
  throw new NetworkFailure({ kind: 'proxy-refused', proxy: name, variable, status, host: way.url.host });
}

function askForTunnel(
  socket: Socket,
  target: string,
  proxy: ProxyChoice,
  { signal }: LinkedSignal,
): Promise<number> {
  const authorization = proxyAuthorization(proxy);
  return new Promise((resolve, reject) => {
    const request = http.request({
      method: 'CONNECT',
      path: target,
      createConnection: () => socket,
      headers: {
        host: target,
        ...(authorization === undefined ? {} : { 'proxy-authorization': authorization }),
      },
      signal,
    });
    request.once('connect', (response, _, head) => {
      if (head.length > 0) socket.unshift(head);
      resolve(response.statusCode ?? 0);
    });
    request.once('error', reject);
    request.end();
  });
}
