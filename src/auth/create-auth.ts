/** Creates what logins need. Most hosts have no server that needs a login, so the parts load on first use. */

import { withLock } from '../platform/files/lock.ts';
import { nameWord } from '../kernel/shell-words.ts';
import type { CredentialStore } from '../kernel/credentials.ts';
import type { HoltError } from '../kernel/errors.ts';
import type { Interaction } from '../kernel/interaction.ts';
import { openCredentialStore, type NamedStore } from '../secrets/credential-stores.ts';
import type { LaunchPlan, RemotePlan } from '../secrets/launch-plan.ts';
import type { LoginTarget } from './login-target.ts';
import type { Logins, WhyOver } from './logins.ts';
import type { AuthParts, OpenLoginsParts } from './open-logins.ts';
import { stateOf } from './login-records.ts';
import type { KnownRefusal, RemoteLogin, RemoteLoginParts } from './remote-login.ts';
import type { TokenSourceParts, TokenSource } from './token-source.ts';

export interface Auth {
  readonly store: () => NamedStore;
  /** Returns the login for a transport. Undefined if the server takes none. */
  login(plan: RemotePlan): Promise<RemoteLogin | undefined>;
  /** Whether a login was stored since this server refused the last one, perhaps by another process. */
  hasNewLogin(server: string): Promise<boolean>;
  /** Returns the access token for a stdio server whose definition names a login. */
  accessToken(credentialId: string, server: string): Promise<string | undefined>;
  logins(): Promise<Logins>;
  /** Cancels running logins for which `why` returns a reason. Loads nothing if there are none. */
  cancel(why: WhyOver): Promise<void>;
  /** Remembers a refused registration for the server's status. `undefined` clears it. */
  noteRegistration(server: string, refusal: HoltError<'client-registration-needed'> | undefined): void;
  targetOf(plan: LaunchPlan): Promise<LoginTarget | undefined>;
  close(): Promise<void>;
}

const lockTimeoutMs = 60_000;

export function createAuth(parts: AuthParts): Auth {
  const { settings, machine, wallNow } = parts;
  /** The last rejection by each server, also from a start that was not for a login. */
  const refusals = new Map<string, KnownRefusal>();
  const rejected = createRejectedTokens(wallNow);
  const registrations = new Map<string, HoltError<'client-registration-needed'> | undefined>();
  let opened: NamedStore | undefined;
  let openingTokens: Promise<TokenSource> | undefined;
  let logins: Promise<Logins> | undefined;
  /** Settles when cancelled logins are removed from the store. */
  let ending: Promise<unknown> = Promise.resolve();
  const warnAll = createStoreWarning(parts);
  const warn = createLoginWarning(parts);
  const store = (): NamedStore =>
    (opened ??=
      parts.credentials === undefined
        ? openCredentialStore(settings().credentialStore, machine, warnAll)
        : { ...bound(parts.credentials), backendOf: () => 'custom' });
  const closing = new AbortController();
  const onUnsaved = ({ server }: LoginTarget, error: unknown): void =>
    warnAll(`The renewed login of "${server}" could not be saved, and is tried again: ${String(error)}`);
  const tokenSource = (): Promise<TokenSource> =>
    (openingTokens ??= openTokenSource(parts, { store: store(), closing: closing.signal, onUnsaved }));
  const debug = (server: string, message: string): void => parts.debug(`${server}: ${message}`);

  return {
    store,
    login: (plan) =>
      openRemoteLogin(plan, tokenSource, {
        wallNow,
        onRefused: (server, known) => refusals.set(server, known),
        onRejected: (target, token) => rejected.note(target, token),
        registrationRefusal: (server) => registrations.get(server),
        onMissing: ({ server, credentialId }) => warn(server, credentialId, 'missing'),
        debug,
      }),
    hasNewLogin: (server) => rejected.hasNewLogin(server, tokenSource),
    accessToken: (credentialId, server) =>
      readAccessToken({ credentialId, server }, { store: store(), tokenSource, wallNow, warn }),
    logins: () =>
      (logins ??= loadLogins(parts, {
        store: store(),
        tokenSource,
        lastRefusal: (server) => refusals.get(server),
        debug,
      })),
    cancel: (why) => {
      const work = Promise.resolve(logins).then((known) => known?.cancel(why));
      ending = Promise.allSettled([ending, work]);
      return work;
    },
    noteRegistration: (server, refusal) => void registrations.set(server, refusal),
    targetOf: async (plan) => (await import('./login-target.ts')).loginTargetOf(plan),
    close: async () => {
      closing.abort(new Error('host closed'));
      await (await logins)?.close();
      await ending;
    },
  };
}

/** The user needs to know about a login that is not stored, so this is also a toast. */
function createStoreWarning({ bus, redactor, warn, interaction }: AuthParts): (text: string) => void {
  return (text) => {
    warn(text);
    bus.emit('mcp.warning', { server: '', code: 'login-store', message: redactor.redact(text) });
    interaction.toast?.({ level: 'warning', text });
  };
}

