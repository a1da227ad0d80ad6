/** Finds the route for a request. */

import { routes, type RouteKey } from '../contract.ts';
import { Refusal } from '../status-codes.ts';

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
