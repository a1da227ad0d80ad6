/** Finds the route for a request, and defines its handler: it gets validated input and returns what the contract specifies. */

import type { HttpStream } from '../../platform/listeners/http-server.ts';
import {
  type AnswerOf,
  type BodyOf,
  type PathParams,
  type QueryOf,
  type RouteKey,
  type Routes,
  routes,
  type TokenScope,
} from '../contract.ts';
import { valuesOf } from '../access/origins.ts';
import { Refusal } from '../status-codes.ts';

export interface RouteCall<Key extends RouteKey> {
  readonly params: Readonly<Record<PathParams<Key>, string>>;
  readonly query: QueryOf<Routes[Key]>;
  readonly body: BodyOf<Routes[Key]>;
  readonly headers: readonly (readonly [string, string])[];
  readonly scopes: ReadonlySet<TokenScope>;
  /** Aborted when the client disconnects, or when a closing service cannot wait any longer. */
  readonly signal: AbortSignal;
}

/** An answer that is sent in parts. */
export class Streamed {
  readonly run: (stream: HttpStream) => Promise<void>;

  constructor(run: (stream: HttpStream) => Promise<void>) {
    this.run = run;
  }
}

export type Handler<Key extends RouteKey> = (
  call: RouteCall<Key>,
) => AnswerOf<Routes[Key]> | Streamed | Promise<AnswerOf<Routes[Key]> | Streamed>;

export type Handlers = { readonly [Key in RouteKey]: Handler<Key> };

export function headerOf(
  { headers }: Pick<RouteCall<RouteKey>, 'headers'>,
  name: string,
): string | undefined {
  return valuesOf(headers, name)[0];
}

export interface Found {
  readonly key: RouteKey;
  readonly params: Readonly<Record<string, string>>;
}

const table = (Object.keys(routes) as RouteKey[]).map((key) => {
  const [method = '', path = ''] = key.split(' ');
  return { key, method, parts: path.split('/') };
}); // exactly these keys

/** Monitoring tools often send HEAD to check the status. No other route supports it. */
function methodFor(method: string, path: string): string {
  return method === 'HEAD' && path === '/health' ? 'GET' : method;
}

/**
 * Throws `Refusal` with `route-unknown`, `method-refused` or, for a badly encoded parameter,
 * `request-malformed`. Path segments are compared as they are written.
 */
export function findRoute(method: string, path: string): Found {
  const parts = path.split('/');
  const fitting = table.filter((row) => fits(row.parts, parts));
  // A literal segment takes precedence over a parameter.
  const rows = fitting.toSorted((left, right) => blanks(left.parts) - blanks(right.parts));
  const row = rows.find((candidate) => candidate.method === methodFor(method, path));
  if (rows.length === 0) throw new Refusal('route-unknown');
  if (row === undefined) throw new Refusal('method-refused');
  const params = row.parts.flatMap((part, index) =>
    part.startsWith(':') ? [[part.slice(1), decode(parts[index] ?? '')] as const] : [],
  );
  return { key: row.key, params: Object.fromEntries(params) };
}

function fits(pattern: readonly string[], parts: readonly string[]): boolean {
  return (
    pattern.length === parts.length &&
    pattern.every((part, index) => (part.startsWith(':') ? parts[index] !== '' : part === parts[index]))
  );
}

function blanks(pattern: readonly string[]): number {
  return pattern.filter((part) => part.startsWith(':')).length;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Refusal('request-malformed');
  }
}
