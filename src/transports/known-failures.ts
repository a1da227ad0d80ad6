/**
 * Names the failures that holt's own code reports: network, transport, HTTP status, login and program errors.
 * Inspects no errors of the SDK. Pure.
 */

import { HoltError, type ErrorCode } from '../kernel/errors.ts';
import type { Phase } from '../kernel/phases.ts';
import type { NetworkFailure } from '../network/network-failure.ts';
import { classifyProgram, type Failure, failureOf } from './failure-kinds.ts';
import { excerpt, type OwnHeader, type TransportEnd, type TransportFailure } from './server-transport.ts';

export interface FailureContext {
  readonly server: string;
  /** The phase in which the error happened. */
  readonly phase: Phase;
  /** The time limit that was exceeded, if any. */
  readonly afterMs?: number | undefined;
  readonly end?: TransportEnd | undefined;
  /** The authorization header that the entry defines. */
  readonly ownHeader?: OwnHeader | undefined;
  /** Set when the entry disables logging in. */
  readonly forbidsLogin?: { readonly file: string } | undefined;
  /** The last lines of a program's stderr. */
  readonly stderrTail?: string | undefined;
  /** Wall-clock time in milliseconds, from which `retryAt` is calculated. */
  readonly wallNow: number;
}

export function fromNetwork(
  { problem, message }: NetworkFailure,
  { server, wallNow }: FailureContext,
): Failure {
  const words = { server, variable: 'variable' in problem ? problem.variable : '' };
  if (problem.kind === 'lost') return failureOf('connection-lost', { message }, words, {});
  if (problem.kind !== 'rate-limited') return failureOf(problem.kind, { message }, words, {});
  const { retryAfterMs } = problem;
  if (retryAfterMs === undefined) return failureOf('rate-limited', { message }, words, {});
  const retryAt = new Date(wallNow + retryAfterMs).toISOString();
  return failureOf('rate-limited', { message: `rate-limited until ${retryAt}` }, words, {
    retryAt,
    retryAfterMs,
  });
}

export function fromTransport({ problem, message }: TransportFailure, context: FailureContext): Failure {
  const words = { server: context.server };
  switch (problem.kind) {
    case 'session-lost':
      return failureOf('session-lost', { message }, words, {});
    case 'http-status':
      return fromStatus(problem.status, problem.body, context);
    case 'not-mcp':
      return failureOf('not-mcp', { message }, words, {});
    case 'answer-lost':
    case 'closed':
      return failureOf('connection-lost', { message }, words, {});
  }
}

export function fromStatus(status: number, body: string, context: FailureContext): Failure {
  const { server, ownHeader, forbidsLogin } = context;
  const words = { server };
  const message = `the server answered with status ${status}${excerpt(body)}`;
  if (status === 401 && ownHeader !== undefined)
    return failureOf('needs-auth', { message, remedy: headerRefused(ownHeader) }, words, {});
  if (status === 401 && forbidsLogin !== undefined)
    return failureOf('login-forbidden', loginForbidden(forbidsLogin.file), words, {});
  if (status === 401) return failureOf('needs-auth', { message: 'the server asks for a login' }, words, {});
  if (status === 403) return failureOf('forbidden', { message }, words, { httpStatus: status });
  if (status === 404 || status === 405)
    return failureOf('not-found', { message }, words, { httpStatus: status });
  return failureOf('http-status', { message }, words, { httpStatus: status });
}

/** Logging in would not help, because the configured header takes precedence over a stored login. */
function headerRefused({ name, file }: OwnHeader): string {
  const where = file === '' ? 'the entry' : file;
  return `The server refused the header "${name}" that is configured in ${where}; correct it there.`;
}

function loginForbidden(file: string): { readonly message: string; readonly remedy: string } {
  const where = file === '' ? 'its definition' : file;
  return {
    message: 'the server asks for a login',
    remedy: `Its definition forbids logging in. To log in, remove oauth: false from ${where}.`,
  };
}

/** Converts holt's own errors, which already have messages for users. */
export function fromHolt(error: HoltError, { server, stderrTail = '' }: FailureContext): Failure | undefined {
  const text = { message: error.message, remedy: error.remedy };
  const words = { server };
  if (HoltError.is(error, 'program-missing'))
    return failureOf('command-not-found', text, words, { stderr: '' });
  if (HoltError.is(error, 'frame-too-large')) return failureOf('too-large', text, words, {});
  if (HoltError.is(error, 'frame-too-complex')) return failureOf('too-complex', text, words, {});
  if (HoltError.is(error, 'queue-full')) return failureOf('queue-full', text, words, {});
  if (HoltError.is(error, 'spawn-failed'))
    return (
      classifyProgram({ error: error.cause ?? error, stderr: '' }, server) ??
      failureOf('spawn-failed', text, words, {})
    );
  if (!HoltError.is(error, 'server-exited')) return undefined;
  const { exitCode, signal } = error.details;
  return classifyProgram({ exit: { exitCode, signal }, stderr: stderrTail }, server);
}

export function hasExited(end: TransportEnd | undefined): boolean {
  return typeof end?.exitCode === 'number' || typeof end?.signal === 'string';
}

export function exitOf(
  { exitCode = null, signal = null }: TransportEnd,
  { server, stderrTail = '' }: FailureContext,
): Failure | undefined {
  return classifyProgram({ exit: { exitCode, signal }, stderr: stderrTail }, server);
}

/** Finds an error of holt's login code anywhere in the cause chain. */
export function fromOwnLogin(error: unknown, { server }: FailureContext): Failure | undefined {
  const found = findCause(error, (inner) => HoltError.is(inner) && ownLogins.has(inner.code));
  if (!HoltError.is(found)) return undefined;
  const kind = ownLogins.get(found.code) ?? 'needs-auth';
  return failureOf(kind, { message: found.message, remedy: found.remedy }, { server }, {});
}

const ownLogins = new Map<ErrorCode, 'needs-auth' | 'needs-client-registration' | 'login-failed'>([
  ['auth-required', 'needs-auth'],
  ['client-registration-needed', 'needs-client-registration'],
  ['auth-failed', 'login-failed'],
]);

/** Returns the first error in the cause chain that matches; looks at most 8 levels deep. */
export function findCause(error: unknown, matches: (inner: Error) => boolean): Error | undefined {
  let current = error;
  for (let depth = 0; depth < 8 && current instanceof Error; depth += 1) {
    if (matches(current)) return current;
    current = current.cause;
  }
  return undefined;
}
