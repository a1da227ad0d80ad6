/** Logins that were begun and wait to be finished by their caller, in this process or in another. */

import type { CredentialRecord, PendingLogin } from '../kernel/credentials.ts';
import { waitForCallback } from './browser-login.ts';
import { readCallback, type PastedAnswer } from './callback-text.ts';
import { configuredClient } from './flows/client-id.ts';
import { loginFailed } from './login-errors.ts';
import {
  findLoginServer,
  finishBrowser,
  prepareBrowser,
  type FlowOptions,
  type FlowParts,
  type PreparedLogin,
} from './login-flow.ts';
import type { LoginTarget } from './login-target.ts';

export interface PendingLogins {
  start(
    target: LoginTarget,
    options: FlowOptions,
  ): Promise<{ readonly authorizationUrl: string; readonly state: string }>;
  finish(target: LoginTarget, answer: string | PastedAnswer): Promise<void>;
}

export interface PendingParts extends FlowParts {
  /** The browser came back by itself, and the login is stored. */
  readonly onFinished: (target: LoginTarget) => void;
  readonly debug: (server: string, message: string) => void;
}

export function createPendingLogins(parts: PendingParts): PendingLogins {
  const pending = new Map<string, { readonly login: PreparedLogin; end(): Promise<void> }>();

  const begin = (login: PreparedLogin, signal: AbortSignal): void => {
    const { target, callback } = login;
    const { state } = login.login;
    const over = new AbortController();
    const end = async (): Promise<void> => {
      pending.delete(state);
      over.abort(new Error('the login is over'));
      await callback.release();
    };
    pending.set(state, { login, end });
    waitForCallback(login, AbortSignal.any([signal, over.signal]), parts)
      .then(async (answer) => {
        await finishBrowser(login, answer, parts);
        parts.onFinished(target);
      })
      .catch(async (error: unknown) => {
        // Finished, or the host is closed: then another process may go on with it.
        if (over.signal.aborted || signal.aborted) return;
        parts.debug(target.server, `a login that was begun came to nothing: ${String(error)}`);
        await forgetPending(target, state, parts);
      })
      .finally(end)
      .catch(() => undefined);
  };

  const known = (target: LoginTarget, answer: PastedAnswer): PreparedLogin | undefined => {
    const own = [...pending.values()]
      .map(({ login }) => login)
      .filter((login) => login.target.server === target.server);
    if (answer.state !== undefined) return own.find(({ login }) => login.state === answer.state);
    const [only, ...others] = own;
    if (only === undefined) return undefined;
    if (others.length > 0)
      throw loginFailed(target.server, 'several logins are waiting, and the answer does not say which');
    if (only.server.metadata.authorization_response_iss_parameter_supported === true)
      throw loginFailed(target.server, 'the answer has no state');
    return only;
  };

  return {
    start: async (target, options) => {
      const login = await prepareBrowser(target, options, parts);
      await rememberPending(login, parts);
      begin(login, options.signal);
      return { authorizationUrl: login.login.authorizationUrl, state: login.login.state };
    },
    finish: async (target, given) => {
      const answer = typeof given === 'string' ? parsed(target, given) : given;
      const login = known(target, answer) ?? (await fromStore(target, answer, parts));
      await pending.get(login.login.state)?.end();
      await finishBrowser(login, answer, parts);
    },
  };
}

function parsed({ server }: LoginTarget, text: string): PastedAnswer {
  const read = readCallback(text);
  if (read.kind === 'answer') return read.answer;
  throw loginFailed(
    server,
    read.kind === 'refused' ? read.words : 'that is neither a callback address nor a code',
  );
}

/** With the client that it was begun with, so that it can be finished elsewhere. */
async function rememberPending(
  { target, server, client, login }: PreparedLogin,
  { keeper }: FlowParts,
): Promise<void> {
  const { codeVerifier, state, redirectUri, scope } = login;
  const pending: PendingLogin = {
    codeVerifier,
    state,
    redirectUri,
    ...(scope === undefined ? {} : { scope }),
  };
  await keeper.change(target, (record) => ({
    // A login at another issuer stays as it is until this one is done.
    ...(record ?? { serverUrl: target.serverUrl, issuer: server.issuer }),
    ...(record?.tokens === undefined && client.kept !== undefined
      ? { client: client.kept, issuer: server.issuer }
      : {}),
    pending,
  }));
}

async function forgetPending(target: LoginTarget, state: string, { keeper }: FlowParts): Promise<void> {
  await keeper.change(target, (record) => {
    if (record?.pending?.state !== state) return record;
    const { pending: _, ...rest } = record;
    return rest;
  });
}

/** One that another process began. */
async function fromStore(
  target: LoginTarget,
  { state }: PastedAnswer,
  parts: FlowParts,
): Promise<PreparedLogin> {
  const { record } = await parts.keeper.find(target);
  const pending = record?.pending;
  if (pending?.redirectUri === undefined || state === undefined || pending.state !== state)
    throw loginFailed(target.server, 'no such login is waiting', {
      remedy: `Begin again with holt auth ${target.server}.`,
    });
  const client = clientOf(target, record);
  const { server } = await parts.keeper.withFetch(target, (fetch) =>
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
  return { identity: record.client, kept: record.client };
}
