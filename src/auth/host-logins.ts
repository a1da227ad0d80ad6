/** Implements the logins of a host: resolves names to servers, and reconnects a server after a login. */

import type { CredentialRecord } from '../kernel/credentials.ts';
import { HoltError } from '../kernel/errors.ts';
import type { EventBus } from '../kernel/events.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import type { Status } from '../kernel/phases.ts';
import type { LaunchPlan } from '../secrets/launch-plan.ts';
import type { Auth } from './create-auth.ts';
import { notForPrograms } from './login-errors.ts';
import type { LoginTarget } from './login-target.ts';
import type { LoginOptions, WhyOver } from './logins.ts';
import type { LoginConnection } from './open-logins.ts';
import { stateOf, type LoginInfo, type LoginState } from './login-records.ts';
import { createSharedLogins, type SharedLogins } from './shared-logins.ts';

interface Entry {
  /** The name of the server in this host. */
  readonly ref: string;
  readonly definition: ServerDefinition;
}

export interface HostLoginsParts {
  readonly bus: EventBus;
  readonly wallNow: () => number;
  readonly debug: (message: string) => void;
  readonly toast: (text: string) => void;
  readonly auth: Auth;
  readonly roster: { find(name: string): Entry };
  readonly connections: ReadonlyMap<string, LoginConnection>;
  /** Resolves a definition to a launch plan. Asks for approval if `ask` is set. */
  readonly plan: (name: string, options: { readonly ask: boolean }) => Promise<LaunchPlan>;
  readonly servers: {
    connect(name: string, options?: { readonly ifEnabled?: boolean | undefined }): Promise<Status>;
    disconnect(name: string): Promise<void>;
  };
  readonly closing: AbortSignal;
  /** Throws if the host is closed. */
  readonly requireOpen: () => void;
}

/** These methods of `Host`, which documents them. */
export interface HostLogins {
  startAuth(
    name: string,
    options?: Pick<LoginOptions, 'scope'>,
  ): Promise<{ readonly authorizationUrl: string; readonly state: string }>;
  finishAuth(
    name: string,
    answer: string | { readonly code: string; readonly state?: string; readonly iss?: string },
  ): Promise<Status>;
  authenticate(name: string, options?: LoginOptions): Promise<Status>;
  removeAuth(name: string): Promise<{ readonly removed: boolean; readonly revoked: boolean }>;
  supportsOAuth(name: string): boolean;
  hasStoredTokens(name: string): Promise<boolean>;
  getAuthStatus(name: string): Promise<LoginState>;
  logins(): Promise<readonly LoginInfo[]>;
}

export function createHostLogins(parts: HostLoginsParts): HostLogins {
  const { roster, auth, wallNow, closing } = parts;
  announce(parts);
  followChanges(parts);
  let sharedLogins: SharedLogins | undefined;
  closing.addEventListener('abort', () => void auth.close(), { once: true });
  return {
    startAuth: async (name, options = {}) => {
      const target = await targetOf(name, parts);
      return withRegistration(target, async () => (await auth.logins()).start(target, options.scope), parts);
    },
    finishAuth: async (name, answer) => {
      const target = await targetOf(name, parts);
      await (await auth.logins()).finish(target, answer);
      return reconnect(target, parts);
    },
    authenticate: async (name, options = {}) =>
      (sharedLogins ??= createSharedLogins()).join(roster.find(name).ref, options, (asked) =>
        authenticate(name, asked, parts),
      ),
    removeAuth: async (name) => {
      await auth.cancel(whoLogsOut(name, parts));
      const target = await storedTarget(name, parts);
      if (target === undefined) return { removed: false, revoked: false };
      const outcome = await (await auth.logins()).remove(target);
      const connection = parts.connections.get(target.server);
      if (outcome.removed && connection?.status().status === 'connected') await connection.disconnect();
      return outcome;
    },
    supportsOAuth: (name) => {
      const launch = knownEntry(name, roster)?.definition.launch;
      return launch !== undefined && launch.kind !== 'stdio' && launch.oauth !== false;
    },
    hasStoredTokens: async (name) => (await recordOf(name, parts))?.record.tokens !== undefined,
    getAuthStatus: async (name) => stateOf((await recordOf(name, parts))?.record, wallNow()),
    logins: async () => (await auth.logins()).list(),
  };
}

