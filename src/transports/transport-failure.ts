/** Transport errors on a working network: sessions, HTTP statuses, streams and frames. */

export type TransportProblem =
  | { readonly kind: 'session-lost' }
  /** The response stream ended without the response. */
  | { readonly kind: 'answer-lost' }
  | { readonly kind: 'http-status'; readonly status: number; readonly body: string }
  | { readonly kind: 'not-mcp'; readonly reason: string }
  | { readonly kind: 'closed'; readonly code?: number; readonly reason: string };

const brand: unique symbol = Symbol.for('holt.transport-failure') as never;

export class TransportFailure extends Error {
  readonly [brand] = true;
  readonly problem: TransportProblem;

  constructor(problem: TransportProblem, cause?: unknown) {
    super(describe(problem), cause === undefined ? undefined : { cause });
    this.name = 'TransportFailure';
    this.problem = problem;
  }

  static is(value: unknown): value is TransportFailure {
    return value instanceof Error && brand in value;
  }
}

function describe(problem: TransportProblem): string {
  switch (problem.kind) {
    case 'session-lost':
      return 'the server no longer knows the session';
    case 'answer-lost':
      return 'the stream ended before the answer came';
    case 'http-status':
      return `the server answered with status ${problem.status}${excerpt(problem.body)}`;
    case 'not-mcp':
      return `the server does not speak MCP here: ${problem.reason}`;
    case 'closed':
      return `the connection was closed: ${problem.reason}${problem.code === undefined ? '' : ` (${problem.code})`}`;
  }
}

/** Returns a short excerpt of a response body for messages; empty for HTML. */
export function excerpt(body: string): string {
  const text = body.trim();
  if (text === '' || text.startsWith('<')) return '';
  return `: ${text.length > 200 ? `${text.slice(0, 200)}…` : text}`;
}
