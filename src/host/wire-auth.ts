/**
 * Builds what logins need. Loaded with the first remote server, because most hosts have none that needs a
 * login.
 */

import type { CallbackListener } from '../auth/callback-listener.ts';
import type { Logins, WhyOver } from '../auth/logins.ts';
import type { LoginTarget } from '../auth/login-target.ts';
import { stateOf } from '../auth/login-records.ts';
import type { KnownRefusal, RemoteLogin, RemoteLoginParts } from '../auth/remote-login.ts';
import type { KeeperParts, TokenKeeper } from '../auth/token-source.ts';
import type { Connection } from '../connection/connection.ts';
import type { CredentialStore } from '../kernel/credentials.ts';
import type { HoltError } from '../kernel/errors.ts';
import type { Interaction } from '../kernel/interaction.ts';
import { nameWord } from '../kernel/shell-words.ts';
import type { Status } from '../kernel/status.ts';
import type { Network } from '../network/create-network.ts';
import { withLock } from '../platform/files/lock.ts';
import { openCredentialStore, type NamedStore } from '../secrets/credential-stores.ts';
import type { LaunchPlan, RemotePlan } from '../secrets/launch-plan.ts';
import type { Settings } from '../settings/settings.ts';
import type { AskAbout } from './question-ends.ts';
import type { HostEnvironment } from './environment.ts';

export interface AuthParts {
  readonly world: HostEnvironment;
  readonly interaction: Interaction;
  readonly settings: () => Settings;
  readonly network: () => Promise<Network>;
  /** Replaces the store that the settings name. */
  readonly credentials?: CredentialStore | undefined;
  readonly connectionOf: (server: string) => Connection | undefined;
  readonly askAbout: AskAbout;
}

export interface WiredAuth {
  readonly store: () => NamedStore;
  /** Returns the login for a transport. Undefined if the server takes none. */
  login(plan: RemotePlan): Promise<RemoteLogin | undefined>;
  /** Whether a login was stored since this server refused the last one, perhaps by another process. */
  hasNewLogin(server: string): Promise<boolean>;
  /** Returns the access token for a stdio server whose definition names a login. */
  accessToken(credentialId: string, server: string): Promise<string | undefined>;
  logins(): Promise<Logins>;
  /** Cancels running logins for which `why` returns a reason. Loads nothing if there are none. */
  callOff(why: WhyOver): Promise<void>;
  /** Remembers a refused registration for the server's status. `undefined` clears it. */
  noteRegistration(server: string, refusal: HoltError<'client-registration-needed'> | undefined): void;
  targetOf(plan: LaunchPlan): Promise<LoginTarget | undefined>;
  close(): Promise<void>;
}

const lockTimeoutMs = 60_000;
type Refusals = Map<string, KnownRefusal>;

export function wireAuth(parts: AuthParts): WiredAuth {
  const { world, settings } = parts;
  const { wallNow } = world;
  const refusals: Refusals = new Map();
  const turnedDown = createTurnedDown(wallNow);
  const registrations = new Map<string, HoltError<'client-registration-needed'> | undefined>();
  let opened: NamedStore | undefined;
  let keeping: Promise<TokenKeeper> | undefined;
  let logins: Promise<Logins> | undefined;
  /** Settles when cancelled logins are removed from the store. */
  let ending: Promise<unknown> = Promise.resolve();
  const tell = createTell(parts);
  const warn = createLoginWarning(parts);
  const store = (): NamedStore =>
    (opened ??=
      parts.credentials === undefined
        ? openCredentialStore(settings().credentialStore, world.machine, tell)
        : { ...bound(parts.credentials), backendOf: () => 'custom' });
  const closing = new AbortController();
  const onUnsaved = ({ server }: LoginTarget, error: unknown): void =>
    tell(`The renewed login of "${server}" could not be saved, and is tried again: ${String(error)}`);
  const keeper = (): Promise<TokenKeeper> =>
    (keeping ??= openKeeper(parts, { store: store(), closing: closing.signal, onUnsaved }));
  const debug = (server: string, message: string): void => world.debug(`${server}: ${message}`);

  return {
    store,
    login: (plan) =>
      openRemoteLogin(plan, keeper, {
        wallNow,
        onRefused: (server, known) => refusals.set(server, known),
        onTurnedDown: (target, token) => turnedDown.note(target, token),
        registrationRefusal: (server) => registrations.get(server),
        onMissing: ({ server, credentialId }) => warn(server, credentialId, 'missing'),
        debug,
      }),
    hasNewLogin: (server) => turnedDown.hasNewLogin(server, keeper),
    accessToken: (credentialId, server) =>
      readAccessToken({ credentialId, server }, { store: store(), keeper, wallNow, warn }),
    logins: () => (logins ??= openLogins(parts, { store: store(), keeper, refusals, debug })),
    callOff: (why) => {
      const work = Promise.resolve(logins).then((known) => known?.callOff(why));
      ending = Promise.allSettled([ending, work]);
      return work;
    },
    noteRegistration: (server, refusal) => void registrations.set(server, refusal),
    targetOf: async (plan) => (await import('../auth/login-target.ts')).loginTargetOf(plan),
    close: async () => {
      closing.abort(new Error('host closed'));
      await (await logins)?.close();
      await ending;
    },
  };
}

