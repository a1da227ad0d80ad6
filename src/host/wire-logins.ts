/** Implements the logins of a host: resolves names to servers, and reconnects a server after a login. */

import type { LoginTarget } from '../auth/login-target.ts';
import { notForPrograms } from '../auth/login-errors.ts';
import type { LoginOptions, WhyOver } from '../auth/logins.ts';
import type { ServerEntry, Supervisor } from '../connection/supervisor.ts';
import type { CredentialRecord } from '../kernel/credentials.ts';
import { HoltError } from '../kernel/errors.ts';
import type { Status } from '../kernel/status.ts';
import type { LaunchPlan } from '../secrets/launch-plan.ts';
import { stateOf } from '../auth/login-records.ts';
import type { HostLogins, HostOptions, HostServers } from './host.ts';
import type { PlanServer } from './admission.ts';
import type { HostEnvironment } from './environment.ts';
import type { HostRoster } from './host-roster.ts';
import { createSharedLogins } from './shared-logins.ts';
import type { WiredAuth } from './wire-auth.ts';

export interface HostShared {
  readonly options: Pick<HostOptions, 'interaction'>;
  readonly environment: HostEnvironment;
  readonly roster: HostRoster;
  readonly supervisor: Supervisor;
  readonly auth: WiredAuth;
  readonly plan: PlanServer;
  readonly closing: AbortController;
  readonly requireOpen: () => void;
  readonly servers: Pick<HostServers, 'connect' | 'disconnect'>;
}

export function wireLogins(shared: HostShared): HostLogins {
  const { roster, auth, environment, closing } = shared;
  announce(shared);
  followChanges(shared);
  const sharedLogins = createSharedLogins();
  closing.signal.addEventListener('abort', () => void auth.close(), { once: true });
  return {
    startAuth: async (name, options = {}) => {
      const target = await targetOf(name, shared);
      return withRegistration(target, async () => (await auth.logins()).start(target, options.scope), shared);
    },
    finishAuth: async (name, answer) => {
      const target = await targetOf(name, shared);
      await (await auth.logins()).finish(target, answer);
      return reconnect(target, shared);
    },
    authenticate: async (name, options = {}) =>
      sharedLogins.join(roster.find(name).ref, options, (asked) => authenticate(name, asked, shared)),
    removeAuth: async (name) => {
      await auth.callOff(whoLogsOut(name, shared));
      const target = await storedTarget(name, shared);
      if (target === undefined) return { removed: false, revoked: false };
      const outcome = await (await auth.logins()).remove(target);
      const connection = shared.supervisor.connections.get(target.server);
      if (outcome.removed && connection?.status().status === 'connected') await connection.disconnect();
      return outcome;
    },
    supportsOAuth: (name) => {
      const launch = knownEntry(name, roster)?.definition.launch;
      return launch !== undefined && launch.kind !== 'stdio' && launch.oauth !== false;
    },
    hasStoredTokens: async (name) => (await recordOf(name, shared))?.record.tokens !== undefined,
    getAuthStatus: async (name) => stateOf((await recordOf(name, shared))?.record, environment.wallNow()),
    logins: async () => (await auth.logins()).list(),
  };
}

async function authenticate(name: string, options: LoginOptions, shared: HostShared): Promise<Status> {
  const target = await targetOf(name, shared);
  const logIn = async (): Promise<void> => (await shared.auth.logins()).authenticate(target, options);
  await withRegistration(target, logIn, shared);
  return reconnect(target, shared);
}

/** Records a refused client registration as the status of the server until a login succeeds. */
async function withRegistration<Result>(
  { server }: LoginTarget,
  logIn: () => Promise<Result>,
  { auth, servers, supervisor }: HostShared,
): Promise<Result> {
  try {
    const result = await logIn();
    auth.noteRegistration(server, undefined);
    return result;
  } catch (error) {
    if (!HoltError.is(error, 'client-registration-needed')) throw error;
    auth.noteRegistration(server, error);
    // A connection that works does not need a registered client.
    if (supervisor.connections.get(server)?.status().status !== 'connected') await servers.disconnect(server);
    await servers.connect(server);
    throw error;
  }
}

