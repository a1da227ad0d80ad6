/**
 * Handles every HTTP request: checks Host and Origin, the token, the route and its scope, then the schemas,
 * and runs the route's handler. The order ensures that a client without access learns nothing, not even which
 * routes exist.
 */

import type { HttpReply, HttpRequest } from '../platform/listeners/http-server.ts';
import { routes, type Route, type RouteKey, type TokenScope } from './contract.ts';
import { check, readQuery } from './contract/check.ts';
import { streamHeaders } from './event-feed.ts';
import type { Failures, Tokens } from './access/tokens.ts';
import { findRoute, type Found, type Handler, type Handlers, Streamed } from './handlers/handler.ts';
import { requireJson, requireOwnPage, valuesOf } from './access/origins.ts';
import { Refusal, errorReply } from './status-codes.ts';

export interface AnswerParts {
  readonly handlers: Handlers;
  /** A function, because the hosts are known only once the port is. */
  readonly hosts: () => ReadonlySet<string>;
  readonly tokens: Tokens;
  readonly failures: Failures;
  readonly now: () => number;
  readonly onAnswered: (route: string, status: number, ms: number) => void;
  /** Receives internal errors. Their details are not sent to the client. */
  readonly onFault: (error: unknown) => void;
  /** Aborted when requests that are still running must end. */
  readonly cutOff: AbortSignal;
}

export interface RequestAnswerer {
  readonly onRequest: (request: HttpRequest, reply: HttpReply) => void;
  readonly inFlight: () => number;
  /** Refuses all requests from now on. */
  refuseNew(): void;
}

const limits = { requests: 100, streams: 50, headers: 64, bodyBytes: 4 << 20, bodyMs: 30_000 } as const;

const safetyHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const;

const contentTypes = {
  json: 'application/json; charset=utf-8',
  text: 'text/plain; version=0.0.4; charset=utf-8',
  html: 'text/html; charset=utf-8',
  svg: 'image/svg+xml',
} as const;

/** A request that passed the access checks. */
interface Admitted extends Found {
  readonly request: HttpRequest;
  readonly route: Route;
  readonly scopes: ReadonlySet<TokenScope>;
  readonly search: URLSearchParams;
}

export function createRequestAnswerer(parts: AnswerParts): RequestAnswerer {
  let inFlight = 0;
  let streams = 0;
  let closing = false;

  const answer = async (request: HttpRequest, reply: HttpReply): Promise<string> => {
    // Check access first, so that a page without access does not learn that the service is busy.
    const admitted = admit(request, parts);
    if (closing) throw new Refusal('closing');
    if (inFlight > limits.requests) throw new Refusal('busy');
    const answered = await runHandler(admitted, parts);
    if (!(answered instanceof Streamed)) {
      const kind = contentKind(admitted.route);
      const body = kind === 'json' ? JSON.stringify(answered) : String(answered);
      reply.send(200, { ...safetyHeaders, 'Content-Type': contentTypes[kind] }, body);
      return admitted.key;
    }
    if (streams >= limits.streams) throw new Refusal('busy');
    streams += 1;
    try {
      await answered.run(reply.stream(200, { ...safetyHeaders, ...streamHeaders }));
    } finally {
      streams -= 1;
    }
    return admitted.key;
  };

  const onRequest = async (request: HttpRequest, reply: HttpReply): Promise<void> => {
    const startedAt = parts.now();
    inFlight += 1;
    try {
      const route = await answer(request, reply);
      parts.onAnswered(route, 200, parts.now() - startedAt);
    } catch (error) {
      const status = refuse(error, reply, parts);
      parts.onAnswered('refused', status, parts.now() - startedAt);
    } finally {
      inFlight -= 1;
    }
  };
  return {
    onRequest: (request, reply) => void onRequest(request, reply),
    inFlight: () => inFlight,
    refuseNew: () => {
      closing = true;
    },
  };
}

function contentKind({ kind = 'json' }: Route): keyof typeof contentTypes {
  return kind === 'events' ? 'json' : kind;
}

