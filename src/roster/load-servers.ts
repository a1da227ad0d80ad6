/**
 * `loadServers`: the library's function to read what is configured. It never connects, runs or writes
 * anything.
 */

import { viewOf, type ServerDefinitionView } from '../kernel/definition-view.ts';
import type { Problem } from '../kernel/problems.ts';
import type { AgentName } from '../kernel/agent-ids.ts';
import type { Origin } from '../kernel/servers.ts';
import { realFiles } from '../platform/files/files.ts';
import { readIdentity, readMachine, type MachineOptions } from '../platform/machine-facts.ts';
import { loadApprovals } from '../trust/load-approvals.ts';
import { isAllowed } from '../trust/trust-state.ts';
import { loadRoster, type Roster } from './load-roster.ts';
import type { RosterEntry } from './rank.ts';

export interface LoadServersOptions extends MachineOptions {
  readonly agents?: readonly AgentName[] | undefined;
}

export interface LoadedServer extends ServerDefinitionView {
  readonly trusted: boolean;
  readonly shadows: readonly Origin[];
}

export interface ShadowedServer extends LoadedServer {
  readonly ref: string;
}

export interface LoadedServers {
  readonly servers: readonly LoadedServer[];
  readonly shadowed: readonly ShadowedServer[];
  readonly problems: readonly Problem[];
}

export async function loadServers(options: LoadServersOptions = {}): Promise<LoadedServers> {
  const machine = readMachine(options);
  const parts = {
    machine,
    files: realFiles,
    identity: readIdentity(),
    approvals: loadApprovals(machine, realFiles),
  };
  return loadedServers(await loadRoster({ agents: options.agents }, parts));
}

export function loadedServers({ servers, shadowed, problems }: Roster): LoadedServers {
  return {
    servers: servers.map(viewEntry),
    shadowed: shadowed.map((entry) => ({ ref: entry.ref, ...viewEntry(entry) })),
    problems: problems.filter(({ severity }) => severity !== 'info'),
  };
}

function viewEntry({ definition, trust, shadows }: RosterEntry): LoadedServer {
  return Object.assign(viewOf(definition), { trusted: isAllowed(trust), shadows });
}
