/**
 * Outgoing connections: proxies, certificates, address checks and limits.
 * `open` returns a `Remote` for one origin.
 */

import { setMaxListeners } from 'node:events';
import type { LookupFunction, Socket } from 'node:net';

// Import the file, because Bun replaces the package `undici` with its own module, which has no dispatchers.
import { Agent } from 'undici/index.js';

import type { Clock } from '../platform/clock.ts';
import {
  chooseProxy,
  plainOrigin,
  type Environment,
  type NetworkOptions,
  type ProxyChoice,
} from './choose-proxy.ts';
import { dial, dialProxy, type AdmitAddress, type Connector, type DialParts, type Way } from './dial.ts';
import { createLookup } from './lookup.ts';
import { createRemoteFetch, type RemoteFetch, type Route } from './remote-fetch.ts';
import { chooseTlsFiles, createTlsContexts, type TlsFiles } from './tls-files.ts';
import { createWaitingList, type WaitingList } from './retry-after.ts';

export interface NetworkParts {
  readonly env: Environment;
  /** The `network` setting. */
  readonly options: NetworkOptions;
  /** Throws an error with a readable reason when the file cannot be read. */
  readonly readText: (file: string) => string;
  readonly clock: Clock;
  /** The time of day, in milliseconds. */
  readonly wallNow: () => number;
  readonly lookup?: LookupFunction;
  /** Opens the sockets. Tests replace it to see which addresses would be connected to. */
  readonly connector?: Connector;
  /** Limit for DNS, TCP, proxy and TLS together, in milliseconds. Default: 15 s. */
  readonly connectMs?: number;
  /** Limit for each address, in milliseconds. Default: 1.5 s. */
  readonly attemptMs?: number;
}

export interface RemoteTarget {
  /** The only origin that receives the headers. */
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly tls?: TlsFiles | undefined;
  /** The size of the largest accepted message. */
  readonly messageBytes: number;
  /** The most structural characters that a message may have. Default: no limit. */
  readonly messageNodes?: number | undefined;
  /** Checks every address of a host when a connection is made. Default: all addresses are allowed. */
  readonly admits?: AdmitAddress;
}

export interface Remote {
  readonly fetch: RemoteFetch;
  /** Opens a socket to a ws or wss URL. For wss the TLS handshake is complete. */
  dial(url: URL, signal: AbortSignal): Promise<Socket>;
  /** Closes every connection immediately. */
  close(): Promise<void>;
}

export interface Network {
  open(target: RemoteTarget): Remote;
}

export function createNetwork(parts: NetworkParts): Network {
  const { clock, env, options } = parts;
  const shared: Shared = {
    parts,
    contextOf: createTlsContexts(parts),
    waiting: createWaitingList(parts),
    dialing: {
      clock,
      lookup: createLookup(clock, parts.lookup),
      timeoutMs: parts.connectMs ?? 15_000,
      attemptMs: parts.attemptMs ?? 1500,
      ...(parts.connector === undefined ? {} : { connector: parts.connector }),
    },
    proxyOf: remembered((url) => chooseProxy(url, options, env)),
  };
  return { open: (target) => openRemote(target, shared) };
}

interface Shared {
  readonly parts: NetworkParts;
  readonly contextOf: ReturnType<typeof createTlsContexts>;
  readonly waiting: WaitingList;
  readonly dialing: DialParts;
  readonly proxyOf: (url: URL) => ProxyChoice | undefined;
}

/** Caches the proxy per origin: it does not change while the process runs, and every request needs it. */
function remembered(choose: Shared['proxyOf']): Shared['proxyOf'] {
  const known = new Map<string, ProxyChoice | undefined>();
  return (url) => {
    const key = `${url.protocol}//${url.host}`;
    if (!known.has(key)) known.set(key, choose(url));
    return known.get(key);
  };
}

function openRemote(target: RemoteTarget, shared: Shared): Remote {
  const { origin, headers, messageBytes, messageNodes = Number.POSITIVE_INFINITY } = target;
  const own = plainOrigin(new URL(target.origin));
  const ended = new AbortController();
  // Each connection attempt adds a listener to this signal.
  setMaxListeners(0, ended.signal);
  const agents = new Map<string, Agent>();
  const wayTo = (url: URL, signal: AbortSignal): Way => ({
    url,
    proxy: shared.proxyOf(url),
    // The target's TLS files, and so its client certificate, apply only to the target's own origin.
    context: () =>
      shared.contextOf(
        chooseTlsFiles(url, plainOrigin(url) === own ? target.tls : undefined, shared.parts.options),
      ),
    proxyContext: () => shared.contextOf({ caFile: shared.parts.options.caFile }),
    signal,
    admits: target.admits,
  });
  const agentFor = (key: string, open: (url: URL) => Promise<Socket>): Agent => {
    const agent = agents.get(key) ?? createAgent(open);
    agents.set(key, agent);
    return agent;
  };
  const routeOf = (url: URL): Route => {
    const proxy = shared.proxyOf(url);
    if (proxy === undefined || url.protocol === 'https:') {
      return {
        dispatcher: agentFor('direct', (to) => dial(wayTo(to, ended.signal), shared.dialing)),
        proxy,
        forward: false,
      };
    }
    const open = (to: URL): Promise<Socket> => dialProxy(wayTo(to, ended.signal), proxy, shared.dialing);
    return { dispatcher: agentFor(proxy.url.href, open), proxy, forward: true };
  };
  return {
    fetch: createRemoteFetch(
      { origin, headers, limits: { messageBytes, messageNodes } },
      { routeOf, waiting: shared.waiting },
    ),
    dial: (url, signal) => dial(wayTo(url, signal), shared.dialing),
    close: async () => {
      ended.abort();
      await Promise.all([...agents.values()].map((agent) => agent.destroy()));
    },
  };
}

/**
 * Sets no response timeouts, because streams may be silent for hours and calls may take minutes.
 * The callers set their own limits.
 */
function createAgent(open: (url: URL) => Promise<Socket>): Agent {
  return new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 10_000,
    connect: ({ protocol, host, hostname, port }, answer) => {
      const url = new URL(`${protocol}//${host ?? `${hostname}:${port}`}`);
      open(url).then(
        (socket) => answer(null, socket),
        (error: unknown) => answer(error instanceof Error ? error : new Error(String(error)), null),
      );
    },
  });
}
