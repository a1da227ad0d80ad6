/** Puts together what servers need to live: trust, secrets, transports, memory and clocks. */

import type { BackoffOptions } from '../connection/backoff.ts';
import type { ConnectionParts } from '../connection/connection.ts';
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
import type { Interaction } from '../kernel/interaction.ts';
import type { Machine } from '../kernel/machine.ts';
import type { Timeouts } from '../kernel/phases.ts';
import type { Redactor } from '../masking/redactor.ts';
import type { Clock } from '../platform/clock.ts';
import type { Files } from '../platform/files.ts';
import { findProgram } from '../platform/find-program.ts';
import { runCommand } from '../platform/run-command.ts';
import { contentKey } from '../roster/same-server.ts';
import { createCredentialFile } from '../secrets/credential-file.ts';
import { resolveLaunch } from '../secrets/resolve-launch.ts';
import { createSecretCache } from '../secrets/secret-cache.ts';
import type { Settings } from '../settings/settings.ts';
import { passTrustGate } from '../trust/trust-gate.ts';
import type { Approvals } from '../trust/trust-state.ts';
import type { TrustStore } from '../trust/trust-store.ts';
import { createClientMaker } from './create-client.ts';
import type { EventBus } from './event-bus.ts';
import type { HostRoster } from './host-roster.ts';
import { wireTransports, type WiredTransports } from './wire-transports.ts';

/** What tests may exchange. */
export interface HostParts {
  readonly clock?: Clock;
  readonly wallNow?: () => number;
  readonly tuning?: Partial<Tuning>;
  readonly backoff?: BackoffOptions;
  readonly livenessMs?: number;
  /** How often it is looked whether the machine slept. */
  readonly tickMs?: number;
  /** How long files must be quiet before a burst of changes is read. */
  readonly quietMs?: number;
}

/** What is there before any server is known. */
export interface World {
  readonly machine: Machine;
  readonly files: Files;
  readonly clock: Clock;
  readonly wallNow: () => number;
  readonly redactor: Redactor;
  readonly bus: EventBus;
  readonly store: TrustStore;
  readonly loadApprovals: (files: Files) => Approvals;
  readonly debug: (message: string) => void;
  readonly warn: (message: string) => void;
}

export interface WireOptions extends HostParts {
  readonly interaction?: Interaction | undefined;
  readonly timeouts?: Timeouts | undefined;
}

export function wireSupervisor(
  options: WireOptions,
  world: World,
  roster: HostRoster,
): { readonly supervisor: Supervisor; readonly close: () => Promise<void> } {
  const { machine, files, clock, wallNow, redactor, bus } = world;
  const settings = (): Settings => roster.current.settings.settings;
  const wake = createWakeWatch({
    clock,
    wallNow,
    ...(options.tickMs === undefined ? {} : { tickMs: options.tickMs }),
  });
  const eras = createEraMemory({ store: createEraFile(machine, files), wallNow });
  const clients = createClientMaker(options.interaction ?? {}, machine);
  const debug = (server: string, message: string): void => world.debug(`${server}: ${message}`);
  const transports: WiredTransports = wireTransports({
    ...world,
    settings,
    definitionOf: (ref) => supervisor.connections.get(ref)?.entry.definition,
    debug,
  });
  const supervisor: Supervisor = createSupervisor({
    ...gate(options.interaction ?? {}, world),
    open: transports.open,
    slots: createStartSlots(settings().concurrency),
    clock,
    wallNow,
    wake,
    eras,
    sender: clients.sender,
    tuning: { ...usualTuning, ...options.tuning },
    ...(options.backoff === undefined ? {} : { backoff: options.backoff }),
    ...(options.livenessMs === undefined ? {} : { livenessMs: options.livenessMs }),
    emit: bus.emit,
    redact: (text) => redactor.redact(text),
    createClient: clients.create,
    limitsOf: ({ definition }) => limitsFor(definition, [settings().timeouts, options.timeouts ?? {}]),
    eraKeyOf: ({ definition }) => contentKey(definition),
    debug,
  });
  const close = async (): Promise<void> => {
    await Promise.allSettled([transports.close(), eras.flush()]);
    wake.close();
  };
  return { supervisor, close };
}

/** From a definition to a plan: may it run, and with which values. */
function gate(interaction: Interaction, world: World): Pick<ConnectionParts, 'admit' | 'resolve'> {
  const { machine, files, clock, wallNow, redactor, bus, store } = world;
  const cache = createSecretCache(() => clock.now());
  const loadApprovals = (): Approvals => world.loadApprovals(files);
  // A login that no longer holds may have come from a command whose answer is remembered.
  bus.on('mcp.status.changed', ({ status }) => {
    if (status.status === 'needs_auth') cache.drop();
  });
  return {
    admit: ({ definition }, { ask }) =>
      passTrustGate(definition, {
        machine,
        files,
        loadApprovals,
        store,
        confirmTrust: ask ? interaction.confirmTrust : undefined,
        resolveProgram: (command, cwd) => findProgram(command, { os: machine.os, env: machine.env, cwd }),
        now: () => new Date(wallNow()),
      }),
    resolve: (server) => {
      const { askSecret } = interaction;
      const credentials = createCredentialFile(machine);
      return resolveLaunch(server, {
        machine,
        files,
        runCommand,
        cache,
        redactor,
        askSecret,
        loadApprovals,
        credentials,
      });
    },
  };
}
