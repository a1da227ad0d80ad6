/**
 * fetch for one origin: its headers go only there, redirects stay within it, responses have a size limit, and
 * every failure is named. The listener on a request's signal is removed when the response ends, so that none
 * pile up.
 */

import { type Dispatcher, fetch as undiciFetch } from 'undici/index.js';

import { type ProxyChoice, proxyAuthorization } from './choose-proxy.ts';
import { requestDirectly } from './direct-request.ts';
import { blameProxy, explainBreak } from './explain-error.ts';
import { createMessageMeter, type MessageLimits } from './message-meter.ts';
import { excessFailure, findNetworkFailure, NetworkFailure } from './network-failure.ts';
import type { ReceiveSource } from './receive-budget.ts';
import { decideRedirect } from './redirect-policy.ts';
import type { WaitingList } from './retry-after.ts';
import { createRecord, watchedDispatcher } from './watch-response.ts';
import { linkSignal } from '../platform/waits.ts';

/** How requests to one URL leave this machine. */
export interface Route {
  readonly dispatcher: Dispatcher;
  readonly proxy: ProxyChoice | undefined;
  /** True if the proxy forwards plain http instead of opening a tunnel. */
  readonly forward: boolean;
}

export interface FetchHooks {
  /**
   * Receives a function that aborts this request, once the request is under way. Much cheaper than a signal.
   */
  readonly onAbortable?: (abort: () => void) => void;
  /** The caller reads the response only as text, JSON or an event stream. This is several times cheaper. */
  readonly direct?: boolean;
  /** Where the bytes of the response are counted as received. */
  readonly source?: ReceiveSource;
  /** Called when the response has been read completely, has failed or was aborted. */
  readonly onEnd?: (failure: NetworkFailure | undefined) => void;
}

export type RemoteFetch = (url: string | URL, init?: RequestInit, hooks?: FetchHooks) => Promise<Response>;

export interface RemoteFetchParts {
  readonly routeOf: (url: URL) => Route;
  readonly waiting: WaitingList;
}

interface FetchTarget {
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly limits: MessageLimits;
}

export function createRemoteFetch(target: FetchTarget, parts: RemoteFetchParts): RemoteFetch {
  return async (given, init = {}, hooks = {}) => {
    const method = (init.method ?? 'GET').toUpperCase();
    let url = new URL(given);
    for (let followed = 0; ; followed += 1) {
      const response = await once(url, { ...init, method }, { target, parts, hooks });
      const verdict = decideRedirect({
        method,
        from: url,
        status: response.status,
        location: response.headers.get('location'),
        followed,
      });
      if (verdict.kind === 'none') return response;
      await response.body?.cancel();
      if (verdict.kind === 'refuse')
        throw new NetworkFailure({ kind: 'redirect-refused', to: verdict.to, reason: verdict.reason });
      url = verdict.to;
    }
  };
}

interface Scene {
  readonly target: FetchTarget;
  readonly parts: RemoteFetchParts;
  readonly hooks: FetchHooks;
}

async function once(url: URL, init: RequestInit, { target, parts, hooks }: Scene): Promise<Response> {
  const place = `${url.origin}${url.pathname}`;
  const remaining = parts.waiting.remainingMs(place);
  if (remaining > 0)
    throw new NetworkFailure({ kind: 'rate-limited', host: url.host, status: 429, retryAfterMs: remaining });
  const route = parts.routeOf(url);
  const outer = init.signal ?? undefined;
  const link = outer === undefined ? undefined : linkSignal(outer);
  let status = 0;
  const explain = (error: unknown): NetworkFailure => explainFor(error, url, route, status);
  const onEnd = (error?: unknown): void => {
    link?.release();
    const isOurs = link?.signal.aborted === true && findNetworkFailure(error) === undefined;
    hooks.onEnd?.(error === undefined || isOurs ? undefined : explain(error));
  };
  const dispatcher = watchedDispatcher(
    route.dispatcher,
    {
      limits: target.limits,
      source: hooks.source,
      onStatus: (given) => (status = given),
      onAbortable: hooks.onAbortable,
      onEnd,
    },
    forwarding(route),
  );
  let response: Response;
  try {
    const headers = withOwnHeaders(url, init, target);
    const isDirect = hooks.direct === true && isStraight(url, route);
    response = await send({ url, headers, signal: link?.signal, isDirect }, init, dispatcher);
  } catch (error) {
    link?.release();
    throw link?.signal.aborted === true && findNetworkFailure(error) === undefined ? error : explain(error);
  }
  const unfolding = { limits: target.limits, source: hooks.source, onEnd };
  return refuseUnusable(limitDecoded(response, unfolding), {
    url,
    place,
    waiting: parts.waiting,
  });
}

