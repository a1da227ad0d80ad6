/**
 * `loadServers` and `watchServers`: the library's functions to read what is configured, once or after each
 * change. They never connect, run or write anything.
 */

import type { AgentName } from '../kernel/agent-ids.ts';
import { viewOf, type ServerDefinitionView } from '../kernel/definition-view.ts';
import type { Machine } from '../kernel/machine.ts';
import type { Problem } from '../kernel/problems.ts';
import type { Origin } from '../kernel/servers.ts';
import { realFiles, type Files } from '../platform/files/files.ts';
import { watchPaths } from '../platform/files/watch-paths.ts';
import { readIdentity, readMachine, type MachineOptions } from '../platform/machine-facts.ts';
import { loadApprovals } from '../trust/load-approvals.ts';
import { isAllowed } from '../trust/trust-state.ts';
import { createLastGoodLoader, loadRoster, watchedPaths, type Roster } from './load-roster.ts';
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
  return loadedServers(await load(options, readMachine(options), realFiles));
}

function load({ agents }: LoadServersOptions, machine: Machine, files: Files): Promise<Roster> {
  const approvals = loadApprovals(machine, files);
  return loadRoster({ agents }, { machine, files, identity: readIdentity(), approvals });
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
  const loadLastGood = createLastGoodLoader(realFiles);
  const reload = (): Promise<Roster> => loadLastGood((files) => load(options, machine, files));
  const first = await reload();
  const servers = loadedServers(first);
  let last = JSON.stringify(servers);
  let turn = Promise.resolve();
  const watch = watchPaths(watchedPaths(first, machine), quietMs, () => {
    turn = turn.then(async () => {
      const roster = await reload();
      watch.update(watchedPaths(roster, machine));
      const next = loadedServers(roster);
      const text = JSON.stringify(next);
      if (text === last) return;
      last = text;
      onChange(next);
    });
  });
  return { servers, close: () => watch.close() };
}
