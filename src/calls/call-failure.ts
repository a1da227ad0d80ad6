/**
 * Classifies failed calls. Failures of the server or the connection become results; errors that the caller
 * must fix or a person must allow are thrown.
 */

import type { Connection } from '../connection/connection.ts';
import { HoltError, ToolAborted, type ErrorCode } from '../kernel/errors.ts';
import { pagesIn } from './send-call.ts';

const thrown: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'call-aborted',
  'tool-not-found',
  'tool-ambiguous',
  'tool-changed',
  'server-not-found',
  'server-ambiguous',
  'arguments-invalid',
  'call-denied',
  'trust-required',
  'auth-required',
  'client-registration-needed',
  'server-disabled',
  'host-closed',
  'interrupted',
]);

export interface FailedCall {
  readonly server: string;
  readonly tool: string;
  /** What was requested, if it is not a tool call. */
  readonly what?: string | undefined;
  readonly connection: Connection;
  readonly signal: AbortSignal | undefined;
  readonly redact: (text: string) => string;
}

/** True for errors that are thrown. All others become results. */
export function isForCaller({ code }: HoltError): boolean {
  return thrown.has(code);
}

/** Throws errors that are for the caller. Returns those that become a result. */
export function readFailure(error: unknown, call: FailedCall): HoltError {
  const { server, tool, what, signal, redact } = call;
  if (signal?.aborted === true) throw new ToolAborted(server, tool, { what, cause: error });
  const read = HoltError.is(error) ? error : fromServer(error, call);
  if (isForCaller(read)) throw read;
  const text = redact(read.message);
  return text === read.message ? read : new HoltError(read.code, text, read.details, { cause: error });
}

function fromServer(error: unknown, { server, connection }: FailedCall): HoltError {
  const failure = connection.explain(error, connection.session);
  const options = { cause: error, ...(failure.remedy === undefined ? {} : { remedy: failure.remedy }) };
  const reason = failure.message;
  switch (failure.status) {
    case 'needs_auth':
      return new HoltError(
        'auth-required',
        `Server "${server}" needs a login: ${reason}`,
        { server },
        options,
      );
    case 'needs_client_registration':
      return new HoltError('client-registration-needed', reason, { server, issuer: '' }, options);
    case 'failed':
      break;
  }
  if (failure.kind === 'protocol-violation' || failure.kind === 'not-mcp')
    return new HoltError('protocol-violation', reason, { server, reason }, options);
  const rpcCode = failure.kind === 'server-error' ? { rpcCode: failure.rpcCode } : {};
  const message = reason + pagesToOpen(error);
  return new HoltError('request-failed', message, { server, ...rpcCode, reason: message }, options);
}

/** A stateful server may require that pages are visited first. */
function pagesToOpen(error: unknown): string {
  const urls = pagesIn(error).map(({ url }) => url);
  return urls.length === 0 ? '' : `. Open ${urls.join(' and ')}, then call again`;
}
