/**
 * Stores a login that was begun, so that another process can finish it. Each server has one slot, which holds
 * the latest.
 */

import type { CredentialRecord, PendingLogin } from '../kernel/credentials.ts';
import { nameWord } from '../kernel/shell-words.ts';
import type { PreparedLogin } from './browser-login.ts';
import type { PastedAnswer } from './callback-text.ts';
import { configuredClient } from './flows/client-id.ts';
import { loginFailed } from './login-errors.ts';
import { findLoginServer, mayHoldClient, type FlowParts } from './login-flow.ts';
import type { LoginTarget } from './login-target.ts';

/** Stores the pending login with its client. */
export async function storePending(
  { target, server, client, login }: PreparedLogin,
  { tokenSource }: FlowParts,
  signal: AbortSignal,
): Promise<void> {
  await tokenSource.change(target, (record) => {
    signal.throwIfAborted();
    return {
      // An existing login at another issuer stays unchanged until this one completes.
      ...(record ?? { serverUrl: target.serverUrl, issuer: server.issuer }),
      ...(client.registered !== undefined && mayHoldClient(record, server)
        ? { client: client.registered, issuer: server.issuer }
        : {}),
      pending: storedPart(login),
    };
  });
}

function storedPart({ codeVerifier, state, redirectUri, scope }: PreparedLogin['login']): PendingLogin {
  return { codeVerifier, state, redirectUri, ...(scope === undefined ? {} : { scope }) };
}

/** Removes the pending login from the record, or replaces it with `next`. */
export async function removePending(
  { target, login }: PreparedLogin,
  next: PreparedLogin | undefined,
  { tokenSource }: FlowParts,
): Promise<void> {
  await tokenSource.change(target, (record) => {
    if (record?.pending?.state !== login.state) return record;
    const { pending: _, ...rest } = record;
    return next === undefined ? rest : { ...rest, pending: storedPart(next.login) };
  });
}

/**
 * Restores a login that another process began. Rejects with `auth-failed` if no stored login has this
 * `state`.
 */
export async function restorePending(
  target: LoginTarget,
  { state }: Pick<PastedAnswer, 'state'>,
  parts: FlowParts,
): Promise<PreparedLogin> {
  const { record } = await parts.tokenSource.find(target);
  const pending = record?.pending;
  if (pending?.redirectUri === undefined || state === undefined || pending.state !== state)
    throw loginFailed(target.server, 'no such login is waiting', {
      remedy: `Begin again with holt auth ${nameWord(target.server)}.`,
    });
  const client = clientOf(target, record);
  const { server } = await parts.tokenSource.withFetch(target, (fetch) =>
    findLoginServer(target, { challenge: undefined }, parts, fetch),
  );
  const { codeVerifier, redirectUri, scope } = pending;
  const login = { authorizationUrl: '', state, codeVerifier, redirectUri, scope };
  return {
    target,
    server,
    client,
    scope,
    login,
    callback: { redirectUri, release: () => Promise.resolve() },
  };
}

function clientOf(target: LoginTarget, record: CredentialRecord | undefined): PreparedLogin['client'] {
  const own = configuredClient(target);
  if (own !== undefined) return { identity: own };
  if (record?.client === undefined)
    throw loginFailed(target.server, 'the client that the login was begun with is not known');
  return { identity: record.client, registered: record.client };
}
