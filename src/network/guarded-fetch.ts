/**
 * fetch for addresses that a server told us and nobody here wrote: https or this machine, no way from the internet into
 * private networks, small answers, and not for ever. What is refused is refused before a connection is made.
 */

import type { Clock } from '../platform/clock.ts';
import { classifyAddress, classifyHost, type AddressClass } from './address-class.ts';
import type { TlsFiles } from './tls-files.ts';
import type { Network } from './create-network.ts';
import { findNetworkFailure, NetworkFailure } from './network-failure.ts';

export interface GuardedFetchParts {
  readonly network: Network;
  readonly clock: Clock;
  /** What the user wrote: its own kind of address is allowed, and its certificates are shown to it. */
  readonly serverUrl: URL;
  readonly tls?: TlsFiles | undefined;
  /** For one request with its answer; 30 s when left out. */
  readonly timeoutMs?: number;
  /** 1 MiB when left out. */
  readonly maxBytes?: number;
  /** Ends all of it. */
  readonly signal?: AbortSignal | undefined;
}

export interface GuardedFetch {
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
  close(): Promise<void>;
}

const usualTimeoutMs = 30_000;
const usualBytes = 1 << 20;

export function createGuardedFetch(parts: GuardedFetchParts): GuardedFetch {
  const { network, serverUrl, tls, maxBytes = usualBytes } = parts;
  const neighbours = createNeighbours(serverUrl);
  const remote = network.open({
    origin: serverUrl.origin,
    headers: {},
    tls,
    messageBytes: maxBytes,
    admits: neighbours.admits,
  });
  const ask = async (url: URL, init: RequestInit): Promise<Response> => {
    const response = await whole(parts, init.signal ?? undefined, (signal) =>
      remote.fetch(url, { ...init, signal }),
    );
    if (url.origin === serverUrl.origin) neighbours.prove();
    return response;
  };
  return {
    fetch: async (given, init = {}) => {
      const url = new URL(given);
      checkScheme(url);
      try {
        return await ask(url, init);
      } catch (error) {
        if (findNetworkFailure(error)?.problem.kind !== 'address-refused' || neighbours.isProven) throw error;
        if (!isSafeScheme(serverUrl)) throw error;
        await ask(new URL('/', serverUrl), { signal: init.signal ?? null }).catch(() => undefined);
        if (!neighbours.isProven) throw error;
        return ask(url, init);
      }
    },
    close: () => remote.close(),
  };
}

interface Neighbours {
  readonly admits: (address: string, host: string) => boolean;
  readonly isProven: boolean;
  /** The server has answered from where it was dialled, and over TLS that is proof of who it is. */
  prove(): void;
}

/**
 * Everybody may be led to public addresses. This machine and private networks are reached only from a server that is
 * there itself: by its literal address, or, for private ones, because it has just answered from such an address. A name
 * alone proves nothing, since whoever owns it may let it point anywhere.
 */
function createNeighbours(serverUrl: URL): Neighbours {
  const own = classifyHost(serverUrl.hostname);
  const dialled = new Set<AddressClass>();
  let isProven = false;
  return {
    admits: (address, host) => {
      const found = classifyAddress(address);
      if (own === undefined && host === serverUrl.hostname) {
        dialled.add(found);
        return found === 'public' || found === 'private';
      }
      if (found === 'public') return true;
      return own === undefined ? found === 'private' && isProven : found === own && found !== 'reserved';
    },
    get isProven() {
      return isProven;
    },
    prove: () => {
      isProven = dialled.size === 1 && dialled.has('private');
    },
  };
}

/** Passwords, codes and tokens go along: nothing of it over a wire that others can read. */
export function isSafeScheme(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && classifyHost(url.hostname) === 'loopback');
}

function checkScheme(url: URL): void {
  if (isSafeScheme(url) && url.username === '' && url.password === '') return;
  const reason = isSafeScheme(url) ? 'it carries credentials' : 'only https is safe there';
  throw new NetworkFailure({ kind: 'address-refused', host: url.host, reason });
}

/** The answer with its body, so that the limit holds for the slowest part of it too. */
async function whole(
  { clock, timeoutMs = usualTimeoutMs, signal: outer }: GuardedFetchParts,
  own: AbortSignal | undefined,
  ask: (signal: AbortSignal) => Promise<Response>,
): Promise<Response> {
  const limit = new AbortController();
  const expire = (): void =>
    limit.abort(
      new NetworkFailure({ kind: 'connect-timeout', host: 'the login server', afterMs: timeoutMs }),
    );
  const cancel = clock.setTimer(timeoutMs, expire);
  const signals = [limit.signal, outer, own].filter((signal) => signal !== undefined);
  try {
    const response = await ask(AbortSignal.any(signals));
    const body = await response.arrayBuffer();
    const empty = [101, 204, 205, 304].includes(response.status);
    return new Response(empty ? null : body, { status: response.status, headers: plain(response.headers) });
  } catch (error) {
    limit.signal.throwIfAborted();
    throw error;
  } finally {
    cancel();
  }
}

/** The body is unfolded already. */
function plain(headers: Headers): Headers {
  const copy = new Headers(headers);
  copy.delete('content-encoding');
  copy.delete('content-length');
  return copy;
}
