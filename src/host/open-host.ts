/** Opens a host: the one place that imports all modules and connects them. */

import { createCalls } from '../calls/create-calls.ts';
import { createHookSets } from '../calls/hooks.ts';
import { createCatalog, type Catalog } from '../catalog-state/create-catalog.ts';
import { createCurrentPolicy, type CurrentPolicy } from '../catalog-state/current-policy.ts';
import type { Connection } from '../connection/connection.ts';
import type { Supervisor } from '../connection/supervisor.ts';
import type { Interaction } from '../kernel/interaction.ts';
import { loadRoster, type Roster } from '../roster/load-roster.ts';
import { createEnvironment, type HostEnvironment, type HostParts } from './environment.ts';
import { openRoster, type HostRoster } from './host-roster.ts';
import type { Host, HostCatalog, HostLogins, HostOptions } from './host.ts';
import { requireOptions, requireServers } from './require-options.ts';
import { requireTlsChecks } from './require-tls-checks.ts';
import { hostClosed, RunningHost } from './running-host.ts';
import { Saver } from './save-changes.ts';
import { createHostLogins } from '../auth/host-logins.ts';
import { wireSupervisor, type WiredSupervisor } from './wire-supervisor.ts';

const defaultQuietMs = 100;

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
  const environment = await createEnvironment(options, parts);
  const { machine, bus, debug } = environment;
  requireServers(options.servers ?? {}, machine);
  const roster = await rosterOf(options, environment);
  requireTlsChecks(machine.env, roster.entries());
  const policy = createCurrentPolicy({ ...environment, emit: bus.emit, roster, rules: options.policy });
  const shared: Shared = { options, parts, environment, roster, policy, closing: new AbortController() };
  const started = startModules(shared, () => host);
  const { catalog, calls, supervisor, sdkClientOf, close } = started;
  const ready = (): Promise<void> => readRules(policy, environment);
  const servers = new RunningHost({
    roster,
    supervisor,
    sdkClientOf,
    bus,
    saver: createSaver(environment),
    debug,
    closing: shared.closing,
    mayAsk: canAskBeforeStart(options.interaction),
    watchQuietMs: options.watch === true ? (parts.quietMs ?? defaultQuietMs) : undefined,
    moreProblems: () => [...policy.problems(), ...catalog.problems()],
    onLoaded: ready,
    onReplaced: (old, next) => catalog.replaced(old, next),
    onReloaded: async () => void (await Promise.allSettled([catalog.reloaded()])),
    onClose: async () => void (await Promise.allSettled([close(), calls.close(), catalog.close()])),
  });
  const logins = createHostLogins({
    ...environment,
    ...started,
    roster,
    connections: supervisor.connections,
    plan: (name, asking) => started.plan(roster.find(name), asking),
    toast: toastOf(options),
    servers,
    closing: shared.closing.signal,
  });
  const host = joinHost(servers, { ...catalog.methods, ...calls.methods, ...logins }, shared);
  return { host, supervisor, roster: () => roster.current, ready };
}

interface Shared {
  readonly options: HostOptions;
  readonly parts: HostParts;
  readonly environment: HostEnvironment;
  readonly roster: HostRoster;
  readonly policy: CurrentPolicy;
  readonly closing: AbortController;
}

interface StartedModules extends WiredSupervisor {
  readonly catalog: Catalog;
  readonly calls: ReturnType<typeof createCalls>;
  readonly requireOpen: () => void;
}

/** Connects supervisor, catalog and calls. Starts no server. */
function startModules(shared: Shared, host: () => Host): StartedModules {
  const { options, parts, environment, roster, policy } = shared;
  const closing = shared.closing.signal;
  const hooks = createHookSets({
    program: options.hooks,
    plugins: options.plugins ?? [],
    machine: environment.machine,
    roster,
  });
  const wired = wireSupervisor({ ...options, ...parts }, environment, {
    roster,
    hooks,
    onListChanged: (server, kind) => catalog.onListChanged(server, kind),
  });
  const { supervisor, wake } = wired;
  for (const entry of roster.entries()) supervisor.add(entry);
  const requireOpen = (): void => {
    if (closing.aborted) throw hostClosed();
  };
  const connectionOf = (name: string): Connection =>
    supervisor.connections.get(name) ?? supervisor.add(roster.find(name));
  const catalog: Catalog = createCatalog({
    ...environment,
    roster,
    supervisor,
    policy,
    closing,
    connectionOf,
    requireOpen,
    toast: toastOf(options),
    pins: options.stores?.pins,
    cache: options.stores?.cache,
    ownPinning: options.pinning ?? 'warn',
    naming: options.naming,
    startsOnlyNeeded: parts.startsOnlyNeeded === true,
  });
  const calls = createCalls({
    ...environment,
    roster,
    wake,
    hooks,
    policy,
    catalog,
    ask: options.interaction?.askPermission,
    host,
    connectionOf,
    requireOpen,
    keepsResults: parts.keepsResults === true,
  });
  return { ...wired, catalog, calls, requireOpen };
}

function toastOf({ interaction }: HostOptions): (text: string) => void {
  return (text) => interaction?.toast?.({ level: 'warning', text });
}

async function readRules(policy: CurrentPolicy, { debug }: HostEnvironment): Promise<void> {
  await policy.read().catch((error: unknown) => debug(`reading the rules failed: ${String(error)}`));
}

function rosterOf(
  { agents, servers = {}, plugins = [] }: HostOptions,
  { machine, files, identity, loadApprovals: load }: HostEnvironment,
): Promise<HostRoster> {
  const pluginServers: Record<string, unknown> = Object.assign(
    {},
    ...plugins.toReversed().map((plugin) => plugin.servers ?? {}),
  );
  return openRoster({ machine, files, identity, loadApprovals: load, agents, servers, pluginServers });
}

function createSaver(environment: HostEnvironment): Saver {
  const { machine, files, identity, wallNow } = environment;
  return new Saver({
    machine,
    files,
    now: wallNow,
    loadDefinitions: async (agent) => {
      const parts = { machine, files, identity, approvals: environment.loadApprovals(files) };
      const { candidates } = await loadRoster({ agents: [agent] }, parts);
      return candidates.map(({ definition }) => definition);
    },
  });
}

/** Joins the methods of a host, each from its own module, into one object. */
function joinHost(
  servers: RunningHost,
  methods: HostCatalog & HostLogins,
  { environment: { bus }, options: { interaction } }: Shared,
): Host {
  const close = (): Promise<void> => servers.close();
  return {
    ...methods,
    on: bus.on,
    off: bus.off,
    definitions: () => servers.definitions(),
    problems: () => servers.problems(),
    status: () => servers.status(),
    report: () => servers.report(),
    connect: servers.connect.bind(servers),
    disconnect: (name) => servers.disconnect(name),
    reload: () => servers.reload(),
    clients: () => servers.clients(),
    add: (name, config, options) => servers.add(name, config, options),
    remove: (name, options) => servers.remove(name, options),
    enable: (name, options) => servers.enable(name, options),
    disable: (name, options) => servers.disable(name, options),
    canAsk: (about) => hasQuestions(about, interaction),
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
