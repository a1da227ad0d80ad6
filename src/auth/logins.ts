/** Logging in, out, and telling how each login stands: what a host offers for all of its servers. */

import type { CredentialRecord, CredentialStore } from '../kernel/credentials.ts';
import { HoltError } from '../kernel/errors.ts';
import { runBrowser, type BrowserParts } from './browser-login.ts';
import type { PastedAnswer } from './callback-text.ts';
import { configuredClient } from './flows/client-id.ts';
import { readLoginServer } from './flows/discover.ts';
import { revokeTokens } from './flows/grants.ts';
import { loginFailed, nothingDiscovered, toLoginError } from './login-errors.ts';
import {
  findLoginServer,
  hasDeviceFields,
  offersDevice,
  runDevice,
  runMachine,
  runManual,
  type FlowOptions,
} from './login-flow.ts';
import { shownUrl, type LoginTarget } from './login-target.ts';
import { createPendingLogins } from './pending-logins.ts';
import type { KnownRefusal } from './remote-login.ts';
import { serverOf, stateOf, type LoginState } from './records.ts';

export type LoginFlow = 'browser' | 'device' | 'manual' | 'client_credentials';

export interface LoginsParts extends BrowserParts {
  readonly store: CredentialStore;
  readonly backendOf: (id: string) => string;
  /** What was learned when the server last refused a request, if it did. */
  readonly refusalOf: (server: string) => KnownRefusal | undefined;
  /** Connects without a login, so that the server says what it wants. */
  readonly provoke: (server: string) => Promise<void>;
  readonly onFinished: (target: LoginTarget) => void;
  /** False over SSH and where nothing can show a page. */
  readonly hasDisplay: boolean;
  readonly debug: (server: string, message: string) => void;
}

