/**
 * fetch for URLs that come from a server and not from the user. It allows only https or this machine, no
 * access from the internet to private networks, and small responses within a time limit. It refuses an
 * address before connecting to it.
 */

import type { Clock } from '../platform/clock.ts';
import { classifyAddress, classifyHost, type AddressClass } from './address-class.ts';
import type { TlsFiles } from './tls-files.ts';
import type { Network } from './create-network.ts';
import { findNetworkFailure, NetworkFailure } from './network-failure.ts';

export interface GuardedFetchParts {
  readonly network: Network;
  readonly clock: Clock;
  /**
   * The URL that the user configured. Addresses of the same class are allowed,
   * and its origin receives the client certificate.
   */
  readonly serverUrl: URL;
  readonly tls?: TlsFiles | undefined;
  /** Limit for one request including its response body, in milliseconds. Default: 30 s. */
  readonly timeoutMs?: number;
  /** Default: 1 MiB. */
  readonly maxBytes?: number;
  /** Aborts every request. */
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
  /**
   * Records that the server answered from the address it was dialled at; over TLS that proves its identity.
   */
  prove(): void;
}

/**
 * Any server may refer us to public addresses. Only a server that is itself on this machine or in a private
 * network may refer us to addresses there: by its literal address or, for private networks, because it has
 * just answered from such an address. A name alone proves nothing, since its owner can point it anywhere.
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

/**
 * These requests carry passwords, codes and tokens, which must not cross a connection that others can read.
 */
export function isSafeScheme(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && classifyHost(url.hostname) === 'loopback');
}

function checkScheme(url: URL): void {
  if (isSafeScheme(url) && url.username === '' && url.password === '') return;
  const reason = isSafeScheme(url) ? 'it carries credentials' : 'only https is safe there';
  throw new NetworkFailure({ kind: 'address-refused', host: url.host, reason });
}

/** Reads the response with its body, so that the time limit also covers a slow body. */
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

/** Removes the headers that describe the compressed body, because the body is already decompressed. */
function plain(headers: Headers): Headers {
  const copy = new Headers(headers);
  copy.delete('content-encoding');
  copy.delete('content-length');
  return copy;
}
