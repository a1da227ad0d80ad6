/** What a connection needs from a transport beyond the SDK's `Transport`, and the failures of transports. */

import type { JSONRPCMessage, MessageExtraInfo, Transport } from '@modelcontextprotocol/client';

import type { Receipt } from '../network/receive-budget.ts';

/** How a transport ended, for display to users. */
export interface TransportEnd {
  /** Exit code of a program; close code of a remote server. */
  readonly exitCode?: number | null;
  readonly signal?: string | null;
  readonly reason?: string;
  /**
   * Set when a program ended without reading the first message it was sent, so that message did not cause the
   * exit.
   */
  readonly unheard?: true;
  /** The error that broke the transport. Unset when it ended by itself or was closed on request. */
  readonly cause?: Error;
}

/** An authorization header that the server's config entry defines. */
export interface OwnHeader {
  readonly name: string;
  /** The config file that contains the entry; empty if the entry comes from no file. */
  readonly file: string;
}

/** What a transport reports with a message. */
export interface MessageExtra extends MessageExtraInfo {
  /** Records the message's size on the wire. */
  readonly receipt?: Receipt;
}

export interface ServerTransport extends Transport {
  onmessage?: ((message: JSONRPCMessage, extra?: MessageExtra) => void) | undefined;
  /**
   * Resolves on the first JSON-RPC message of a program, an open socket, or the first HTTP response. This
   * ends the `connecting` phase. Rejects if the transport closes before that.
   */
  readonly opened: Promise<void>;
  /** Returns the last lines that a program wrote to stderr; empty for remote servers. */
  stderrTail(lines: number): string;
  /** Set once the transport is closed. */
  readonly end: TransportEnd | undefined;
  /** The process id of a program; undefined for remote servers. */
  readonly processId: number | undefined;
  /** Set when the entry defines its own authorization header. Stored logins are not sent then. */
  ownHeader?: OwnHeader | undefined;
  /** Set when the entry disables logging in. */
  forbidsLogin?: { readonly file: string } | undefined;
  /** Receives warnings: noise on stdout, dropped messages, repaired lists. */
  onwarning?: ((code: string, message: string) => void) | undefined;
}

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
