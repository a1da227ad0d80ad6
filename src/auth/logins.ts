/** The login API of a host: log in, log out and list the logins of all its servers. */

import type { CredentialRecord, CredentialStore } from '../kernel/credentials.ts';
import { HoltError } from '../kernel/errors.ts';
import { runBrowser, type BrowserParts } from './browser-login.ts';
import type { PastedAnswer } from './callback-text.ts';
import { configuredClient } from './flows/client-id.ts';
import { readRevocationServer } from './flows/discover.ts';
import { revokeTokens } from './flows/grants.ts';
import { readProtectedResource } from './flows/server-metadata.ts';
import { hasDeviceFields, offersDevice, runDevice } from './device-login.ts';
import { loginCancelled, loginFailed, loginNotNeeded } from './login-errors.ts';
import { findLoginServer, runMachine, type FlowOptions } from './login-flow.ts';
import type { LoginTarget } from './login-target.ts';
import { createLoginWaits } from './login-waits.ts';
import { requireManual, runManual, type ManualParts } from './manual-login.ts';
import { createPendingLogins } from './pending-logins.ts';
import type { KnownRefusal } from './remote-login.ts';
import { describeLogin, type LoginInfo } from './login-records.ts';

export type LoginFlow = 'browser' | 'device' | 'manual' | 'client_credentials';

export interface LoginsParts extends BrowserParts, ManualParts {
  readonly store: CredentialStore;
  readonly backendOf: (id: string) => string;
  /** Connects, so that the server states what login it needs, unless its last rejection already did. */
  readonly probe: (server: string) => Promise<LoginProbe>;
  readonly onFinished: (target: LoginTarget) => void;
  /** False over SSH and on machines that cannot show a browser. */
  readonly hasDisplay: boolean;
  readonly debug: (server: string, message: string) => void;
}

export interface LoginProbe {
  /** Whether the server can be used as it is. */
  readonly isOpen: boolean;
  /** How the server rejected a request, if it did. */
  readonly refusal: KnownRefusal | undefined;
}

