/** Opens a host: the one place that knows all rooms and puts them together. */

import { createEraFile } from '../connection/era-file.ts';
import { createEraMemory } from '../connection/era-memory.ts';
import { limitsFor } from '../connection/limits.ts';
import {
  createStartSlots,
  createSupervisor,
  usualTuning,
  type Supervisor,
  type Tuning,
} from '../connection/supervisor.ts';
import { createWakeWatch } from '../connection/wake-watch.ts';
import type { BackoffOptions } from '../connection/backoff.ts';
import type { Machine } from '../kernel/machine.ts';
import { createRedactor, type Redactor } from '../masking/redactor.ts';
import { realClock, type Clock } from '../platform/clock.ts';
import { realFiles, type Files } from '../platform/files.ts';
import { findProgram } from '../platform/find-program.ts';
import { readIdentity, readMachine } from '../platform/machine-facts.ts';
import { runCommand } from '../platform/run-command.ts';
import { contentKey } from '../roster/same-server.ts';
import { resolveLaunch } from '../secrets/resolve-launch.ts';
import { createSecretCache } from '../secrets/secret-cache.ts';
import { loadApprovals } from '../trust/load-approvals.ts';
import { passTrustGate } from '../trust/trust-gate.ts';
import type { Approvals } from '../trust/trust-state.ts';
import { createTrustStore } from '../trust/trust-store.ts';
import { createClientMaker } from './create-client.ts';
import { createEventBus, type EventBus } from './event-bus.ts';
import { openRoster, type HostRoster } from './host-roster.ts';
import type { Host, HostOptions } from './host.ts';
import { RunningHost } from './running-host.ts';
import { wireTransports } from './wire-transports.ts';

/** What tests may exchange. */
export interface HostParts {
  readonly clock?: Clock;
  readonly wallNow?: () => number;
  readonly tuning?: Partial<Tuning>;
  readonly backoff?: BackoffOptions;
  readonly livenessMs?: number;
  /** How long files must be quiet before a burst of changes is read. */
  readonly quietMs?: number;
}

const usualQuietMs = 100;

export function openHost(options: HostOptions = {}): Promise<Host> {
  return openHostWith(options, {});
}

export async function openHostWith(options: HostOptions, parts: HostParts): Promise<Host> {
  const world = createWorld(options, parts);
  const { machine, files, approvals } = world;
  const roster = await openRoster({
    machine,
    files,
    identity: readIdentity(),
    loadApprovals: approvals,
    agents: options.agents,
    servers: options.servers ?? {},
  });
  const { supervisor, close } = wireSupervisor(options, parts, world, roster);
  return new RunningHost({
    roster,
    supervisor,
    bus: world.bus,
    debug: world.debug,
    watchQuietMs: options.watch === true ? (parts.quietMs ?? usualQuietMs) : undefined,
    onClose: close,
  });
}

interface World {
  readonly machine: Machine;
  readonly files: Files;
  readonly clock: Clock;
  readonly wallNow: () => number;
  readonly redactor: Redactor;
  readonly bus: EventBus;
  readonly approvals: (files: Files) => Approvals;
  readonly debug: (message: string) => void;
}

function createWorld(options: HostOptions, { clock = realClock, wallNow = Date.now }: HostParts): World {
  const machine = readMachine(options);
  const redactor = createRedactor();
  const { logger } = options;
  const debug = (message: string): void => logger?.debug(redactor.redact(message));
  const store = options.stores?.trust;
  const digests = options.trust?.digests ?? [];
  return {
    machine,
    files: realFiles,
    clock,
    wallNow,
    redactor,
    bus: createEventBus({
      wallNow,
      onListenerFailed: (name, error) =>
        logger?.warn(redactor.redact(`a listener to ${name} failed: ${String(error)}`)),
    }),
    approvals: (files) =>
      loadApprovals(machine, files, { digests, ...(store === undefined ? {} : { store }) }),
    debug,
  };
}

function wireSupervisor(
  options: HostOptions,
  parts: HostParts,
  world: World,
  roster: HostRoster,
): { readonly supervisor: Supervisor; readonly close: () => Promise<void> } {
  const { machine, files, clock, wallNow, redactor, bus, approvals, debug } = world;
  const { interaction = {} } = options;
  const settings = () => roster.current.settings.settings;
  const cache = createSecretCache(() => clock.now());
  const wake = createWakeWatch({ clock, wallNow });
  const eras = createEraMemory({ store: createEraFile(machine, files), wallNow });
  const clients = createClientMaker(interaction, machine);
  const debugServer = (server: string, message: string): void => debug(`${server}: ${message}`);
  const transports = wireTransports({
    machine,
    files,
    clock,
    wallNow,
    redactor,
    settings,
    definitionOf: (ref) => supervisor.connections.get(ref)?.entry.definition,
    warn: (message) => options.logger?.warn(redactor.redact(message)),
    debug: debugServer,
  });
  const freshApprovals = (): Approvals => approvals(files);
  const store = options.stores?.trust ?? createTrustStore(machine, files);
  const supervisor: Supervisor = createSupervisor({
    open: transports.open,
    slots: createStartSlots(settings().concurrency),
    clock,
    wallNow,
    wake,
    eras,
    sender: clients.sender,
    tuning: { ...usualTuning, ...parts.tuning },
    ...(parts.backoff === undefined ? {} : { backoff: parts.backoff }),
    ...(parts.livenessMs === undefined ? {} : { livenessMs: parts.livenessMs }),
    emit: bus.emit,
    redact: (text) => redactor.redact(text),
    admit: ({ definition }, { ask }) =>
      passTrustGate(definition, {
        machine,
        files,
        loadApprovals: freshApprovals,
        store,
        confirmTrust: ask ? interaction.confirmTrust : undefined,
        resolveProgram: (command, cwd) => findProgram(command, { os: machine.os, env: machine.env, cwd }),
        now: () => new Date(wallNow()),
      }),
    resolve: (server) =>
      resolveLaunch(server, {
        machine,
        files,
        runCommand,
        cache,
        redactor,
        askSecret: interaction.askSecret,
        loadApprovals: freshApprovals,
      }),
    createClient: clients.create,
    limitsOf: ({ definition }) => limitsFor(definition, [settings().timeouts, options.timeouts ?? {}]),
    eraKeyOf: ({ definition }) => contentKey(definition),
    debug: debugServer,
  });
  // A login that no longer holds may have come from a command whose answer is remembered.
  bus.on('mcp.status.changed', ({ status }) => {
    if (status.status === 'needs_auth') cache.drop();
  });
  const close = async (): Promise<void> => {
    await Promise.allSettled([transports.close(), eras.flush()]);
    wake.close();
  };
  return { supervisor, close };
}
