/** Watches every file that a server could come from, and reports the servers after each change. */

import { realFiles } from '../platform/files/files.ts';
import { readIdentity, readMachine } from '../platform/machine-facts.ts';
import { watchPaths } from '../platform/files/watch-paths.ts';
import { loadApprovals } from '../trust/load-approvals.ts';
import { loadRoster, type Roster } from './load-roster.ts';
import { loadedServers, type LoadedServers, type LoadServersOptions } from './load-servers.ts';
import { createSteadyFiles } from './steady-files.ts';

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
