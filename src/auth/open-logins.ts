/** Opens the login API with its callback listener. Loaded by the first login. */

import type { CredentialStore } from '../kernel/credentials.ts';
import type { EventBus } from '../kernel/events.ts';
import type { Interaction, PermissionAnswer, PermissionQuestion } from '../kernel/interaction.ts';
import type { Machine } from '../kernel/machine.ts';
import type { Status } from '../kernel/phases.ts';
import type { Redactor } from '../masking/redactor.ts';
import type { Network } from '../network/create-network.ts';
import type { Clock } from '../platform/clock.ts';
import type { NamedStore } from '../secrets/credential-stores.ts';
import type { Settings } from '../settings/settings.ts';
import type { AppIdentity } from './app-identity.ts';
import type { CallbackListener } from './callback-listener.ts';
import type { LoginProbe, Logins } from './logins.ts';
import type { KnownRefusal } from './remote-login.ts';
import type { TokenSource } from './token-source.ts';

/** A connection as logins use it. */
export interface LoginConnection {
  status(): Status;
  connect(options: { readonly ask: boolean }): Promise<Status>;
  disconnect(): Promise<void>;
}

export interface AuthParts {
  readonly machine: Machine;
  readonly app: AppIdentity;
  readonly clock: Clock;
  readonly wallNow: () => number;
  readonly redactor: Redactor;
  readonly bus: EventBus;
  readonly debug: (message: string) => void;
  readonly warn: (message: string) => void;
  readonly interaction: Interaction;
  readonly settings: () => Settings;
  readonly network: () => Promise<Network>;
  /** Replaces the store that the settings name. */
  readonly credentials?: CredentialStore | undefined;
  readonly connectionOf: (server: string) => LoginConnection | undefined;
  /** Wraps the question so that it is cancelled when the server changes or the host closes. */
  readonly cancelWithServer: (
    server: string,
    ask: Interaction['askPermission'],
  ) => ((question: PermissionQuestion) => Promise<PermissionAnswer>) | undefined;
}

export interface OpenLoginsParts {
  readonly store: NamedStore;
  readonly tokenSource: () => Promise<TokenSource>;
  /** What was learned when the server last rejected a request, if it did. */
  readonly lastRefusal: (server: string) => KnownRefusal | undefined;
  readonly debug: (server: string, message: string) => void;
}

export async function openLogins(
  parts: AuthParts,
  { store, tokenSource, lastRefusal, debug }: OpenLoginsParts,
): Promise<Logins> {
  const [{ createLogins }, listener] = await Promise.all([import('./logins.ts'), openListener(parts)]);
  const { app, clock, wallNow, bus, redactor, machine, interaction } = parts;
  return createLogins({
    tokenSource: await tokenSource(),
    listener,
    interaction,
    clock,
    wallNow,
    app,
    learn: (secret) => redactor.add(secret),
    warn: (server, code, message) => {
      bus.emit('mcp.warning', { server, code, message });
      interaction.toast?.({ level: 'warning', text: message });
    },
    emit: bus.emit,
    store,
    backendOf: (id) => store.backendOf(id),
    probe: async (server): Promise<LoginProbe> => {
      const known = lastRefusal(server);
      if (known !== undefined) return { isOpen: false, refusal: known };
      const isConnected = parts.connectionOf(server)?.status().status === 'connected';
      const isOpen = isConnected || (await connect(server, parts)).status === 'connected';
      return { isOpen, refusal: lastRefusal(server) };
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

async function openListener({ clock, app }: AuthParts): Promise<CallbackListener> {
  const [{ createCallbackListener }, { openLoopbackServer }] = await Promise.all([
    import('./callback-listener.ts'),
    import('../platform/listeners/loopback-server.ts'),
  ]);
  return createCallbackListener({
    clock,
    openServer: openLoopbackServer,
    title: app.name,
  });
}

/** Whether a browser opened here is visible to the user. */
function hasDisplay(env: Readonly<Record<string, string | undefined>>, os: string): boolean {
  const isSet = (name: string): boolean => (env[name] ?? '') !== '';
  if (isSet('SSH_CONNECTION') || isSet('SSH_TTY') || isSet('SSH_CLIENT')) return false;
  return os !== 'linux' || ['DISPLAY', 'WAYLAND_DISPLAY', 'WSL_DISTRO_NAME', 'BROWSER'].some(isSet);
}