/** The user needs to know about a login that is not stored, so this is also a toast. */
function createTell({ world, interaction }: AuthParts): (text: string) => void {
  return (text) => {
    world.warn(text);
    world.bus.emit('mcp.warning', { server: '', code: 'login-store', message: world.redactor.redact(text) });
    interaction.toast?.({ level: 'warning', text });
  };
}

async function openRemoteLogin(
  plan: RemotePlan,
  keeper: () => Promise<TokenKeeper>,
  parts: Omit<RemoteLoginParts, 'keeper'>,
): Promise<RemoteLogin | undefined> {
  const [{ createRemoteLogin }, { remoteTarget }] = await Promise.all([
    import('../auth/remote-login.ts'),
    import('../auth/login-target.ts'),
  ]);
  const target = remoteTarget(plan);
  if (target === undefined) return undefined;
  return createRemoteLogin(target, { ...parts, keeper: await keeper() });
}

interface TurnedDown {
  note(target: LoginTarget, token: string | undefined): void;
  hasNewLogin(server: string, keeper: () => Promise<TokenKeeper>): Promise<boolean>;
}

/** Remembers by server the last token that it refused. */
function createTurnedDown(wallNow: () => number): TurnedDown {
  const last = new Map<string, { readonly target: LoginTarget; readonly token: string | undefined }>();
  return {
    note: (target, token) => void last.set(target.server, { target, token }),
    hasNewLogin: async (server, keeper) => {
      const known = last.get(server);
      if (known === undefined) return false;
      const { record } = await (await keeper()).find(known.target);
      return stateOf(record, wallNow()) === 'authenticated' && record?.tokens?.access !== known.token;
    },
  };
}

interface AccessParts {
  readonly store: NamedStore;
  readonly keeper: () => Promise<TokenKeeper>;
  readonly wallNow: () => number;
  readonly warn: WarnOfNamedLogin;
}

async function readAccessToken(
  { credentialId, server }: { readonly credentialId: string; readonly server: string },
  { store, keeper, wallNow, warn }: AccessParts,
): Promise<string | undefined> {
  const record = await store.get(credentialId);
  if (record?.tokens === undefined) {
    warn(server, credentialId, 'missing');
    return undefined;
  }
  const { namedTarget } = await import('../auth/login-target.ts');
  const tokens = await (await keeper()).current(namedTarget(credentialId, record.serverUrl));
  if (stateOf(await store.get(credentialId), wallNow()) === 'expired') warn(server, credentialId, 'expired');
  return tokens?.access;
}

type WarnOfNamedLogin = (server: string, credentialId: string, state: 'missing' | 'expired') => void;

