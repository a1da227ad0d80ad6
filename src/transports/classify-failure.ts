/**
 * Converts any thrown value to a named failure. This is the only file that inspects SDK errors. It uses their
 * names and codes, so it needs no SDK import and recognises errors from any copy of the SDK. Pure.
 */

import type { SdkErrorCode } from '@modelcontextprotocol/client';

import { HoltError } from '../kernel/errors.ts';
import { findNetworkFailure } from '../network/network-failure.ts';
import { classifyProgram, type Failure, failureOf } from './failure-kinds.ts';
import { TransportFailure } from './server-transport.ts';
import {
  type FailureContext,
  fromNetwork,
  fromTransport,
  fromStatus,
  fromHolt,
  hasExited,
  exitOf,
  fromOwnLogin,
  findCause,
} from './known-failures.ts';

/** Returns the failure for `error`; kind `unknown` when no classifier recognises it. */
export function classifyFailure(error: unknown, context: FailureContext): Failure {
  for (const classify of classifiers) {
    const failure = classify(error, context);
    if (failure !== undefined) return failure;
  }
  return failureOf('unknown', { message: messageOf(error) }, { server: context.server }, {});
}

type Classify = (error: unknown, context: FailureContext) => Failure | undefined;

/** In order of precedence: the classifiers with the most specific information come first. */
const classifiers: readonly Classify[] = [
  fromOwnLogin,
  (error, context) => ifFound(findNetworkFailure(error), (failure) => fromNetwork(failure, context)),
  (error, context) =>
    ifFound(
      findCause(error, (inner) => TransportFailure.is(inner)),
      (failure) => fromTransport(failure as TransportFailure, context),
    ), // `findCause` matched it as a TransportFailure
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

const loginErrors = new Set(['UnauthorizedError', 'InsufficientScopeError']);

const brokenLogins = new Set([
  'OAuthError',
  'IssuerMismatchError',
  'AuthorizationServerMismatchError',
  'InsecureTokenEndpointError',
]);

function fromLogin(error: unknown, { server }: FailureContext): Failure | undefined {
  const found = findCause(
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
  const found = findCause(error, (inner) => statusOf(inner) !== undefined);
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
  const found = findCause(error, (inner) => statusOf(inner) !== undefined);
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
