/**
 * Names everything that can go wrong between this machine and a server.
 * The server's own errors are not included.
 */

import { maxLevels } from './count-structure.ts';
import { maxUnknownLines, type Excess, type MessageLimits } from './message-meter.ts';

/** A proxy, and the environment variable or setting that selected it. */
export interface NamedProxy {
  /** Without credentials. */
  readonly proxy: string;
  /** `HTTPS_PROXY`, `network.proxy`, … */
  readonly variable: string;
}

export type NetworkProblem =
  | { readonly kind: 'dns'; readonly host: string; readonly code: string }
  | { readonly kind: 'refused'; readonly host: string }
  | { readonly kind: 'unreachable'; readonly host: string; readonly code: string }
  | { readonly kind: 'connect-timeout'; readonly host: string; readonly afterMs: number }
  | { readonly kind: 'lost'; readonly host: string; readonly code: string }
  | { readonly kind: 'tls-expired'; readonly host: string }
  | { readonly kind: 'tls-not-yet-valid'; readonly host: string }
  | { readonly kind: 'tls-wrong-host'; readonly host: string; readonly names: string }
  | { readonly kind: 'tls-self-signed'; readonly host: string }
  | { readonly kind: 'tls-unknown-issuer'; readonly host: string }
  | { readonly kind: 'tls-client-certificate'; readonly host: string }
  | { readonly kind: 'tls-not-spoken'; readonly host: string }
  | { readonly kind: 'tls-failed'; readonly host: string; readonly code: string }
  | { readonly kind: 'tls-file'; readonly file: string; readonly reason: string }
  | ({ readonly kind: 'proxy-down'; readonly reason: string } & NamedProxy)
  | ({ readonly kind: 'proxy-auth' } & NamedProxy)
  | ({ readonly kind: 'proxy-refused'; readonly status: number; readonly host: string } & NamedProxy)
  | ({ readonly kind: 'proxy-invalid' } & NamedProxy)
  | { readonly kind: 'redirect-refused'; readonly to: string; readonly reason: string }
  /** Nothing was sent, and no connection was made. */
  | { readonly kind: 'address-refused'; readonly host: string; readonly reason: string }
  | { readonly kind: 'too-large'; readonly limitBytes: number }
  /** The JSON has more structural characters than the limit allows. */
  | { readonly kind: 'too-complex'; readonly limitNodes: number }
  /** The JSON is nested deeper than a stack can follow. */
  | { readonly kind: 'too-deep'; readonly levels: number }
  /** A stream of events has lines that belong to no event. */
  | { readonly kind: 'not-events'; readonly lines: number }
  | {
      readonly kind: 'rate-limited';
      readonly host: string;
      readonly status: number;
      readonly retryAfterMs?: number;
    };

export type NetworkProblemKind = NetworkProblem['kind'];

const brand: unique symbol = Symbol.for('holt.network-failure') as never;

export class NetworkFailure extends Error {
  readonly [brand] = true;
  readonly problem: NetworkProblem;

  constructor(problem: NetworkProblem, cause?: unknown) {
    super(describeProblem(problem), cause === undefined ? undefined : { cause });
    this.name = 'NetworkFailure';
    this.problem = problem;
  }

  static is(value: unknown): value is NetworkFailure {
    return value instanceof Error && brand in value;
  }
}

/** Finds the failure inside the errors that fetch, the SDK or Node wrapped around it. */
export function findNetworkFailure(error: unknown): NetworkFailure | undefined {
  let current = error;
  for (let depth = 0; depth < 8 && current instanceof Error; depth += 1) {
    if (NetworkFailure.is(current)) return current;
    current = current.cause;
  }
  return undefined;
}

type Texts = {
  readonly [Kind in NetworkProblemKind]: (problem: Extract<NetworkProblem, { kind: Kind }>) => string;
};

const texts: Texts = {
  dns: ({ host, code }) => `the name ${host} could not be looked up (${code})`,
  refused: ({ host }) => `${host} refused the connection`,
  unreachable: ({ host, code }) => `${host} cannot be reached (${code})`,
  'connect-timeout': ({ host, afterMs }) => `${host} did not answer within ${seconds(afterMs)}`,
  lost: ({ host, code }) => `the connection to ${host} broke (${code})`,
  'tls-expired': ({ host }) => `the certificate of ${host} has expired`,
  'tls-not-yet-valid': ({ host }) => `the certificate of ${host} is not valid yet`,
  'tls-wrong-host': ({ host, names }) => `the certificate is not for ${host} but for ${names}`,
  'tls-self-signed': ({ host }) => `the certificate of ${host} is self-signed`,
  'tls-unknown-issuer': ({ host }) =>
    `the certificate of ${host} was issued by an authority that is not known here`,
  'tls-client-certificate': ({ host }) =>
    `${host} asks for a client certificate, or does not accept this one`,
  'tls-not-spoken': ({ host }) => `${host} does not speak TLS on this port`,
  'tls-failed': ({ host, code }) => `no secure connection to ${host} could be made (${code})`,
  'tls-file': ({ file, reason }) => `${file} cannot be used: ${reason}`,
  'proxy-down': ({ proxy, variable, reason }) =>
    `the proxy ${proxy} (from ${variable}) is not working: ${reason}`,
  'proxy-auth': ({ proxy, variable }) =>
    `the proxy ${proxy} (from ${variable}) asks for a user name and password`,
  'proxy-refused': ({ proxy, variable, status, host }) =>
    `the proxy ${proxy} (from ${variable}) refused the way to ${host} with status ${status}`,
  'proxy-invalid': ({ proxy, variable }) => `${variable} does not name an http or https proxy: ${proxy}`,
  'redirect-refused': ({ to, reason }) => `the server redirects to ${to}, which is not followed: ${reason}`,
  'address-refused': ({ host, reason }) => `the way to ${host} is refused: ${reason}`,
  'too-large': ({ limitBytes }) => `the answer is larger than ${limitBytes} bytes`,
  'too-complex': ({ limitNodes }) =>
    `the answer has more than ${limitNodes} structural characters (limits.messageNodes)`,
  'too-deep': ({ levels }) => `the answer is nested more than ${levels} levels deep`,
  'not-events': ({ lines }) => `the event stream has more than ${lines} lines that are not part of an event`,
  'rate-limited': ({ host, status, retryAfterMs }) =>
    `${host} answered ${status} and asks to wait ${retryAfterMs === undefined ? 'a while' : seconds(retryAfterMs)}`,
};

function describeProblem(problem: NetworkProblem): string {
  // The function and the problem have the same kind, but the compiler cannot infer that from the index.
  const text = texts[problem.kind] as (given: NetworkProblem) => string;
  return text(problem);
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}

/** Returns the failure for a message that exceeds one of its limits. */
export function excessFailure(excess: Excess, limits: MessageLimits, cause?: unknown): NetworkFailure {
  const problems = {
    bytes: { kind: 'too-large', limitBytes: limits.messageBytes },
    nodes: { kind: 'too-complex', limitNodes: limits.messageNodes },
    levels: { kind: 'too-deep', levels: maxLevels },
    lines: { kind: 'not-events', lines: maxUnknownLines },
  } as const satisfies Readonly<Record<Excess, NetworkProblem>>;
  return new NetworkFailure(problems[excess], cause);
}