/** Shows each message once, although every restart of the server repeats it. */
function createLoginWarning({ world, interaction }: AuthParts): WarnOfNamedLogin {
  const shown = new Set<string>();
  return (server, id, state) => {
    const why =
      state === 'missing'
        ? 'which is not stored; it is started without. holt auth list shows those there are.'
        : `which has expired. Log in again with holt auth ${nameWord(id.replace(/^mcp:/, ''))}.`;
    const text = `"${server}" names the login "${id}", ${why}`;
    world.bus.emit('mcp.warning', { server, code: `credential-${state}`, message: text });
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

async function openKeeper(
  parts: AuthParts,
  own: Pick<KeeperParts, 'store' | 'closing' | 'onUnsaved'>,
): Promise<TokenKeeper> {
  const [{ createTokenKeeper }, { createGuardedFetch }] = await Promise.all([
    import('../auth/token-source.ts'),
    import('../network/guarded-fetch.ts'),
  ]);
  const { world, interaction } = parts;
  const { machine, clock, redactor, wallNow } = world;
  return createTokenKeeper({
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
      askSharing(target, parts.askAbout(target.server, 'server', whileWanted(interaction.askPermission))),
    debug: (server, message) => world.debug(`${server}: ${message}`),
  });
}

/** Rejects if the question was cancelled, so that the answer is not stored. */
function whileWanted(ask: Interaction['askPermission']): Interaction['askPermission'] {
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

interface LoginWorld {
  readonly store: NamedStore;
  readonly keeper: () => Promise<TokenKeeper>;
  readonly refusals: Refusals;
  readonly debug: (server: string, message: string) => void;
}

async function openLogins(parts: AuthParts, { store, keeper, refusals, debug }: LoginWorld): Promise<Logins> {
  const [{ createLogins }, listener] = await Promise.all([import('../auth/logins.ts'), openListener(parts)]);
  const { world, interaction } = parts;
  const { clock, wallNow, bus, redactor, machine } = world;
  return createLogins({
    keeper: await keeper(),
    listener,
    interaction,
    clock,
    wallNow,
    app: world.app,
    learn: (secret) => redactor.add(secret),
    warn: (server, code, message) => {
      bus.emit('mcp.warning', { server, code, message });
      interaction.toast?.({ level: 'warning', text: message });
    },
    emit: bus.emit,
    store,
    backendOf: (id) => store.backendOf(id),
    refusalOf: (server) => refusals.get(server),
    provoke: async (server) => {
      if (parts.connectionOf(server)?.status().status === 'connected') return true;
      return (await connect(server, parts)).status === 'connected';
    },
    reconnect: (server, signal) => reconnect(server, signal, parts),
    onFinished: ({ server }) => {
      bus.emit('mcp.auth.completed', { server });
      void connect(server, parts);
    },
    hasDisplay: hasDisplay(machine.env, machine.os),
    debug,
  });
}

async function connect(server: string, { connectionOf }: AuthParts): Promise<Status> {
  return (await connectionOf(server)?.connect({ ask: true })) ?? { status: 'idle' };
}

/** Aborting the signal cancels the start. */
async function reconnect(server: string, signal: AbortSignal, parts: AuthParts): Promise<Status> {
  const disconnect = async (): Promise<void> => parts.connectionOf(server)?.disconnect();
  await disconnect();
  const stop = (): void => void disconnect();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await connect(server, parts);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function openListener({ world }: AuthParts): Promise<CallbackListener> {
  const [{ createCallbackListener }, { openLoopbackServer }] = await Promise.all([
    import('../auth/callback-listener.ts'),
    import('../platform/listeners/loopback-server.ts'),
  ]);
  return createCallbackListener({
    clock: world.clock,
    openServer: openLoopbackServer,
    title: world.app.name,
  });
}

/** Whether a browser opened here is visible to the user. */
function hasDisplay(env: Readonly<Record<string, string | undefined>>, os: string): boolean {
  const isSet = (name: string): boolean => (env[name] ?? '') !== '';
  if (isSet('SSH_CONNECTION') || isSet('SSH_TTY') || isSet('SSH_CLIENT')) return false;
  return os !== 'linux' || ['DISPLAY', 'WAYLAND_DISPLAY', 'WSL_DISTRO_NAME', 'BROWSER'].some(isSet);
}
