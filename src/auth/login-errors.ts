/** Login errors with messages for users. Text from providers is shortened and escaped. */

import { HoltError } from '../kernel/errors.ts';
import { nameWord } from '../kernel/shell-words.ts';
import { escapeLine } from '../masking/escape-text.ts';
import { findNetworkFailure } from '../network/network-failure.ts';

const longestWords = 300;

/**
 * A provider's error response. `code` is the OAuth error code, or `http-<status>` when the response had none.
 */
export class ProviderError extends Error {
  readonly code: string;
  readonly status: number;

  constructor(code: string, status: number, description: string) {
    super(foreignText(description === '' ? code : `${description} (${code})`));
    this.name = 'ProviderError';
    this.code = code;
    this.status = status;
  }
}

/** Escapes and shortens text from another party. */
export function foreignText(text: string): string {
  const line = escapeLine(text);
  return line.length > longestWords ? `${line.slice(0, longestWords)}…` : line;
}

export function loginFailed(
  server: string,
  reason: string,
  options: { readonly cause?: unknown; readonly remedy?: string } = {},
): HoltError<'auth-failed'> {
  return new HoltError('auth-failed', `OAuth authentication failed: ${reason}`, { server, reason }, options);
}

/** True when the login server does not know the client, or does not allow it this grant. */
export function isClientRefused(error: unknown): error is ProviderError {
  return error instanceof ProviderError && clientRefusals.has(error.code);
}

const clientRefusals = new Set(['invalid_client', 'unauthorized_client']);

/** The error for a rejected client that was registered by hand: only the user can fix it. */
export function ownClientRefused(
  server: string,
  error: ProviderError,
  otherwise = '',
): HoltError<'auth-failed'> {
  const remedy =
    error.code === 'invalid_client'
      ? 'Correct oauth.clientId, and oauth.clientSecret if it has one, in its definition.'
      : `See that the login server allows the client of oauth.clientId this way of logging in${otherwise}.`;
  return loginFailed(server, error.message, { cause: error, remedy });
}

/** The login was cancelled while it was pending. */
export function loginCancelled(server: string, why: string): HoltError<'auth-failed'> {
  return loginFailed(server, `the login was cancelled: ${why}`);
}

export function loginTimedOut(
  server: string,
  afterMs: number,
  options: { readonly remedy?: string } = {},
): HoltError<'auth-timeout'> {
  return new HoltError(
    'auth-timeout',
    'OAuth flow timed out. Please try again.',
    { server, afterMs },
    options,
  );
}

export function loginRequired(
  server: string,
  reason:
    | 'needs a login'
    | 'needs a new login: the stored one has expired'
    | 'asks for a scope that the login does not have',
  cause?: unknown,
): HoltError<'auth-required'> {
  const remedy = `Log in with holt auth ${nameWord(server)}.`;
  return new HoltError('auth-required', `Server "${server}" ${reason}`, { server }, { cause, remedy });
}

export function clientNeeded(
  server: string,
  issuer: string,
  why?: string,
): HoltError<'client-registration-needed'> {
  const because = why === undefined ? '' : ` (${why})`;
  const message = `"${server}" requires a pre-registered client id: set oauth.clientId to a client that is registered at ${foreignText(issuer)}${because}`;
  return new HoltError('client-registration-needed', message, { server, issuer });
}

/** The error for when no terminal is available: a token is only asked for with hidden input. */
export function noTerminal(server: string): HoltError<'auth-failed'> {
  return loginFailed(server, 'a token is typed at a terminal, and here is none', {
    remedy: `Run holt auth --manual ${nameWord(server)} at a terminal. A script writes the header "Authorization": "Bearer \${VARIABLE}" into the server's entry and sets that variable.`,
  });
}

export function nothingDiscovered(
  server: string,
  url: string,
  cause?: unknown,
): HoltError<'auth-unsupported'> {
  const reason = `OAuth endpoints could not be discovered at ${url}`;
  return new HoltError(
    'auth-unsupported',
    `Authentication required for "${server}": ${reason}`,
    { server, reason },
    {
      cause,
      remedy: `Get a token from the server's operator and store it with holt auth --manual ${nameWord(server)} at a terminal.`,
    },
  );
}

export function tokenRefused(server: string): HoltError<'auth-failed'> {
  return loginFailed(server, `"${server}" refused the token, so it was not stored`, {
    remedy: `Check that the token is complete and still valid, then run holt auth --manual ${nameWord(server)} again.`,
  });
}

export function notForPrograms(server: string): HoltError<'auth-unsupported'> {
  const reason = 'it takes credentials from its environment, not from OAuth.';
  return new HoltError(
    'auth-unsupported',
    `"${server}" is a stdio server; ${reason}`,
    { server, reason },
    { remedy: 'Give it what it needs in the env of its definition.' },
  );
}

export function loginNotNeeded(server: string): HoltError<'auth-unsupported'> {
  const reason = 'it answers without a login';
  return new HoltError(
    'auth-unsupported',
    `"${server}" needs no login: ${reason}.`,
    { server, reason },
    {
      remedy: `Use it as it is. If it needs a token later, holt auth --manual ${nameWord(server)} stores one.`,
    },
  );
}

/** Converts any error of a login flow to the `HoltError` that users see. */
export function toLoginError(server: string, error: unknown): HoltError {
  if (HoltError.is(error)) return error;
  const network = findNetworkFailure(error);
  if (network !== undefined) return loginFailed(server, network.message, { cause: error });
  if (error instanceof ProviderError) return loginFailed(server, error.message, { cause: error });
  const name = error instanceof Error ? error.name : '';
  if (name === 'IssuerMismatchError') return loginFailed(server, issuerWords(error), { cause: error });
  if (name === 'ZodError' || name === 'SyntaxError' || name === '$ZodError')
    return loginFailed(server, 'the login server answered with something that cannot be read', {
      cause: error,
    });
  const words = error instanceof Error ? error.message : String(error);
  return loginFailed(server, foreignText(words), { cause: error });
}

/**
 * The answer does not name the expected issuer. The message does not quote it, because an attacker may have
 * written it.
 */
export function foreignAnswer(server: string): HoltError<'auth-failed'> {
  return loginFailed(server, foreignReason, {
    remedy: 'The login is still waiting: pass the address that your own browser ended at.',
  });
}

const foreignReason = 'the answer came from another issuer than the one that was asked';

/** Does not quote the other party: an attacker who mixes up issuers also controls that text. */
function issuerWords(error: unknown): string {
  const kind = error instanceof Error && 'kind' in error ? error.kind : undefined;
  return kind === 'metadata'
    ? 'the metadata names another issuer than the one it was asked for'
    : foreignReason;
}
