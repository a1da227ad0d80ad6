/**
 * Converts any thrown value to a named failure. This is the only file that inspects SDK errors. It uses their
 * names and codes, so it needs no SDK import and recognises errors from any copy of the SDK. Pure.
 */

import type { SdkErrorCode } from '@modelcontextprotocol/client';

import { HoltError, type ErrorCode } from '../kernel/errors.ts';
import type { Phase } from '../kernel/phases.ts';
import { findNetworkFailure, type NetworkFailure } from '../network/network-failure.ts';
import { classifyProgram, type Failure, failureOf } from './failure-kinds.ts';
import { excerpt, type OwnHeader, type TransportEnd, TransportFailure } from './server-transport.ts';

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

/** Returns the failure for `error`; kind `unknown` when no classifier recognises it. */
export function classifyFailure(error: unknown, context: FailureContext): Failure {
  for (const classify of classifiers) {
    const failure = classify(error, context);
    if (failure !== undefined) return failure;
  }
  return failureOf('unknown', { message: messageOf(error) }, { server: context.server }, {});
}

/** True when the response to the first POST looks like that of an SSE-only server. */
export function shouldFallBackToSse(failure: Failure): boolean {
  if (failure.kind !== 'http-status' && failure.kind !== 'not-found') return false;
  return [400, 404, 405].includes(failure.httpStatus);
}

/** Returns the message, the remedy and, on further lines, the program's stderr. */
export function failureText(failure: Failure): string {
  const stderr = 'stderr' in failure ? failure.stderr : '';
  const sentence = failure.remedy === undefined ? failure.message : `${failure.message}. ${failure.remedy}`;
  return stderr === '' ? sentence : `${sentence}\n${stderr}`;
}

type Classify = (error: unknown, context: FailureContext) => Failure | undefined;

/** In order of precedence: the classifiers with the most specific information come first. */
const classifiers: readonly Classify[] = [
  fromOwnLogin,
  (error, context) => ifFound(findNetworkFailure(error), (failure) => fromNetwork(failure, context)),
  (error, context) =>
    ifFound(
      find(error, (inner) => TransportFailure.is(inner)),
      (failure) => fromTransport(failure as TransportFailure, context),
    ), // `find` matched it as a TransportFailure
  (error, context) => (HoltError.is(error) ? fromHolt(error, context) : undefined),
  fromLogin,
  fromHttp,
  fromEnd,
  fromSdk,
  fromAnswer,
  (error, context) => classifyProgram({ error, stderr: context.stderrTail ?? '' }, context.server),
  (error) =>
    nameOf(error) === 'AbortError'
      ? failureOf('cancelled', { message: 'it was cancelled' }, {}, {})
      : undefined,
];

