/** Opens a host: the one place that imports all modules and connects them. */

import { pathToFileURL } from 'node:url';

import type { Connection } from '../connection/connection.ts';
import type { Supervisor } from '../connection/supervisor.ts';
import { holtApp, type AppIdentity } from '../auth/app-identity.ts';
import { agentIdOf } from '../kernel/agent-ids.ts';
import type { Interaction } from '../kernel/interaction.ts';
import { createRedactor } from '../masking/redactor.ts';
import { realClock } from '../platform/clock.ts';
import { realFiles } from '../platform/files/files.ts';
import { readIdentity, readMachine } from '../platform/machine-facts.ts';
import { loadRoster, type Roster } from '../roster/load-roster.ts';
import { createServerRequests } from '../server-requests/server-requests.ts';
import { createStartQuestions } from '../server-requests/start-questions.ts';
import { loadAgentTrust } from '../trust/folder-trust.ts';
import { loadApprovals } from '../trust/load-approvals.ts';
import { createTrustStore } from '../trust/trust-store.ts';
import { createHostPolicy, type HostPolicy } from './catalog/host-policy.ts';
import { createEventBus } from './event-bus.ts';
import { openRoster, type HostRoster } from './host-roster.ts';
import type { Host, HostCatalog, HostLogins, HostOptions, HostServers } from './host.ts';
import { requireOptions, requireServers } from './require-options.ts';
import { requireTlsChecks } from './require-tls-checks.ts';
import { lateCatalog } from './late-catalog.ts';
import { createNewLists } from './new-lists.ts';
import { RunningHost } from './running-host.ts';
import { Saver } from './save-changes.ts';
import type { HostShared } from './host-shared.ts';
import { wireCatalog } from './wire-catalog.ts';
import { wireHooks } from './wire-hooks.ts';
import { wireLogins } from './wire-logins.ts';
import { wireSupervisor } from './wire-supervisor.ts';
import type { HostParts, World } from './world.ts';

const usualQuietMs = 100;

/**
 * Opens a host for one project folder. Connects nothing: servers start when they are needed or on `connect`.
 * Rejects with `config-invalid` for invalid options or servers, and with `usage-invalid` if the environment
 * disables certificate checks while a server uses TLS. Problems in config files do not reject; see
 * `host.problems()`.
 * Example: `await using host = await openHost({ cwd: '/path/to/project' });`
 */
export async function openHost(options: HostOptions = {}): Promise<Host> {
  const { host, ready } = await openHostWith(options, {});
  await ready();
  return host;
}

export interface OpenedHost {
  readonly host: Host;
  readonly supervisor: Supervisor;
  /** The current result of reading the files and the program's options. */
  readonly roster: () => Roster;
  /**
   * Settles when all problems, including those in rules, are known. Not needed before a single call. Never
   * rejects.
   */
  readonly ready: () => Promise<void>;
}

/** `openHost` with the parts that tests and holt's own commands replace. */
export async function openHostWith(given: HostOptions, parts: HostParts): Promise<OpenedHost> {
  const options = requireOptions(given);
  const world = await createWorld(options, parts);
  requireServers(options.servers ?? {}, world.machine);
  const roster = await rosterOf(options, world);
  requireTlsChecks(world.machine.env, roster.entries());
  const hooks = wireHooks(options, world, roster);
  const wired = wireSupervisor({ ...options, ...parts }, world, roster, hooks);
  const { supervisor, wake, close, auth, plan } = wired;
  const policy = createHostPolicy({ world, roster, given: options.policy });
  const ready = (): Promise<void> => readRules(policy, world);
  const problems = [() => policy.problems()];
  const closing = new AbortController();
  const closers = [close];
  const followers: (() => Promise<void>)[] = [];
  const heirs: ((old: Connection, next: Connection) => void)[] = [];
  const running = new RunningHost({
    roster,
    supervisor,
    bus: world.bus,
    saver: createSaver(world),
    debug: world.debug,
    mayAsk: canAskBeforeStart(options.interaction),
    watchQuietMs: options.watch === true ? (parts.quietMs ?? usualQuietMs) : undefined,
    moreProblems: () => problems.flatMap((read) => read()),
    onLoaded: ready,
    onReplaced: (old, next) => heirs.forEach((tell) => tell(old, next)),
    onReloaded: async () => void (await Promise.allSettled(followers.map((follow) => follow()))),
    onClose: async () => void (await Promise.allSettled(closers.map((end) => end()))),
  });
  const shared: HostShared = {
    options,
    parts,
    world,
    roster,
    supervisor,
    wake,
    servers: running,
    hooks,
    auth,
    policy,
    addProblems: (read) => void problems.push(read),
    plan,
    closing: closing.signal,
    onReplaced: (then) => void heirs.push(then),
    onReloaded: (then) => void followers.push(then),
    onClose: (end) => void closers.push(end),
    host: () => host,
  };
  const shut = (): Promise<void> => {
    closing.abort(new Error('the host is closed'));
    return running.close();
  };
  const catalog = lateCatalog(world, { wire: () => wireCatalog(shared), prepare: ready });
  const host = joinHost(running, catalog, wireLogins(shared), {
    close: shut,
    canAsk: (about) => hasQuestions(about, options.interaction),
  });
  return { host, supervisor, roster: () => roster.current, ready };
}

