/** What a transport is given to log in with: a header to send, and what to do after it was turned down. Never asks a person. */

import { extractWWWAuthenticateParams } from '@modelcontextprotocol/client';

import { HoltError } from '../kernel/errors.ts';
import { isSafeScheme } from '../network/guarded-fetch.ts';
import { canHaveClient, mustRegister } from './flows/client-id.ts';
import { discoverLogin } from './flows/discover.ts';
import type { Challenge, LoginServer } from './flows/login-server.ts';
import { clientNeeded, loginRequired, toLoginError } from './login-errors.ts';
import type { LoginTarget } from './login-target.ts';
import { stateOf } from './records.ts';
import type { TokenKeeper } from './token-keeper.ts';

export interface Refused {
  readonly status: number;
  /** The header of the answer. */
  readonly wwwAuthenticate: string | null;
}

export interface RemoteLogin {
  /** The only origin that is sent the header. */
  readonly origin: string;
  /** Undefined while there is no login. */
  authorization(): Promise<string | undefined>;
  /** Another header for the same request. Rejects with `auth-required` when it takes a person. */
  renew(used: string | undefined, refused: Refused): Promise<string>;
  /** What it means that a renewed one was turned down as well. */
  refusal(refused: Refused): Error;
}

/** What was learned when a server refused a request. */
export interface KnownRefusal {
  readonly challenge: Challenge;
  /** Who logs in to it, where that was found out on the way. */
  readonly found?: LoginServer;
  /** In milliseconds of the time of day. */
  readonly at: number;
}

export interface RemoteLoginParts {
  readonly keeper: TokenKeeper;
  readonly wallNow: () => number;
  /** Kept for the login that may follow. */
  readonly onRefused: (server: string, known: KnownRefusal) => void;
  /** A request was turned down with this token, or without one. */
  readonly onTurnedDown: (target: LoginTarget, token: string | undefined) => void;
  /** Why the last registration at this server's provider was refused, if it was. */
  readonly registrationRefusal: (server: string) => HoltError<'client-registration-needed'> | undefined;
  /** An entry names a login that is not there. */
  readonly onMissing: (target: LoginTarget) => void;
  readonly debug: (server: string, message: string) => void;
}

/** Whether an answer asks for a login, or for a better one. */
export function asksForLogin({ status, wwwAuthenticate }: Refused): boolean {
  return status === 401 || (status === 403 && errorIn(wwwAuthenticate) === 'insufficient_scope');
}

export function createRemoteLogin(target: LoginTarget, parts: RemoteLoginParts): RemoteLogin {
  const { keeper, onRefused, wallNow } = parts;
  const { server } = target;
  /** Looked up once per connection: most servers have no login, and each request would read a file for it. */
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
      const tokens = await keeper.current(target);
      isAbsent = tokens === undefined;
      if (isAbsent && target.isNamed && !(await hasExpired(target, parts))) parts.onMissing(target);
      return tokens === undefined ? undefined : header(tokens.access);
    },
    renew: async (used, refused) => {
      const challenge = readChallenge(refused);
      const wantsScope = refused.status === 403;
      onRefused(server, { challenge, at: wallNow() });
      const token = used?.replace(/^Bearer /, '');
      const tokens = await keeper
        .renew(target, { used: token, challenge, wantsScope })
        .catch((error: unknown) => {
          throw toLoginError(server, error);
        });
      if (tokens !== undefined && (tokens.access !== token || wantsScope)) {
        isAbsent = false;
        return header(tokens.access);
      }
      parts.onTurnedDown(target, token);
      if (wantsScope) await rememberScope(target, challenge, keeper);
      else if (token === undefined) await refuseWithoutClient(target, challenge, parts);
      throw refusalFor(server, refused, await hasExpired(target, parts));
    },
    refusal: (refused) => {
      parts.onTurnedDown(target, lastSent);
      return refusalFor(server, refused);
    },
  };
}

function refusalFor(server: string, { status }: Refused, expired = false): HoltError<'auth-required'> {
  if (status === 403) return loginRequired(server, 'asks for a scope that the login does not have');
  return loginRequired(server, expired ? 'needs a new login: the stored one has expired' : 'needs a login');
}

async function hasExpired(target: LoginTarget, { keeper, wallNow }: RemoteLoginParts): Promise<boolean> {
  return stateOf((await keeper.find(target)).record, wallNow()) === 'expired';
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

/** The next login asks for what this one lacked, whichever process it runs in. */
async function rememberScope(target: LoginTarget, { scope }: Challenge, keeper: TokenKeeper): Promise<void> {
  if (scope === undefined) return;
  await keeper.change(target, (record) =>
    record === undefined ? undefined : { ...record, wantedScope: scope },
  );
}

/** Tells apart whether a login is all that is missing. Whatever goes wrong on the way is for the login to report. */
async function refuseWithoutClient(
  target: LoginTarget,
  challenge: Challenge,
  { keeper, wallNow, onRefused, registrationRefusal, debug }: RemoteLoginParts,
): Promise<void> {
  try {
    const { record } = await keeper.find(target);
    const known = record?.issuer;
    const server = await keeper.withFetch(target, (fetch) =>
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