function fromNetwork({ problem, message }: NetworkFailure, { server, wallNow }: FailureContext): Failure {
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

function fromTransport({ problem, message }: TransportFailure, context: FailureContext): Failure {
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

function fromStatus(status: number, body: string, context: FailureContext): Failure {
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
function fromHolt(error: HoltError, { server, stderrTail = '' }: FailureContext): Failure | undefined {
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

/** Finds an error of holt's login code anywhere in the cause chain. */
function fromOwnLogin(error: unknown, { server }: FailureContext): Failure | undefined {
  const found = find(error, (inner) => HoltError.is(inner) && ownLogins.has(inner.code));
  if (!HoltError.is(found)) return undefined;
  const kind = ownLogins.get(found.code) ?? 'needs-auth';
  return failureOf(kind, { message: found.message, remedy: found.remedy }, { server }, {});
}

const ownLogins = new Map<ErrorCode, 'needs-auth' | 'needs-client-registration' | 'login-failed'>([
  ['auth-required', 'needs-auth'],
  ['client-registration-needed', 'needs-client-registration'],
  ['auth-failed', 'login-failed'],
]);

const loginErrors = new Set(['UnauthorizedError', 'InsufficientScopeError']);
const brokenLogins = new Set([
  'OAuthError',
  'IssuerMismatchError',
  'AuthorizationServerMismatchError',
  'InsecureTokenEndpointError',
]);

function fromLogin(error: unknown, { server }: FailureContext): Failure | undefined {
  const found = find(
    error,
    (inner) => loginErrors.has(nameOf(inner)) || brokenLogins.has(nameOf(inner)) || isRegistration(inner),
  );
  if (found === undefined) return undefined;
  const words = { server };
  if (isRegistration(found)) {
    return failureOf(
      'needs-client-registration',
      { message: `the login server does not let holt register: ${messageOf(found)}` },
      words,
      {},
    );
  }
  if (brokenLogins.has(nameOf(found)))
    return failureOf('login-failed', { message: `the login failed: ${messageOf(found)}` }, words, {});
  const scope =
    nameOf(found) === 'InsufficientScopeError'
      ? 'the server asks for more rights than the login has'
      : 'the server asks for a login';
  return failureOf('needs-auth', { message: scope }, words, {});
}

function isRegistration(error: unknown): boolean {
  return (
    nameOf(error) === 'RegistrationRejectedError' || /dynamic client registration/i.test(messageOf(error))
  );
}

function fromHttp(error: unknown, context: FailureContext): Failure | undefined {
  const found = find(error, (inner) => statusOf(inner) !== undefined);
  const status = statusOf(found);
  return status === undefined ? undefined : fromStatus(status, bodyOf(found), context);
}

const closedCodes = new Set<string>([
  'CONNECTION_CLOSED',
  'NOT_CONNECTED',
  'SEND_FAILED',
  'ERA_NEGOTIATION_FAILED',
] satisfies readonly `${SdkErrorCode}`[]);

/** For a closed connection, reports why it closed rather than only that it did. */
function fromEnd(error: unknown, context: FailureContext): Failure | undefined {
  if (!saysClosed(error)) return undefined;
  const { end, server } = context;
  if (end?.cause !== undefined && end.cause !== error) {
    return classifyFailure(end.cause, { ...context, end: undefined });
  }
  if (hasExited(end)) return exitOf(end ?? {}, context);
  if (codeOf(error) === 'ERA_NEGOTIATION_FAILED') return undefined;
  return failureOf(
    'connection-lost',
    { message: end?.reason ?? 'the connection was closed' },
    { server },
    {},
  );
}

function saysClosed(error: unknown): boolean {
  return (
    closedCodes.has(String(codeOf(error))) ||
    nameOf(error) === 'ChannelClosedError' ||
    messageOf(error) === 'Not connected'
  );
}

function hasExited(end: TransportEnd | undefined): boolean {
  return typeof end?.exitCode === 'number' || typeof end?.signal === 'string';
}

function exitOf(
  { exitCode = null, signal = null }: TransportEnd,
  { server, stderrTail = '' }: FailureContext,
): Failure | undefined {
  return classifyProgram({ exit: { exitCode, signal }, stderr: stderrTail }, server);
}

const violations = new Set<string>([
  'INVALID_RESULT',
  'UNSUPPORTED_RESULT_TYPE',
  'ERA_NEGOTIATION_FAILED',
] satisfies readonly `${SdkErrorCode}`[]);

function fromSdk(error: unknown, context: FailureContext): Failure | undefined {
  const { server, phase, afterMs } = context;
  const code = String(codeOf(error));
  const words = { server, phase };
  if (code === 'REQUEST_TIMEOUT') {
    const after = afterMs === undefined ? '' : ` after ${Math.round(afterMs / 100) / 10} s`;
    if (phase === 'ready' || phase === 'executing')
      return failureOf('call-timeout', { message: `no answer${after}` }, words, {});
    return failureOf('phase-timeout', { message: `no answer in phase ${phase}${after}` }, words, {});
  }
  if (code === 'CLIENT_HTTP_UNEXPECTED_CONTENT')
    return failureOf(
      'not-mcp',
      { message: `it answers with something else (${messageOf(error)})` },
      words,
      {},
    );
  if (codeOf(error) === -32_022)
    return failureOf('unsupported-version', { message: messageOf(error) }, words, {});
  const unreadable = nameOf(error) === 'ZodError' || nameOf(error) === 'SyntaxError';
  if (unreadable) return failureOf('protocol-violation', { message: 'its answer cannot be read' }, words, {});
  return violations.has(code)
    ? failureOf('protocol-violation', { message: firstLine(messageOf(error)) }, words, {})
    : undefined;
}

function fromAnswer(error: unknown, { server }: FailureContext): Failure | undefined {
  const code = codeOf(error);
  const answered = nameOf(error) === 'ProtocolError' || nameOf(error) === 'ResponseError';
  if (!answered || typeof code !== 'number') return undefined;
  return failureOf(
    'server-error',
    { message: `the server answered with an error: ${messageOf(error)} (${code})` },
    { server },
    { rpcCode: code },
  );
}

/**
 * True when the error says that the session is gone. Only the server that issued a session id receives it;
 * many servers report an unknown one with 400 where the specification requires 404.
 */
export function isSessionGone(error: unknown): boolean {
  const found = find(error, (inner) => statusOf(inner) !== undefined);
  const status = statusOf(found);
  return status === 404 || (status === 400 && /\bsession\b/i.test(bodyOf(found)));
}

/** True for errors that the SDK reports in addition to failing the call or stream that they concern. */
export function isStreamNoise(error: unknown): boolean {
  return nameOf(error) === 'AbortError' || messageOf(error).startsWith('SSE stream disconnected');
}

/**
 * True when the era probe got no usable response on a working connection, so the older handshake is worth a
 * try.
 */
export function isProbeFailure(error: unknown): boolean {
  return (
    codeOf(error) === ('ERA_NEGOTIATION_FAILED' satisfies `${SdkErrorCode}`) &&
    findNetworkFailure(error) === undefined &&
    statusOf(error) === undefined
  );
}

function ifFound<Value>(value: Value | undefined, use: (value: Value) => Failure): Failure | undefined {
  return value === undefined ? undefined : use(value);
}

/** Returns the first error in the cause chain that matches; looks at most 8 levels deep. */
function find(error: unknown, matches: (inner: Error) => boolean): Error | undefined {
  let current = error;
  for (let depth = 0; depth < 8 && current instanceof Error; depth += 1) {
    if (matches(current)) return current;
    current = current.cause;
  }
  return undefined;
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? text;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function dataOf(error: unknown): object | undefined {
  const data: unknown =
    error instanceof Error && nameOf(error) === 'SdkHttpError' && 'data' in error ? error.data : undefined;
  return typeof data === 'object' && data !== null ? data : undefined;
}

function statusOf(error: unknown): number | undefined {
  const data = dataOf(error);
  return data !== undefined && 'status' in data && typeof data.status === 'number' ? data.status : undefined;
}

function bodyOf(error: unknown): string {
  const data = dataOf(error);
  return data !== undefined && 'text' in data && typeof data.text === 'string' ? data.text : '';
}
