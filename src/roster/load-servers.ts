/**
 * `loadServers`: the library's function to read what is configured. It never connects, runs or writes
 * anything.
 */

import type { AgentName } from '../kernel/agent-ids.ts';
import { viewOf, type ServerDefinitionView } from '../kernel/definition-view.ts';
import type { Problem } from '../kernel/problems.ts';
import type { Origin } from '../kernel/servers.ts';
import { realFiles } from '../platform/files/files.ts';
import { watchPaths } from '../platform/files/watch-paths.ts';
import { readIdentity, readMachine, type MachineOptions } from '../platform/machine-facts.ts';
import { loadApprovals } from '../trust/load-approvals.ts';
import { isAllowed } from '../trust/trust-state.ts';
import { loadRoster, type Roster, createSteadyFiles } from './load-roster.ts';
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

export interface WatchOptions extends LoadServersOptions {
  /** How many milliseconds must pass without a change before a burst is reported; 100 by default. */
  readonly quietMs?: number;
  readonly onChange: (servers: LoadedServers) => void;
}

export interface ServerWatch {
  /** The servers at the start of the watch. */
  readonly servers: LoadedServers;
  close(): void;
}

/** Calls `onChange` only when the list of servers or problems differs from the previous one. */
export async function watchServers({
  quietMs = 100,
  onChange,
  ...options
}: WatchOptions): Promise<ServerWatch> {
  const machine = readMachine(options);
  const steady = createSteadyFiles(realFiles);
  const load = (): Promise<Roster> =>
    steady.load((files) =>
      loadRoster(
        { agents: options.agents },
        { machine, files, identity: readIdentity(), approvals: loadApprovals(machine, files) },
      ),
    );
  const watchedPaths = (roster: Roster): readonly string[] => [
    ...roster.sources.map(({ file }) => file),
    ...roster.folders.map((folder) => folder + machine.path.sep),
    machine.path.join(machine.holtHome, 'trust.json'),
    machine.path.join(machine.holtHome, 'config.json'),
    machine.path.join(machine.holtHome, 'overrides.json'),
  ];

  const first = await load();
  const servers = loadedServers(first);
  let last = JSON.stringify(servers);
  let turn = Promise.resolve();
  const watch = watchPaths(watchedPaths(first), quietMs, () => {
    turn = turn.then(async () => {
      const roster = await load();
      watch.update(watchedPaths(roster));
      const next = loadedServers(roster);
      const text = JSON.stringify(next);
      if (text === last) return;
      last = text;
      onChange(next);
    });
  });
  return { servers, close: () => watch.close() };
}