export interface LoginOptions {
  /** The default depends on what the machine and the provider support. */
  readonly flow?: LoginFlow | undefined;
  readonly scope?: string | undefined;
  /** False: show the URL instead of opening it. */
  readonly browser?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Returns the reason to cancel a running login; undefined lets it continue. */
export type WhyOver = (target: LoginTarget) => string | undefined;

export interface Logins {
  /** Begins a browser login, which `finish` or the browser's callback completes. */
  start(
    target: LoginTarget,
    scope?: string,
  ): Promise<{ readonly authorizationUrl: string; readonly state: string }>;
  /** Completes a login that `start` began, in this process or another. */
  finish(target: LoginTarget, answer: string | PastedAnswer): Promise<void>;
  /** Logs in, and resolves when the login is stored. */
  authenticate(target: LoginTarget, options: LoginOptions): Promise<void>;
  /** Logs out: deletes the stored tokens, then tries to revoke them at the provider. */
  remove(target: LoginTarget): Promise<{ readonly removed: boolean; readonly revoked: boolean }>;
  /** Cancels the running logins for which `why` returns a reason. Their callers get that reason. */
  cancel(why: WhyOver): Promise<void>;
  list(): Promise<readonly LoginInfo[]>;
  /** Cancels everything that is pending. */
  close(): Promise<void>;
}

/** How long a discovered login server may be reused without discovering it again. */
const freshMs = 60_000;

export function createLogins(parts: LoginsParts): Logins {
  const { store, wallNow } = parts;
  const waits = createLoginWaits();
  /** Aborted when the host closes. Logins begun by `start` outlive the call that began them. */
  const open = new AbortController();
  const endOthers = async (target: LoginTarget): Promise<void> => {
    waits.loggedIn(target);
    await pending.end(({ server }) => server === target.server);
  };
  const pending = createPendingLogins({
    ...parts,
    closing: open.signal,
    onFinished: (target) => {
      void endOthers(target);
      parts.onFinished(target);
    },
  });
  const logIn = async (
    target: LoginTarget,
    outer: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> => {
    await waits.untilLoggedIn(target, outer, work);
    await endOthers(target);
  };

  return {
    start: (target, scope) =>
      waits.during(target, async (signal) =>
        pending.start(target, { ...(await learnFrom(target, signal, parts)), scope, signal }),
      ),
    finish: (target, answer) => logIn(target, undefined, (signal) => pending.finish(target, answer, signal)),
    authenticate: (target, options) =>
      logIn(target, options.signal, async (signal) => {
        if (options.flow === 'manual') return requireManual(target, signal, parts);
        await runFlow(target, { ...options, ...(await learnFrom(target, signal, parts)), signal }, parts);
      }),
    remove: (target) => removeLogin(target, parts),
    cancel: async (why) => {
      waits.end((target) => {
        const reason = why(target);
        return reason === undefined ? undefined : loginCancelled(target.server, reason);
      });
      await pending.cancel((target) => why(target) !== undefined);
    },
    list: async () =>
      (await store.list()).map(({ id, record }) => describeLogin(id, record, parts.backendOf(id), wallNow())),
    close: async () => {
      waits.end(({ server }) => loginFailed(server, 'host closed'));
      open.abort(new Error('host closed'));
      await parts.listener.close();
      await pending.settled();
    },
  };
}

/** Returns what the server's last rejection said. If there was none, connects to get one. */
async function learnFrom(
  target: LoginTarget,
  signal: AbortSignal,
  parts: LoginsParts,
): Promise<Pick<FlowOptions, 'challenge' | 'found'>> {
  const { isOpen, refusal } = await parts.probe(target.server);
  if (isOpen && refusal === undefined) await requireUse(target, signal, parts);
  const { challenge, found, at = 0 } = refusal ?? {};
  return { challenge, found: parts.wallNow() - at < freshMs ? found : undefined };
}

/** Throws when the server works without a login and names no login server. */
async function requireUse(target: LoginTarget, signal: AbortSignal, parts: LoginsParts): Promise<void> {
  const { tokenSource, debug } = parts;
  const { clientId, issuer, tokenEndpoint } = target.oauth;
  if ([clientId, issuer, tokenEndpoint].some((given) => given !== undefined)) return;
  if ((await tokenSource.find(target)).record?.tokens !== undefined) return;
  const named = await tokenSource
    .withFetch(target, (fetch) => readProtectedResource(target, fetch, undefined), signal)
    .catch((error: unknown) => debug(target.server, `its login server could not be read: ${String(error)}`));
  signal.throwIfAborted();
  if ((named?.issuers.length ?? 0) === 0) throw loginNotNeeded(target.server);
}

interface RunOptions extends FlowOptions {
  readonly flow?: LoginFlow | undefined;
  readonly browser?: boolean | undefined;
}

async function runFlow(target: LoginTarget, options: RunOptions, parts: LoginsParts): Promise<void> {
  try {
    const flow = options.flow ?? (await chooseFlow(target, options, parts));
    if (flow === 'client_credentials') return await runMachine(target, options, parts);
    if (flow !== 'device' || !(await hasRunDevice(target, options, parts)))
      await runBrowser(target, { ...options, opens: options.browser !== false }, parts);
  } catch (error) {
    if (!HoltError.is(error, 'auth-unsupported') || options.flow !== undefined) throw error;
    // No login server was found, but the user may have a token.
    parts.interaction.toast?.({ level: 'warning', text: error.message });
    if (!(await runManual(target, options.signal, parts))) throw error;
  }
}

/**
 * Returns false when the provider registers no client for the device flow. Some register clients for browser
 * logins only.
 */
async function hasRunDevice(target: LoginTarget, options: RunOptions, parts: LoginsParts): Promise<boolean> {
  try {
    await runDevice(target, options, parts);
    return true;
  } catch (error) {
    if (options.flow !== undefined || !HoltError.is(error, 'client-registration-needed')) throw error;
    return false;
  }
}

async function chooseFlow(target: LoginTarget, options: RunOptions, parts: LoginsParts): Promise<LoginFlow> {
  if (target.oauth.grant === 'client_credentials') return 'client_credentials';
  if (hasDeviceFields(target)) return 'device';
  // Without a way to show a device code, the browser is the only choice.
  if (parts.hasDisplay || parts.interaction.showDeviceCode === undefined) return 'browser';
  const { server } = await parts.tokenSource.withFetch(
    target,
    (fetch) => findLoginServer(target, options, parts, fetch),
    options.signal,
  );
  return offersDevice(server) ? 'device' : 'browser';
}

async function removeLogin(
  target: LoginTarget,
  parts: LoginsParts,
): Promise<{ readonly removed: boolean; readonly revoked: boolean }> {
  const dropped: (CredentialRecord | undefined)[] = [];
  await parts.tokenSource.change(target, (record) => {
    dropped.push(record);
    return withoutLogin(target, record);
  });
  const [record] = dropped;
  if (record?.tokens === undefined) return { removed: false, revoked: false };
  return { removed: true, revoked: await revoke(target, record, parts) };
}

/** Tries to revoke the tokens. Logging out succeeds even if this fails. */
async function revoke(target: LoginTarget, record: CredentialRecord, parts: LoginsParts): Promise<boolean> {
  const { issuer, tokens } = record;
  const client = configuredClient(target) ?? record.client;
  if (issuer === undefined || tokens === undefined || client === undefined) return false;
  try {
    return await parts.tokenSource.withFetch(target, async (fetch) => {
      const server = await readRevocationServer(target, issuer, fetch);
      return revokeTokens({ server, client, tokens }, fetch);
    });
  } catch (error) {
    parts.debug(target.server, `the login could not be revoked: ${String(error)}`);
    return false;
  }
}

/**
 * Returns the record that remains after logging out. The registered client stays for the next login.
 * Everything is removed if there were no tokens, or if the entry configures its own client: then the record
 * would only pin the issuer.
 */
function withoutLogin(
  target: LoginTarget,
  record: CredentialRecord | undefined,
): CredentialRecord | undefined {
  const { serverUrl, issuer, client, tokens } = record ?? {};
  if (serverUrl === undefined || issuer === undefined || client === undefined) return undefined;
  if (tokens === undefined || configuredClient(target) !== undefined) return undefined;
  return { serverUrl, issuer, client };
}
