/** Opens a host: the one place that knows all rooms and puts them together. */

import type { Supervisor } from '../connection/supervisor.ts';
import { createRedactor } from '../masking/redactor.ts';
import { realClock } from '../platform/clock.ts';
import { realFiles } from '../platform/files.ts';
import { readIdentity, readMachine } from '../platform/machine-facts.ts';
import { loadApprovals } from '../trust/load-approvals.ts';
import { createTrustStore } from '../trust/trust-store.ts';
import { createEventBus } from './event-bus.ts';
import { openRoster } from './host-roster.ts';
import type { Host, HostOptions } from './host.ts';
import { RunningHost } from './running-host.ts';
import { wireSupervisor, type HostParts, type World } from './wire-supervisor.ts';

const usualQuietMs = 100;

export async function openHost(options: HostOptions = {}): Promise<Host> {
  const { host } = await openHostWith(options, {});
  return host;
}

export interface OpenedHost {
  readonly host: Host;
  readonly supervisor: Supervisor;
}

/** With parts that tests exchange. */
export async function openHostWith(options: HostOptions, parts: HostParts): Promise<OpenedHost> {
  const world = createWorld(options, parts);
  const { machine, files } = world;
  const roster = await openRoster({
    machine,
    files,
    identity: readIdentity(),
    loadApprovals: world.loadApprovals,
    agents: options.agents,
    servers: options.servers ?? {},
  });
  const { supervisor, close } = wireSupervisor({ ...options, ...parts }, world, roster);
  const host = new RunningHost({
    roster,
    supervisor,
    bus: world.bus,
    debug: world.debug,
    watchQuietMs: options.watch === true ? (parts.quietMs ?? usualQuietMs) : undefined,
    onClose: close,
  });
  return { host, supervisor };
}

function createWorld(options: HostOptions, { clock = realClock, wallNow = Date.now }: HostParts): World {
  const machine = readMachine(options);
  const redactor = createRedactor();
  const { logger } = options;
  const warn = (message: string): void => logger?.warn(redactor.redact(message));
  const store = options.stores?.trust ?? createTrustStore(machine, realFiles);
  const digests = options.trust?.digests ?? [];
  return {
    machine,
    files: realFiles,
    clock,
    wallNow,
    redactor,
    store,
    warn,
    debug: (message) => logger?.debug(redactor.redact(message)),
    bus: createEventBus({
      wallNow,
      onListenerFailed: (name, error) => warn(`a listener to ${name} failed: ${String(error)}`),
    }),
    loadApprovals: (files) => loadApprovals(machine, files, { digests, store }),
  };
}