async function authenticate(name: string, options: LoginOptions, parts: HostLoginsParts): Promise<Status> {
  const target = await targetOf(name, parts);
  const logIn = async (): Promise<void> => (await parts.auth.logins()).authenticate(target, options);
  await withRegistration(target, logIn, parts);
  return reconnect(target, parts);
}

/** Records a refused client registration as the status of the server until a login succeeds. */
async function withRegistration<Result>(
  { server }: LoginTarget,
  logIn: () => Promise<Result>,
  { auth, servers, connections }: HostLoginsParts,
): Promise<Result> {
  try {
    const result = await logIn();
    auth.noteRegistration(server, undefined);
    return result;
  } catch (error) {
    if (!HoltError.is(error, 'client-registration-needed')) throw error;
    auth.noteRegistration(server, error);
    // A connection that works does not need a registered client.
    if (connections.get(server)?.status().status !== 'connected') await servers.disconnect(server);
    await servers.connect(server);
    throw error;
  }
}

/** Resolves a name to the target of a login. Asks for approval, as for a start. */
async function targetOf(
  name: string,
  { roster, plan, auth, requireOpen }: HostLoginsParts,
): Promise<LoginTarget> {
  requireOpen();
  const entry = roster.find(name);
  refuseProgram(entry);
  const planned = await plan(name, { ask: true });
  refuseOwnHeader(entry, planned);
  const target = await auth.targetOf(planned);
  if (target !== undefined) return target;
  const server = entry.ref;
  const reason = 'its definition forbids logging in (oauth: false)';
  throw new HoltError(
    'auth-unsupported',
    `Cannot log in to "${server}": ${reason}.`,
    { server, reason },
    { remedy: `To log in, remove oauth: false from ${entry.definition.origin.file || 'its definition'}.` },
  );
}

function refuseProgram({ ref, definition }: Entry): void {
  if (definition.launch.kind === 'stdio') throw notForPrograms(ref);
}

/**
 * Refuses a login if the definition sets an Authorization header, because that header would be sent instead
 * of the token.
 */
function refuseOwnHeader({ ref, definition }: Entry, plan: LaunchPlan): void {
  if (plan.kind === 'stdio') return;
  const own = Object.keys(plan.headers).find((name) => name.toLowerCase() === 'authorization');
  if (own === undefined) return;
  const where = definition.origin.file || 'its definition';
  const reason = `the header "${own}" that is configured in ${where} is sent in place of any login`;
  throw new HoltError(
    'auth-unsupported',
    `Logging in to "${ref}" would change nothing: ${reason}`,
    { server: ref, reason },
    { remedy: `Take the header out of ${where} to log in, or correct it there.` },
  );
}

/** Reconnects, because an existing connection does not use the new login. */
async function reconnect({ server }: LoginTarget, { bus, servers }: HostLoginsParts): Promise<Status> {
  bus.emit('mcp.auth.completed', { server });
  await servers.disconnect(server);
  return servers.connect(server, { ifEnabled: true });
}

/**
 * Selects the running logins to cancel before the stored one is removed. One that finishes later would be
 * stored again.
 */
function whoLogsOut(name: string, { roster }: HostLoginsParts): WhyOver {
  const entry = knownEntry(name, roster);
  const id = credentialOf(name, entry);
  const isMeant = (target: LoginTarget): boolean =>
    entry === undefined ? target.credentialId === id : target.server === entry.ref;
  return (target) => (isMeant(target) ? 'the user logged out in the meantime' : undefined);
}