async function readRules(policy: HostPolicy, { debug }: World): Promise<void> {
  await policy.read().catch((error: unknown) => debug(`reading the rules failed: ${String(error)}`));
}

function rosterOf(
  { agents, servers = {}, plugins = [] }: HostOptions,
  { machine, files, identity, loadApprovals: load }: World,
): Promise<HostRoster> {
  const pluginServers: Record<string, unknown> = Object.assign(
    {},
    ...plugins.toReversed().map((plugin) => plugin.servers ?? {}),
  );
  return openRoster({ machine, files, identity, loadApprovals: load, agents, servers, pluginServers });
}

function createSaver(world: World): Saver {
  const { machine, files, identity, wallNow } = world;
  return new Saver({
    machine,
    files,
    now: wallNow,
    loadDefinitions: async (agent) => {
      const parts = { machine, files, identity, approvals: world.loadApprovals(files) };
      const { candidates } = await loadRoster({ agents: [agent] }, parts);
      return candidates.map(({ definition }) => definition);
    },
  });
}

/** Joins the parts of a host, each from its own file, into one object. */
function joinHost(
  servers: HostServers,
  catalog: HostCatalog,
  logins: HostLogins,
  { close, canAsk }: Pick<Host, 'close' | 'canAsk'>,
): Host {
  return {
    canAsk,
    ...catalog,
    ...logins,
    definitions: () => servers.definitions(),
    problems: () => servers.problems(),
    status: () => servers.status(),
    report: () => servers.report(),
    connect: servers.connect.bind(servers),
    disconnect: (name) => servers.disconnect(name),
    reload: () => servers.reload(),
    clients: () => servers.clients(),
    on: (name, listener) => servers.on(name, listener),
    off: (name, listener) => servers.off(name, listener),
    add: (name, config, options) => servers.add(name, config, options),
    remove: (name, options) => servers.remove(name, options),
    enable: (name, options) => servers.enable(name, options),
    disable: (name, options) => servers.disable(name, options),
    close,
    [Symbol.asyncDispose]: close,
  };
}

const loginQuestions = ['openUrl', 'showDeviceCode', 'askCallback', 'askSecret', 'askPermission'] as const;

function hasQuestions(about: 'permission' | 'login', interaction: Interaction = {}): boolean {
  const questions = about === 'permission' ? (['askPermission'] as const) : loginQuestions;
  return questions.some((question) => typeof interaction[question] === 'function');
}

function canAskBeforeStart({ confirmTrust, confirmFolder }: Interaction = {}): boolean {
  return [confirmTrust, confirmFolder].some((question) => typeof question === 'function');
}

/** A program without a `url` must not inherit holt's, so the fields are not merged. */
function appOf({ app }: HostOptions): AppIdentity {
  if (app === undefined || app === null) return holtApp;
  const { name, version, url } = app;
  return { name, version: version ?? holtApp.version, ...(url === undefined || url === null ? {} : { url }) };
}

async function createWorld(
  options: HostOptions,
  { clock = realClock, wallNow = Date.now }: HostParts,
): Promise<World> {
  const machine = readMachine(options);
  const agentTrusts = await loadAgentTrust(agentIdOf(options.client ?? ''), { machine, files: realFiles });
  const redactor = createRedactor();
  const { logger } = options;
  const warn = (message: string): void => logger?.warn(redactor.redact(message));
  const debug = (message: string): void => logger?.debug(redactor.redact(message));
  const store = options.stores?.trust ?? createTrustStore(machine, realFiles);
  const digests = options.trust?.digests ?? [];
  const bus = createEventBus({
    wallNow,
    onListenerFailed: (name, error) => warn(`a listener to ${name} failed: ${String(error)}`),
  });
  return {
    machine,
    app: appOf(options),
    files: realFiles,
    identity: readIdentity(),
    clock,
    wallNow,
    redactor,
    store,
    warn,
    debug,
    bus,
    newLists: createNewLists(bus.emit),
    requests: createServerRequests({
      interaction: options.interaction ?? {},
      projectRoot: pathToFileURL(machine.projectRoot).href,
      clock,
      emit: bus.emit,
      debug,
    }),
    startQuestions: createStartQuestions(),
    loadApprovals: (files) => loadApprovals(machine, files, { digests, store, agentTrusts }),
  };
}