interface Outgoing {
  readonly url: URL;
  readonly headers: Record<string, string>;
  readonly signal: AbortSignal | undefined;
  readonly isDirect: boolean;
}

function send(
  { url, headers, signal, isDirect }: Outgoing,
  init: RequestInit,
  dispatcher: Pick<Dispatcher, 'dispatch'>,
): Promise<Response> {
  const { method = 'GET', body } = init;
  if (isDirect && signal === undefined && typeof body === 'string')
    return requestDirectly(dispatcher, { url, method, headers, body });
  // undici's own fetch and Node's built-in one use the same shapes under different type names.
  return undiciFetch(url, {
    ...init,
    headers,
    redirect: 'manual',
    signal: signal ?? null,
    dispatcher,
  } as never);
}

/** True if neither the URL nor the route needs special handling by fetch. */
function isStraight({ username, password }: URL, { forward }: Route): boolean {
  return !forward && username === '' && password === '';
}

function explainFor(error: unknown, url: URL, { proxy, forward }: Route, status: number): NetworkFailure {
  const failure = explainBreak(error, url.host);
  if (proxy === undefined || !forward || failure.problem.kind !== 'lost') return failure;
  // fetch turns this status into a failure of its own.
  const { proxy: name, variable } = proxy;
  if (status === 407) return new NetworkFailure({ kind: 'proxy-auth', proxy: name, variable }, error);
  // With a forwarding proxy, the only connection is the one to the proxy.
  return blameProxy(failure, proxy);
}

/** Returns a plain object, because undici reads it faster than another implementation's `Headers`. */
function withOwnHeaders(
  url: URL,
  { headers: given }: RequestInit,
  target: FetchTarget,
): Record<string, string> {
  const headers: Record<string, string> = { 'user-agent': 'holt' };
  const own = url.origin === target.origin ? target.headers : {};
  for (const [name, value] of Object.entries(own)) headers[name.toLowerCase()] = value;
  for (const [name, value] of given instanceof Headers ? given : new Headers(given)) headers[name] = value;
  return headers;
}

/** Sends a forwarding proxy the full URL and its own credentials, which servers never see. */
function forwarding({
  proxy,
  forward,
}: Route): (options: Dispatcher.DispatchOptions) => Dispatcher.DispatchOptions {
  if (proxy === undefined || !forward) return (options) => options;
  const authorization = proxyAuthorization(proxy);
  return (options) => ({
    ...options,
    origin: proxy.url.origin,
    path: `${String(options.origin)}${options.path}`,
    headers: {
      ...(options.headers as Record<string, string>), // fetch passes an object
      host: new URL(String(options.origin)).host,
      ...(authorization === undefined ? {} : { 'proxy-authorization': authorization }),
    },
  });
}

interface Unfolding {
  readonly limits: MessageLimits;
  readonly source: ReceiveSource | undefined;
  readonly onEnd: (error: Error) => void;
}

/** Measures a compressed response again after decompression: a small response may expand to a huge one. */
function limitDecoded(response: Response, { limits, source, onEnd }: Unfolding): Response {
  if (response.headers.get('content-encoding') === null || response.body === null) return response;
  const kind =
    response.headers.get('content-type')?.startsWith('text/event-stream') === true ? 'events' : 'body';
  const meter = createMessageMeter(limits, kind);
  const record = source === undefined ? undefined : createRecord(source, meter);
  let goOn: (() => void) | undefined;
  source?.attach({ pause: () => undefined, resume: () => goOn?.() });
  const mayGoOn = async (): Promise<void> => {
    if (source?.isPaused === true) await new Promise<void>((resolve) => (goOn = resolve));
  };
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      const excess = meter.count(chunk);
      record?.(chunk.byteLength);
      if (excess === undefined) {
        controller.enqueue(chunk);
        return mayGoOn();
      }
      const failure = excessFailure(excess, limits);
      source?.end();
      onEnd(failure);
      controller.error(failure);
      return undefined;
    },
    flush: () => source?.end(),
  });
  return new Response(response.body.pipeThrough(counting), response);
}

interface Answered {
  readonly url: URL;
  readonly place: string;
  readonly waiting: WaitingList;
}

async function refuseUnusable(response: Response, { url, place, waiting }: Answered): Promise<Response> {
  const { status, headers } = response;
  if (status !== 429 && status !== 503) return response;
  await response.body?.cancel();
  const retryAfterMs = waiting.hold(place, {
    retryAfter: headers.get('retry-after'),
    date: headers.get('date'),
  });
  throw new NetworkFailure({
    kind: 'rate-limited',
    host: url.host,
    status,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}
