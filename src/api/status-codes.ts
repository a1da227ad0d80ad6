/** Maps each error to an HTTP status and a body with a code and a sentence, never a stack. */

import { HoltError, type ErrorCode } from '../kernel/errors.ts';

/** 401 is reserved for our own token. A server that needs a login is a conflict with its current state. */
const statusCodes = {
  'usage-invalid': 422,
  'server-not-found': 404,
  'server-ambiguous': 409,
  'agent-unknown': 422,
  'trust-required': 403,
  'secret-unresolved': 409,
  'secret-input-needed': 409,
  'program-missing': 409,
  'config-invalid': 422,
  'config-unwritable': 500,
  'config-not-ours': 409,
  'server-exists': 409,
  'agent-not-writable': 422,
  'scope-unavailable': 422,
  'undo-empty': 409,
  'folder-unsafe': 500,
  'lock-busy': 503,
  'illegal-transition': 500,
  'connect-failed': 502,
  'connect-timeout': 504,
  'spawn-failed': 502,
  'server-exited': 502,
  'frame-too-large': 502,
  'frame-too-complex': 502,
  'queue-full': 503,
  'connection-lost': 502,
  'session-lost': 502,
  'call-timeout': 504,
  'protocol-violation': 502,
  'auth-required': 409,
  'auth-failed': 409,
  'auth-timeout': 504,
  'auth-unsupported': 409,
  'client-registration-needed': 409,
  'credentials-unavailable': 500,
  'tool-not-found': 404,
  'tool-ambiguous': 409,
  'arguments-invalid': 422,
  'call-denied': 403,
  'tool-changed': 409,
  'call-aborted': 409,
  'request-failed': 502,
  'server-disabled': 409,
  'host-closed': 503,
  'internal-error': 500,
  interrupted: 503,
} as const satisfies Record<ErrorCode, number>;

/** The errors of the API itself, with their status and message. */
const refusals = {
  'request-malformed': [400, 'The request cannot be read'],
  'host-invalid': [400, 'Exactly one Host header is needed'],
  'json-invalid': [400, 'The body is not JSON'],
  unauthorized: [401, 'A valid token is needed'],
  'origin-refused': [403, 'Requests from other pages are refused'],
  'scope-missing': [403, 'This token does not have the required scope'],
  'route-unknown': [404, 'Unknown route'],
  'question-unknown': [404, 'Unknown question; it may have been answered already'],
  'method-refused': [405, 'This route does not support this method'],
  'request-timeout': [408, 'The request took too long to arrive'],
  'trust-outdated': [409, 'The entry has changed since it was read; read it again'],
  'body-too-large': [413, 'The body is over 4 MiB'],
  'content-type-refused': [415, 'The content type must be application/json'],
  'host-refused': [421, 'This service is not available under this host name'],
  'request-invalid': [422, 'The request does not fit its schema'],
  'too-many-failures': [429, 'Too many wrong tokens; wait a minute'],
  'headers-too-large': [431, 'The headers are too large'],
  busy: [503, 'Too many requests at once'],
  closing: [503, 'The service is closing'],
} as const satisfies Record<string, readonly [number, string]>;
export type RefusalCode = keyof typeof refusals;

/** Thrown to refuse a request. */
export class Refusal extends Error {
  readonly code: RefusalCode;

  constructor(code: RefusalCode, more = '') {
    super(more === '' ? refusals[code][1] : `${refusals[code][1]}: ${more}`);
    this.name = 'Refusal';
    this.code = code;
  }
}

export interface ErrorReply {
  readonly status: number;
  readonly body: { readonly error: { readonly code: string; readonly message: string } };
}

export function errorReply(error: unknown): ErrorReply {
  if (error instanceof Refusal) {
    const { code, message } = error;
    return { status: refusals[code][0], body: { error: { code, message } } };
  }
  if (HoltError.is(error)) {
    const { code, message, remedy } = error;
    return { status: statusCodes[code], body: { error: { code, message: withRemedy(message, remedy) } } };
  }
  // The message of an unknown error may contain anything, such as a path or a secret.
  return { status: 500, body: { error: { code: 'internal-error', message: 'holt failed' } } };
}

/** Returns the error for input that could not be parsed as a request. */
export function malformedReply(status: number): ErrorReply {
  const codes: Readonly<Record<number, RefusalCode>> = { 408: 'request-timeout', 431: 'headers-too-large' };
  return errorReply(new Refusal(codes[status] ?? 'request-malformed'));
}

function withRemedy(message: string, remedy: string | undefined): string {
  if (remedy === undefined || message.includes(remedy)) return message;
  return `${message.replace(/\.$/, '')}. ${remedy}`;
}