/**
 * Cancels logins whose server was removed, disabled or moved to another URL. They would hold their port for
 * nothing.
 */
function followChanges({ bus, debug, roster, auth }: HostLoginsParts): void {
  bus.on('mcp.config.changed', ({ changed }) => {
    const why: WhyOver = ({ server, serverUrl }) => {
      const entry = knownEntry(server, roster);
      if (entry === undefined) return 'the server was removed';
      if (!changed.includes(server)) return undefined;
      if (!entry.definition.enabled) return 'the server was disabled';
      const url = urlOf(entry);
      return url === serverUrl || isTemplate(url) ? undefined : "the server's URL was changed";
    };
    auth.cancel(why).catch((error: unknown) => debug(`a login could not be cancelled: ${String(error)}`));
  });
}

/** The target of a logout. The server may be gone or not approved and still have a stored login. */
async function storedTarget(name: string, parts: HostLoginsParts): Promise<LoginTarget | undefined> {
  const found = await recordOf(name, parts);
  if (found === undefined) return undefined;
  const { namedTarget } = await import('./login-target.ts');
  const plain = { ...namedTarget(found.id, found.record.serverUrl), server: name };
  try {
    const target = await parts.auth.targetOf(await parts.plan(name, { ask: false }));
    return target?.serverUrl === found.record.serverUrl
      ? { ...target, ...plain, oauth: target.oauth }
      : plain;
  } catch {
    return plain;
  }
}

interface StoredRecord {
  readonly id: string;
  readonly record: CredentialRecord;
}

/**
 * Finds the stored login by name and, if the URL has no placeholders, by URL. Resolves no values and asks no
 * questions.
 */
async function recordOf(name: string, { roster, auth }: HostLoginsParts): Promise<StoredRecord | undefined> {
  const entry = knownEntry(name, roster);
  if (entry?.definition.launch.kind === 'stdio') return undefined;
  const base = credentialOf(name, entry);
  const all = (await auth.store().list()).filter(({ id }) => id === base || id.startsWith(`${base}#`));
  const url = urlOf(entry);
  const byUrl = all.find(({ record }) => record.serverUrl === url);
  return byUrl ?? (url === undefined || isTemplate(url) ? all.find(({ id }) => id === base) : undefined);
}

function credentialOf(name: string, entry: Entry | undefined): string {
  if (entry === undefined) return `mcp:${name.replace(/^mcp:/, '')}`;
  return entry.definition.auth?.credentialId ?? `mcp:${entry.definition.name}`;
}

function urlOf(entry: Entry | undefined): string | undefined {
  const launch = entry?.definition.launch;
  return launch === undefined || launch.kind === 'stdio' ? undefined : launch.url;
}

/** True if the resolved URL may differ from the written one. */
function isTemplate(url = ''): boolean {
  return /[${}%]/.test(url);
}

function knownEntry(name: string, roster: HostLoginsParts['roster']): Entry | undefined {
  try {
    return roster.find(name);
  } catch (error) {
    if (HoltError.is(error, 'server-not-found')) return undefined;
    throw error;
  }
}

/** Emits an event and shows a toast when a server needs a login or a registered client. */
function announce(parts: HostLoginsParts): void {
  parts.bus.on('mcp.status.changed', ({ server, status }) => {
    if (status.status === 'needs_client_registration') announceClient(server, parts);
    if (status.status !== 'needs_auth') return;
    const message = `MCP Authentication Required: ${server}`;
    parts.bus.emit('mcp.auth.required', { server, status: 'needs_auth', message });
    parts.toast(message);
  });
}

function announceClient(server: string, { bus, toast }: HostLoginsParts): void {
  const message = `${server}: server requires a pre-registered client id`;
  bus.emit('mcp.auth.required', { server, status: 'needs_client_registration', message });
  toast(message);
}