async function openRemoteLogin(
  plan: RemotePlan,
  tokenSource: () => Promise<TokenSource>,
  parts: Omit<RemoteLoginParts, 'tokenSource'>,
): Promise<RemoteLogin | undefined> {
  const [{ createRemoteLogin }, { remoteTarget }] = await Promise.all([
    import('./remote-login.ts'),
    import('./login-target.ts'),
  ]);
  const target = remoteTarget(plan);
  if (target === undefined) return undefined;
  return createRemoteLogin(target, { ...parts, tokenSource: await tokenSource() });
}

interface RejectedTokens {
  note(target: LoginTarget, token: string | undefined): void;
  hasNewLogin(server: string, tokenSource: () => Promise<TokenSource>): Promise<boolean>;
}

/** Remembers by server the last token that it refused. */
function createRejectedTokens(wallNow: () => number): RejectedTokens {
  const last = new Map<string, { readonly target: LoginTarget; readonly token: string | undefined }>();
  return {
    note: (target, token) => void last.set(target.server, { target, token }),
    hasNewLogin: async (server, tokenSource) => {
      const known = last.get(server);
      if (known === undefined) return false;
      const { record } = await (await tokenSource()).find(known.target);
      return stateOf(record, wallNow()) === 'authenticated' && record?.tokens?.access !== known.token;
    },
  };
}

interface AccessParts {
  readonly store: NamedStore;
  readonly tokenSource: () => Promise<TokenSource>;
  readonly wallNow: () => number;
  readonly warn: WarnOfNamedLogin;
}

async function readAccessToken(
  { credentialId, server }: { readonly credentialId: string; readonly server: string },
  { store, tokenSource, wallNow, warn }: AccessParts,
): Promise<string | undefined> {
  const record = await store.get(credentialId);
  if (record?.tokens === undefined) {
    warn(server, credentialId, 'missing');
    return undefined;
  }
  const { namedTarget } = await import('./login-target.ts');
  const tokens = await (await tokenSource()).current(namedTarget(credentialId, record.serverUrl));
  if (stateOf(await store.get(credentialId), wallNow()) === 'expired') warn(server, credentialId, 'expired');
  return tokens?.access;
}

type WarnOfNamedLogin = (server: string, credentialId: string, state: 'missing' | 'expired') => void;

/** Shows each message once, although every restart of the server repeats it. */
function createLoginWarning({ bus, interaction }: AuthParts): WarnOfNamedLogin {
  const shown = new Set<string>();
  return (server, id, state) => {
    const why =
      state === 'missing'
        ? 'which is not stored; it is started without. holt auth list shows those there are.'
        : `which has expired. Log in again with holt auth ${nameWord(id.replace(/^mcp:/, ''))}.`;
    const text = `"${server}" names the login "${id}", ${why}`;
    bus.emit('mcp.warning', { server, code: `credential-${state}`, message: text });
    if (!shown.has(text)) interaction.toast?.({ level: 'warning', text });
    shown.add(text);
  };
}

/** Binds the methods, because the store may be an instance of a class. */
function bound(store: CredentialStore): CredentialStore {
  return {
    get: (id) => store.get(id),
    set: (id, record) => store.set(id, record),
    delete: (id) => store.delete(id),
    list: () => store.list(),
  };
}

async function openTokenSource(
  parts: AuthParts,
  own: Pick<TokenSourceParts, 'store' | 'closing' | 'onUnsaved'>,
): Promise<TokenSource> {
  const [{ createTokenSource }, { createGuardedFetch }] = await Promise.all([
    import('./token-source.ts'),
    import('../network/guarded-fetch.ts'),
  ]);
  const { machine, clock, redactor, wallNow, interaction } = parts;
  return createTokenSource({
    ...own,
    clock,
    lock: (id, work) =>
      withLock(JSON.stringify(['login', machine.holtHome, id]), work, {
        os: machine.os,
        holtHome: machine.holtHome,
        timeoutMs: lockTimeoutMs,
      }),
    openFetch: async ({ url, tls }, signal) =>
      createGuardedFetch({ network: await parts.network(), clock, serverUrl: url, tls, signal }),
    wallNow,
    learn: (secret) => redactor.add(secret),
    askSharing: (target) =>
      askSharing(target, parts.cancelWithServer(target.server, unlessAborted(interaction.askPermission))),
    debug: (server, message) => parts.debug(`${server}: ${message}`),
  });
}

/** Rejects if the question was cancelled, so that the answer is not stored. */
function unlessAborted(ask: Interaction['askPermission']): Interaction['askPermission'] {
  if (ask === undefined) return undefined;
  return async (question, signal) => {
    const answer = await ask(question, signal);
    signal?.throwIfAborted();
    return answer;
  };
}

/** Asks whether a project's entry may use a login that the user made for another entry. */
async function askSharing(
  { server, url, credentialId }: LoginTarget,
  askPermission: Interaction['askPermission'],
): Promise<'once' | 'always' | 'no'> {
  const answer = await askPermission?.({
    server,
    tool: 'login',
    name: credentialId,
    title: 'Use a stored login',
    arguments: { url: `${url.origin}${url.pathname}` },
    reason: `this project's entry "${server}" would use your login there`,
  });
  if (answer === 'always') return 'always';
  return answer === 'once' || answer === 'run' ? 'once' : 'no';
}

async function loadLogins(parts: AuthParts, own: OpenLoginsParts): Promise<Logins> {
  const { openLogins } = await import('./open-logins.ts');
  return openLogins(parts, own);
}