export interface LoginOptions {
  /** Chosen by what the machine and the provider can do when left out. */
  readonly flow?: LoginFlow | undefined;
  readonly scope?: string | undefined;
  /** False: the address is shown and nothing is opened. */
  readonly browser?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** One stored login, without anything that could be used. */
export interface LoginInfo {
  readonly id: string;
  readonly server: string;
  readonly url: string;
  readonly issuer?: string;
  readonly status: LoginState;
  /** In unix seconds. */
  readonly expiresAt?: number;
  readonly scopes: readonly string[];
  readonly backend: string;
}

export interface Logins {
  start(
    target: LoginTarget,
    scope?: string,
  ): Promise<{ readonly authorizationUrl: string; readonly state: string }>;
  finish(target: LoginTarget, answer: string | PastedAnswer): Promise<void>;
  authenticate(target: LoginTarget, options: LoginOptions): Promise<void>;
  remove(target: LoginTarget): Promise<{ readonly removed: boolean; readonly revoked: boolean }>;
  list(): Promise<readonly LoginInfo[]>;
  /** Ends what is waiting. */
  close(): Promise<void>;
}

/** Who logs in to a server may change; what was found a moment ago need not be looked for again. */
const freshMs = 60_000;

export function createLogins(parts: LoginsParts): Logins {
  const { keeper, store, wallNow } = parts;
  const waiting = new Map<AbortController, string>();
  const pending = createPendingLogins(parts);

  /** For the life of one login: ended by its caller, or with the host. */
  const during = async <Result>(
    { server }: LoginTarget,
    outer: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> => {
    const own = new AbortController();
    waiting.set(own, server);
    try {
      return await work(outer === undefined ? own.signal : AbortSignal.any([outer, own.signal]));
    } catch (error) {
      if (own.signal.aborted) throw own.signal.reason;
      outer?.throwIfAborted();
      throw toLoginError(server, error);
    } finally {
      waiting.delete(own);
    }
  };

  const learnFrom = async ({ server }: LoginTarget): Promise<Pick<FlowOptions, 'challenge' | 'found'>> => {
    if (parts.refusalOf(server) === undefined) await parts.provoke(server);
    const { challenge, found, at = 0 } = parts.refusalOf(server) ?? {};
    return { challenge, found: wallNow() - at < freshMs ? found : undefined };
  };

  /** Begun logins outlast the call that began them. */
  const open = new AbortController();

  return {
    start: (target, scope) =>
      during(target, undefined, async () => {
        return pending.start(target, { ...(await learnFrom(target)), scope, signal: open.signal });
      }),
    finish: (target, answer) => during(target, undefined, () => pending.finish(target, answer)),
    authenticate: (target, options) =>
      during(target, options.signal, async (signal) => {
        if (options.flow === 'manual') return requireManual(target, parts);
        await runFlow(target, { ...options, ...(await learnFrom(target)), signal }, parts);
      }),
    remove: async (target) => {
      const { record } = await keeper.find(target);
      const revoked = record?.tokens === undefined ? false : await revoke(target, record, parts);
      await keeper.change(target, withoutLogin);
      return { removed: record?.tokens !== undefined, revoked };
    },
    list: async () =>
      (await store.list()).map(({ id, record }) => describe(id, record, parts.backendOf(id), wallNow())),
    close: async () => {
      for (const [controller, server] of waiting) controller.abort(loginFailed(server, 'host closed'));
      open.abort(new Error('host closed'));
      await parts.listener.close();
    },
  };
}

interface RunOptions extends FlowOptions {
  readonly flow?: LoginFlow | undefined;
  readonly browser?: boolean | undefined;
}

async function runFlow(target: LoginTarget, options: RunOptions, parts: LoginsParts): Promise<void> {
  try {
    const flow = options.flow ?? (await chooseFlow(target, options, parts));
    if (flow === 'client_credentials') return await runMachine(target, options, parts);
    if (flow === 'device') return await runDevice(target, options, parts);
    return await runBrowser(target, { ...options, opens: options.browser !== false }, parts);
  } catch (error) {
    if (!HoltError.is(error, 'auth-unsupported') || options.flow !== undefined) throw error;
    // Nothing was found that could log anybody in; a person may have a token all the same.
    parts.interaction.toast?.({ level: 'warning', text: error.message });
    if (!(await runManual(target, parts))) throw error;
  }
}

async function chooseFlow(target: LoginTarget, options: RunOptions, parts: LoginsParts): Promise<LoginFlow> {
  if (target.oauth.grant === 'client_credentials') return 'client_credentials';
  if (hasDeviceFields(target)) return 'device';
  // Without anybody to show a code to, a page is all that is left.
  if (parts.hasDisplay || parts.interaction.showDeviceCode === undefined) return 'browser';
  const { server } = await parts.keeper.withFetch(
    target,
    (fetch) => findLoginServer(target, options, parts, fetch),
    options.signal,
  );
  return offersDevice(server) ? 'device' : 'browser';
}

async function requireManual(target: LoginTarget, parts: LoginsParts): Promise<void> {
  if (await runManual(target, parts)) return;
  if (parts.interaction.askSecret === undefined)
    throw nothingDiscovered(target.server, shownUrl(target.serverUrl));
  throw loginFailed(target.server, 'no token was given');
}

/** As well as it can be done: being logged out here does not depend on it. */
async function revoke(target: LoginTarget, record: CredentialRecord, parts: LoginsParts): Promise<boolean> {
  const { issuer, tokens } = record;
  const client = configuredClient(target) ?? record.client;
  if (issuer === undefined || tokens === undefined || client === undefined) return false;
  try {
    return await parts.keeper.withFetch(target, async (fetch) => {
      const server = await readLoginServer(target, issuer, fetch);
      return revokeTokens({ server, client, tokens }, fetch);
    });
  } catch (error) {
    parts.debug(target.server, `the login could not be revoked: ${String(error)}`);
    return false;
  }
}

/** Being registered is no login: what was registered is used again, by whoever logs in next. */
function withoutLogin(record: CredentialRecord | undefined): CredentialRecord | undefined {
  const { serverUrl, issuer, client } = record ?? {};
  if (serverUrl === undefined || issuer === undefined || client === undefined) return undefined;
  return { serverUrl, issuer, client };
}

function describe(id: string, record: CredentialRecord, backend: string, nowMs: number): LoginInfo {
  const { issuer, tokens, serverUrl } = record;
  return {
    id,
    server: serverOf(id),
    url: URL.canParse(serverUrl) ? shownUrl(serverUrl) : '',
    ...(issuer === undefined ? {} : { issuer }),
    status: stateOf(record, nowMs),
    ...(tokens?.expiresAt === undefined ? {} : { expiresAt: tokens.expiresAt }),
    scopes: (tokens?.scope ?? '').split(' ').filter((scope) => scope !== ''),
    backend,
  };
}
