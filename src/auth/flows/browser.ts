/** The authorization code flow with PKCE: builds the URL to open and exchanges the returned code. */

import { randomBytes } from 'node:crypto';

import { startAuthorization, validateAuthorizationResponseIssuer } from '@modelcontextprotocol/client';

import type { StoredTokens } from '../../kernel/credentials.ts';
import { loginFailed } from '../login-errors.ts';
import { isUsersOwn, type LoginTarget } from '../login-target.ts';
import { type ClientIdentity, requestTokens } from './requests.ts';
import type { Fetch, LoginServer } from './login-server.ts';

export interface BrowserLogin {
  readonly authorizationUrl: string;
  readonly state: string;
  readonly codeVerifier: string;
  readonly redirectUri: string;
  readonly scope?: string | undefined;
}

/**
 * Throws `auth-failed` when the login server has no authorization endpoint or no PKCE. Call it before
 * registering a client or opening a browser.
 */
export function requireLoginPage(target: LoginTarget, { metadata }: LoginServer): void {
  if (metadata.authorization_endpoint === '' || !metadata.response_types_supported.includes('code'))
    throw loginFailed(target.server, 'the login server has no page to log in at');
  const methods = metadata.code_challenge_methods_supported;
  if (methods?.includes('S256') === true) return;
  if (methods === undefined && target.oauth.pkce === 'unadvertised' && isUsersOwn(target)) return;
  const remedy =
    'If it has it and only does not say so, set oauth.pkce to "unadvertised" in your own definition.';
  const reason = 'the login server does not offer PKCE with S256';
  throw loginFailed(target.server, reason, methods === undefined ? { remedy } : {});
}

export interface BrowserStart {
  readonly server: LoginServer;
  readonly client: ClientIdentity;
  readonly redirectUri: string;
  readonly scope: string | undefined;
}

/** Creates the authorization URL, the state and the PKCE verifier. */
export async function beginLogin({
  server,
  client,
  redirectUri,
  scope,
}: BrowserStart): Promise<BrowserLogin> {
  const state = randomBytes(32).toString('base64url');
  const { authorizationUrl, codeVerifier } = await startAuthorization(server.issuer, {
    metadata: server.metadata,
    clientInformation: { client_id: client.id },
    redirectUrl: redirectUri,
    state,
    ...(scope === undefined ? {} : { scope }),
    // Passed as the published string: a URL object would add a slash to a bare host.
    ...(server.resource === undefined ? {} : { resource: server.resource }),
  });
  return { authorizationUrl: authorizationUrl.href, state, codeVerifier, redirectUri, scope };
}

export interface BrowserAnswer {
  readonly code: string;
  readonly iss?: string | undefined;
}

/** Throws when the answer comes from another issuer. Call it before sending the code. */
export function checkIssuer({ metadata }: LoginServer, iss: string | undefined): void {
  validateAuthorizationResponseIssuer({
    iss,
    expectedIssuer: metadata.issuer,
    issParameterSupported: metadata.authorization_response_iss_parameter_supported === true,
  });
}

/** Whether an answer with this `iss`, or none, may come from the expected provider. */
export function isFromIssuer(server: LoginServer, iss: string | undefined): boolean {
  try {
    checkIssuer(server, iss);
    return true;
  } catch {
    return false;
  }
}

export interface Exchange {
  readonly server: LoginServer;
  readonly client: ClientIdentity;
  readonly login: Pick<BrowserLogin, 'codeVerifier' | 'redirectUri' | 'scope'>;
  readonly answer: BrowserAnswer;
}

/** Exchanges the code for tokens. Rejects without sending it if the issuer does not match. */
export async function exchangeCode(
  { server, client, login, answer }: Exchange,
  fetch: Fetch,
  wallNow: () => number,
): Promise<StoredTokens> {
  checkIssuer(server, answer.iss);
  const form = {
    grant_type: 'authorization_code',
    code: answer.code,
    code_verifier: login.codeVerifier,
    redirect_uri: login.redirectUri,
  };
  return requestTokens({ form, client, server, scope: login.scope }, fetch, wallNow);
}
