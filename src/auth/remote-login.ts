/**
 * The login interface for transports: which header to send, and what to do after a rejection. Never starts a
 * login that needs the user.
 */

import { extractWWWAuthenticateParams } from '@modelcontextprotocol/client';

import { HoltError } from '../kernel/errors.ts';
import { isSafeScheme } from '../network/guarded-fetch.ts';
import { canHaveClient, mustRegister } from './flows/client-id.ts';
import { discoverLogin } from './flows/discover.ts';
import type { Challenge, LoginServer } from './flows/login-server.ts';
import { clientNeeded, loginRequired, toLoginError } from './login-errors.ts';
import type { LoginTarget } from './login-target.ts';
import { stateOf } from './login-records.ts';
import type { TokenSource } from './token-source.ts';

export interface Refused {
  readonly status: number;
  /** The `WWW-Authenticate` header of the response. */
  readonly wwwAuthenticate: string | null;
}

export interface RemoteLogin {
  /** The only origin that receives the header. */
  readonly origin: string;
  /** Returns the header; undefined without a login. */
  authorization(): Promise<string | undefined>;
  /** Returns a new header for the same request. Rejects with `auth-required` when the user has to log in. */
  renew(used: string | undefined, refused: Refused): Promise<string>;
  /** Returns the error for a renewed login that was rejected as well. */
  refusal(refused: Refused): Error;
}

/** What was learned when a server rejected a request. */
export interface KnownRefusal {
  readonly challenge: Challenge;
  /** The login server, if it was discovered on the way. */
  readonly found?: LoginServer;
  /** Wall-clock time in milliseconds. */
  readonly at: number;
}

export interface RemoteLoginParts {
  readonly tokenSource: TokenSource;
  readonly wallNow: () => number;
  /** Called with the rejection, which a following login uses. */
  readonly onRefused: (server: string, known: KnownRefusal) => void;
  /** Called when a request was rejected with this token, or without one. */
  readonly onRejected: (target: LoginTarget, token: string | undefined) => void;
  /** Returns why the last registration at this server's provider was rejected, if it was. */
  readonly registrationRefusal: (server: string) => HoltError<'client-registration-needed'> | undefined;
  /** Called when an entry names a login that does not exist. */
  readonly onMissing: (target: LoginTarget) => void;
  readonly debug: (server: string, message: string) => void;
}

/** Whether a response requires a login, or one with a larger scope. */
export function asksForLogin({ status, wwwAuthenticate }: Refused): boolean {
  return status === 401 || (status === 403 && errorIn(wwwAuthenticate) === 'insufficient_scope');
}

export function createRemoteLogin(target: LoginTarget, parts: RemoteLoginParts): RemoteLogin {
  const { tokenSource, onRefused, wallNow } = parts;
  const { server } = target;
  /**
   * Cached per connection: most servers have no login, and reading the file for each request would be
   * wasteful.
   */
  let isAbsent = false;
  let lastSent: string | undefined;
  const header = (token: string): string => {
    if (!isSafeScheme(target.url)) throw insecure(target);
    lastSent = token;
    return `Bearer ${token}`;
  };
  return {
    origin: target.url.origin,
    authorization: async () => {
      if (isAbsent) return undefined;
      const tokens = await tokenSource.current(target);
      isAbsent = tokens === undefined;
      if (isAbsent && target.isNamed && !(await hasExpired(target, parts))) parts.onMissing(target);
      return tokens === undefined ? undefined : header(tokens.access);
    },
    renew: async (used, refused) => {
      const challenge = readChallenge(refused);
      const wantsScope = refused.status === 403;
      onRefused(server, { challenge, at: wallNow() });
      const token = used?.replace(/^Bearer /, '');
      const tokens = await tokenSource
        .renew(target, { used: token, challenge, wantsScope })
        .catch((error: unknown) => {
          throw toLoginError(server, error);
        });
      if (tokens !== undefined && (tokens.access !== token || wantsScope)) {
        isAbsent = false;
        return header(tokens.access);
      }
      parts.onRejected(target, token);
      if (wantsScope) await rememberScope(target, challenge, tokenSource);
      else if (token === undefined) await refuseWithoutClient(target, challenge, parts);
      throw refusalFor(server, refused, await hasExpired(target, parts));
    },
    refusal: (refused) => {
      parts.onRejected(target, lastSent);
      return refusalFor(server, refused);
    },
  };
}

function refusalFor(server: string, { status }: Refused, expired = false): HoltError<'auth-required'> {
  if (status === 403) return loginRequired(server, 'asks for a scope that the login does not have');
  return loginRequired(server, expired ? 'needs a new login: the stored one has expired' : 'needs a login');
}

async function hasExpired(target: LoginTarget, { tokenSource, wallNow }: RemoteLoginParts): Promise<boolean> {
  return stateOf((await tokenSource.find(target)).record, wallNow()) === 'expired';
}

function readChallenge({ wwwAuthenticate }: Refused): Challenge {
  if (wwwAuthenticate === null) return {};
  const { scope, resourceMetadataUrl } = extractWWWAuthenticateParams(answerWith(wwwAuthenticate));
  return { scope, resourceMetadataUrl };
}

function errorIn(wwwAuthenticate: string | null): string | undefined {
  return wwwAuthenticate === null
    ? undefined
    : extractWWWAuthenticateParams(answerWith(wwwAuthenticate)).error;
}

function answerWith(wwwAuthenticate: string): Response {
  return new Response(null, { headers: { 'www-authenticate': wwwAuthenticate } });
}

/** Stores the missing scope, so that the next login in any process requests it. */
async function rememberScope(
  target: LoginTarget,
  { scope }: Challenge,
  tokenSource: TokenSource,
): Promise<void> {
  if (scope === undefined) return;
  await tokenSource.change(target, (record) =>
    record === undefined ? undefined : { ...record, wantedScope: scope },
  );
}

/**
 * Rejects with `client-registration-needed` when a login alone would not be enough. Ignores all other errors,
 * which the login itself will report.
 */
async function refuseWithoutClient(
  target: LoginTarget,
  challenge: Challenge,
  { tokenSource, wallNow, onRefused, registrationRefusal, debug }: RemoteLoginParts,
): Promise<void> {
  try {
    const { record } = await tokenSource.find(target);
    const known = record?.issuer;
    const server = await tokenSource.withFetch(target, (fetch) =>
      discoverLogin(target, fetch, { challenge, known }),
    );
    onRefused(target.server, { challenge, found: server, at: wallNow() });
    const asked = { target, server, record, now: wallNow() / 1000 };
    if (!canHaveClient(asked)) throw clientNeeded(target.server, server.issuer);
    const refusal = registrationRefusal(target.server);
    if (refusal !== undefined && mustRegister(asked)) throw refusal;
  } catch (error) {
    if (HoltError.is(error, 'client-registration-needed')) throw error;
    debug(target.server, `who logs in to it could not be found: ${String(error)}`);
  }
}

function insecure({ server, url }: LoginTarget): HoltError<'auth-unsupported'> {
  const reason = `${url.host} is reached over plain http, where others can read a login`;
  return new HoltError(
    'auth-unsupported',
    `The login of "${server}" is not sent: ${reason}`,
    { server, reason },
    { remedy: 'Use https in its URL.' },
  );
}