/** Resolves a name to the target of a login. Asks for approval, as for a start. */
async function targetOf(name: string, { roster, plan, auth, requireOpen }: HostShared): Promise<LoginTarget> {
  requireOpen();
  const entry = roster.find(name);
  refuseProgram(entry);
  const planned = await plan(entry, { ask: true });
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

function refuseProgram({ ref, definition }: ServerEntry): void {
  if (definition.launch.kind === 'stdio') throw notForPrograms(ref);
}

/**
 * Refuses a login if the definition sets an Authorization header, because that header would be sent instead
 * of the token.
 */
function refuseOwnHeader({ ref, definition }: ServerEntry, plan: LaunchPlan): void {
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
async function reconnect({ server }: LoginTarget, { environment, servers }: HostShared): Promise<Status> {
  environment.bus.emit('mcp.auth.completed', { server });
  await servers.disconnect(server);
  return servers.connect(server, { ifEnabled: true });
}

/**
 * Selects the running logins to cancel before the stored one is removed. One that finishes later would be
 * stored again.
 */
function whoLogsOut(name: string, { roster }: HostShared): WhyOver {
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
function followChanges({ environment, roster, auth }: HostShared): void {
  environment.bus.on('mcp.config.changed', ({ changed }) => {
    const why: WhyOver = ({ server, serverUrl }) => {
      const entry = knownEntry(server, roster);
      if (entry === undefined) return 'the server was removed';
      if (!changed.includes(server)) return undefined;
      if (!entry.definition.enabled) return 'the server was disabled';
      const url = urlOf(entry);
      return url === serverUrl || isTemplate(url) ? undefined : "the server's URL was changed";
    };
    auth
      .callOff(why)
      .catch((error: unknown) => environment.debug(`a login could not be cancelled: ${String(error)}`));
  });
}

/** The target of a logout. The server may be gone or not approved and still have a stored login. */
async function storedTarget(name: string, shared: HostShared): Promise<LoginTarget | undefined> {
  const found = await recordOf(name, shared);
  if (found === undefined) return undefined;
  const { namedTarget } = await import('../auth/login-target.ts');
  const plain = { ...namedTarget(found.id, found.record.serverUrl), server: name };
  try {
    const entry = shared.roster.find(name);
    const target = await shared.auth.targetOf(await shared.plan(entry, { ask: false }));
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
async function recordOf(name: string, { roster, auth }: HostShared): Promise<StoredRecord | undefined> {
  const entry = knownEntry(name, roster);
  if (entry?.definition.launch.kind === 'stdio') return undefined;
  const base = credentialOf(name, entry);
  const all = (await auth.store().list()).filter(({ id }) => id === base || id.startsWith(`${base}#`));
  const url = urlOf(entry);
  const byUrl = all.find(({ record }) => record.serverUrl === url);
  return byUrl ?? (url === undefined || isTemplate(url) ? all.find(({ id }) => id === base) : undefined);
}

function credentialOf(name: string, entry: ServerEntry | undefined): string {
  if (entry === undefined) return `mcp:${name.replace(/^mcp:/, '')}`;
  return entry.definition.auth?.credentialId ?? `mcp:${entry.definition.name}`;
}

function urlOf(entry: ServerEntry | undefined): string | undefined {
  const launch = entry?.definition.launch;
  return launch === undefined || launch.kind === 'stdio' ? undefined : launch.url;
}

/** True if the resolved URL may differ from the written one. */
function isTemplate(url = ''): boolean {
  return /[${}%]/.test(url);
}

function knownEntry(name: string, roster: HostShared['roster']): ServerEntry | undefined {
  try {
    return roster.find(name);
  } catch (error) {
    if (HoltError.is(error, 'server-not-found')) return undefined;
    throw error;
  }
}

/** Emits an event and shows a toast when a server needs a login or a registered client. */
function announce(shared: HostShared): void {
  shared.environment.bus.on('mcp.status.changed', ({ server, status }) => {
    if (status.status === 'needs_client_registration') announceClient(server, shared);
    if (status.status !== 'needs_auth') return;
    const message = `MCP Authentication Required: ${server}`;
    shared.environment.bus.emit('mcp.auth.required', { server, status: 'needs_auth', message });
    shared.options.interaction?.toast?.({ level: 'warning', text: message });
  });
}

function announceClient(server: string, { environment, options }: HostShared): void {
  const message = `${server}: server requires a pre-registered client id`;
  environment.bus.emit('mcp.auth.required', { server, status: 'needs_client_registration', message });
  options.interaction?.toast?.({ level: 'warning', text: message });
}