function refuse(error: unknown, reply: HttpReply, { onFault }: AnswerParts): number {
  const response = errorReply(error);
  if (response.status === 500) onFault(error);
  const headers = {
    ...safetyHeaders,
    'Content-Type': contentTypes.json,
    ...(response.status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}),
    ...(response.status === 429
      ? { 'Retry-After': '60' }
      : response.status === 503
        ? { 'Retry-After': '1' }
        : {}),
    // Part of the request may be unread, so the connection cannot be reused.
    ...(isUnread(response.body.error.code) ? { Connection: 'close' } : {}),
  };
  reply.send(response.status, headers, JSON.stringify(response.body));
  return response.status;
}

function isUnread(code: string): boolean {
  return ['body-too-large', 'request-timeout', 'closing', 'content-type-refused'].includes(code);
}

function admit(request: HttpRequest, { hosts, tokens, failures }: AnswerParts): Admitted {
  if (request.headers.length > limits.headers) throw new Refusal('headers-too-large');
  const [path = '', ...query] = request.target.split('?');
  requireOwnPage(request, hosts(), { isPage: isPage(request.method, path) });
  requireJson(request);
  if (!path.startsWith('/')) throw new Refusal('request-malformed');
  const [authorization, ...others] = valuesOf(request.headers, 'authorization');
  const scopes = others.length > 0 ? undefined : tokens.scopesOf(authorization);
  const found = findOpenRoute(request.method, path) ?? (scopes && findRoute(request.method, path));
  if (found === undefined) throw failures.refuse(authorization);
  const route: Route = routes[found.key];
  const { scope } = route;
  if (scope !== undefined && scopes?.has(scope) !== true)
    throw new Refusal('scope-missing', `it needs ${scope}`);
  return {
    request,
    ...found,
    route,
    scopes: scopes ?? new Set(),
    search: new URLSearchParams(query.join('?')),
  };
}

/** Returns the route if it is one of the few that need no token. */
function findOpenRoute(method: string, path: string): Found | undefined {
  try {
    const found = findRoute(method, path);
    return routes[found.key].scope === undefined ? found : undefined;
  } catch {
    return undefined;
  }
}

/** Whether links on other sites may open this path. */
function isPage(method: string, path: string): boolean {
  const found = findOpenRoute(method, path);
  if (found === undefined) return false;
  const { kind }: Route = routes[found.key];
  return kind === 'html' || kind === 'svg';
}

async function runHandler(admitted: Admitted, { handlers, cutOff }: AnswerParts): Promise<unknown> {
  const { request, route, key, params, scopes, search } = admitted;
  const query =
    route.query === undefined ? undefined : requireFit(route, 'query', readQuery(route.query, search));
  const sent = await readJson(request);
  if (sent !== undefined && route.body === undefined && !isEmptyObject(sent))
    throw new Refusal('request-invalid', 'this route takes no body');
  const whole = sent ?? (route.bodyOptional === true ? {} : undefined);
  const body = route.body === undefined ? undefined : requireFit(route, 'body', whole);
  const handler = handlers[key] as Handler<RouteKey>; // the call below matches this route's schemas
  const signal = AbortSignal.any([request.signal, cutOff]);
  const call = { params, query, body, headers: request.headers, scopes, signal };
  return handler(call as Parameters<Handler<RouteKey>>[0]); // as above
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function requireFit(route: Route, part: 'query' | 'body', value: unknown): unknown {
  const schema = route[part];
  if (schema === undefined) return undefined;
  if (value === undefined) throw new Refusal('request-invalid', `${part}: it is needed`);
  const verdict = check(schema, value);
  if (!verdict.ok) throw new Refusal('request-invalid', verdict.errors.join('; '));
  return value;
}

async function readJson(request: HttpRequest): Promise<unknown> {
  const outcome = await request.body({ maxBytes: limits.bodyBytes, withinMs: limits.bodyMs });
  if (outcome.kind === 'too-large') throw new Refusal('body-too-large');
  if (outcome.kind !== 'body') throw new Refusal('request-timeout');
  if (outcome.bytes.length === 0) return undefined;
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(outcome.bytes));
  } catch {
    throw new Refusal('json-invalid');
  }
}
