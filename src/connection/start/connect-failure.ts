/** Errors of failed starts: the message for people, and the classification that decides what happens next. */

import { HoltError, type ErrorCode } from '../../kernel/errors.ts';
import type { Phase } from '../../kernel/phases.ts';
import { failureText } from '../../transports/failure-kinds.ts';
import { stderrOf, type Failure } from '../explain-failure.ts';
import type { Channel } from '../channel.ts';

/** `error` is the error that callers get. */
export class ConnectFailure extends Error {
  readonly error: HoltError;
  readonly failure: Failure;
  /** The channel that was open when it failed. */
  readonly channel: Channel | undefined;

  constructor(error: HoltError, failure: Failure, channel: Channel | undefined) {
    super(error.message, { cause: error });
    this.name = 'ConnectFailure';
    this.error = error;
    this.failure = failure;
    this.channel = channel;
  }
}

export interface FailedAttempt {
  readonly server: string;
  readonly phase: Phase;
  readonly channel: Channel | undefined;
  /** The abort reason, if a limit or a caller ended the attempt. */
  readonly stopped: unknown;
  readonly explain: (error: unknown) => Failure;
}

export function toConnectFailure(
  error: unknown,
  { server, phase, channel, stopped, explain }: FailedAttempt,
): ConnectFailure {
  if (error instanceof ConnectFailure) return error;
  if (HoltError.is(stopped))
    return new ConnectFailure(withStderr(stopped, channel), explain(stopped), channel);
  const failure = explain(error);
  const ready = readyError(error, server);
  const shown = ready ?? connectFailed(server, phase, failureText(failure), { failure, cause: error });
  return new ConnectFailure(ready === undefined ? shown : withStderr(shown, channel), failure, channel);
}

/** Errors that already have the common prefix, or are not failures to connect. */
const finalCodes = new Set<ErrorCode>([
  'connect-failed',
  'connect-timeout',
  'trust-required',
  'secret-input-needed',
  'client-registration-needed',
]);

/** Lower layers often throw errors that are ready to show. These only get the prefix of connect failures. */
function readyError(error: unknown, server: string): HoltError | undefined {
  if (!HoltError.is(error) || HoltError.is(error, 'server-exited')) return undefined;
  const { code, message, details, remedy, cause } = error;
  if (finalCodes.has(code)) return error;
  const reason = message
    .replace(`Server "${server}" cannot start: `, '')
    .replace(`Server "${server}" `, 'it ');
  const text = `Failed to connect to "${server}": ${reason}${remedy === undefined ? '' : `. ${remedy}`}`;
  return new HoltError(code, text, details, { cause, ...(remedy === undefined ? {} : { remedy }) });
}

function connectFailed(
  server: string,
  phase: Phase,
  text: string,
  { failure, cause }: { readonly failure: Failure; readonly cause: unknown },
): HoltError {
  const { kind, message: reason, remedy } = failure;
  const message = `Failed to connect to "${server}": ${text}`;
  const options = { cause, ...(remedy === undefined ? {} : { remedy }) };
  if (kind === 'login-forbidden') return new HoltError('auth-required', message, { server }, options);
  return new HoltError('connect-failed', message, { server, phase, reason }, options);
}

/** The failure if neither HTTP transport worked. Describes Streamable HTTP first. */
export function bothFailed(
  server: string,
  phase: Phase,
  http: ConnectFailure,
  sse: ConnectFailure,
): ConnectFailure {
  const text = `Streamable HTTP: ${http.failure.message}; SSE: ${failureText(sse.failure)}`;
  const decides =
    http.failure.status !== 'failed' || sse.failure.status === 'failed' ? http.failure : sse.failure;
  const error = connectFailed(server, phase, text, {
    failure: { ...decides, message: text },
    cause: http.error,
  });
  return new ConnectFailure(
    error,
    decides,
    [http, sse].find(({ channel }) => channel?.isClosed === false)?.channel,
  );
}

/** The failure of `tools/list`. It fails the whole start, because servers exist for their tools. */
export function toolsFailed(
  server: string,
  cause: unknown,
  failure: Failure,
  channel: Channel | undefined,
): ConnectFailure {
  const phase = 'listing_tools';
  const reason = HoltError.is(cause) ? cause.message : failureText(failure);
  const error = new HoltError(
    'connect-failed',
    `Failed to get tools: ${reason}`,
    { server, phase, reason },
    { cause },
  );
  return new ConnectFailure(withStderr(error, channel), failure, channel);
}

/** Appends the last lines of the program's stderr. */
function withStderr(error: HoltError, channel: Channel | undefined): HoltError {
  const stderr = channel === undefined ? '' : stderrOf(channel.transport);
  if (stderr === '' || error.message.includes(stderr)) return error;
  const { code, details, remedy, cause } = error;
  return new HoltError(code, `${error.message}\n${stderr}`, details, {
    cause,
    ...(remedy === undefined ? {} : { remedy }),
  });
}

export interface ReadParts {
  readonly server: string;
  readonly phase: Phase;
  readonly explain: (error: unknown) => Failure;
  /** Removes secrets from text before it is shown. */
  readonly redact: (text: string) => string;
}

export interface ReadFailure {
  readonly error: HoltError;
  readonly failure: Failure;
  /** The channel that is still open, if any. */
  readonly channel: Channel | undefined;
}

/** Turns anything that a start threw into an error that is safe to show. */
export function readFailure(thrown: unknown, { server, phase, explain, redact }: ReadParts): ReadFailure {
  const known = thrown instanceof ConnectFailure ? thrown : undefined;
  const failure = known?.failure ?? explain(thrown);
  const error =
    known?.error ??
    readyError(thrown, server) ??
    connectFailed(server, phase, failureText(failure), { failure, cause: thrown });
  const { code, message, details, remedy, cause } = error;
  const shown = new HoltError(code, redact(message), details, {
    cause,
    ...(remedy === undefined ? {} : { remedy }),
  });
  return { error: shown, failure, channel: known?.channel };
}
