/**
 * The server definitions of a host: those from files, changed by what was added, removed or switched at run
 * time.
 */

import type { ServerEntry } from '../connection/supervisor.ts';
import type { Machine } from '../kernel/machine.ts';
import { watchPaths, type PathWatch } from '../platform/files/watch-paths.ts';
import type { Files } from '../platform/files/files.ts';
import type { Identity } from '../platform/files/load-config-file.ts';
import { findServer } from '../roster/copies.ts';
import { createLastGoodLoader, loadRoster, watchedPaths, type Roster } from '../roster/load-roster.ts';
import type { RosterEntry } from '../roster/rank.ts';
import type { Approvals } from '../trust/trust-state.ts';

export interface RosterSourceParts {
  readonly machine: Machine;
  readonly files: Files;
  readonly identity: Identity | undefined;
  readonly loadApprovals: (files: Files) => Approvals;
  readonly agents: readonly string[] | undefined;
  readonly servers: Readonly<Record<string, unknown>>;
  readonly pluginServers: Readonly<Record<string, unknown>>;
}

export interface HostRoster {
  readonly current: Roster;
  /** Reads the files again. If a file is only half written, its previous content counts. */
  load(): Promise<Roster>;
  /** The winning definitions, one per name. */
  entries(): readonly ServerEntry[];
  /** Finds by name, `name@agent` or `name@agent:scope`. Throws `server-not-found` or `server-ambiguous`. */
  find(name: string): ServerEntry;
  add(name: string, config: unknown): void;
  /**
   * Removes an added server, which makes a definition from a file visible again. With `inFiles` hides that
   * one too.
   */
  remove(name: string, options?: { readonly inFiles?: boolean }): void;
  /**
   * Overrides whether the server is enabled. `undefined` removes the override. Returns the previous override.
   */
  turn(name: string, enabled: boolean | undefined): boolean | undefined;
  isAdded(name: string): boolean;
  /** `onChange` is called once for a burst of changes. */
  watch(quietMs: number, onChange: () => void): { close(): void };
}

export async function openRoster(parts: RosterSourceParts): Promise<HostRoster> {
  const { machine, identity } = parts;
  const loadLastGood = createLastGoodLoader(parts.files);
  const added = new Map(Object.entries(parts.servers));
  const removed = new Set<string>();
  const turned = new Map<string, boolean>();
  const read = (): Promise<Roster> =>
    loadLastGood((files) => {
      const { agents, pluginServers } = parts;
      const options = { agents, pluginServers, servers: Object.fromEntries(added) };
      return loadRoster(options, { machine, files, identity, approvals: parts.loadApprovals(files) });
    });
  const overlay = (roster: Roster): Roster => ({
    ...roster,
    servers: roster.servers.filter(({ ref }) => !removed.has(ref)).map((entry) => switched(entry, turned)),
    shadowed: roster.shadowed.map((entry) => switched(entry, turned)),
    candidates: roster.candidates.filter(({ definition }) => !removed.has(definition.name)),
  });
  let current = overlay(await read());
  let watching: PathWatch | undefined;
  return {
    get current() {
      return current;
    },
    load: async () => {
      current = overlay(await read());
      watching?.update(watchedPaths(current, machine));
      return current;
    },
    entries: () => current.servers.map((entry) => entryOf(entry, current)),
    find: (name) => entryOf(findServer(current, name), current),
    add: (name, config) => {
      added.set(name, config);
      removed.delete(name);
      turned.delete(name);
    },
    remove: (name, { inFiles = false } = {}) => {
      const wasAdded = added.delete(name);
      if (inFiles || !wasAdded) removed.add(name);
      turned.delete(name);
    },
    turn: (name, enabled) => {
      const before = turned.get(name);
      if (enabled === undefined) turned.delete(name);
      else turned.set(name, enabled);
      return before;
    },
    isAdded: (name) => added.has(name),
    watch: (quietMs, onChange) => {
      const watch = watchPaths(watchedPaths(current, machine), quietMs, onChange);
      watching = watch;
      return watch;
    },
  };
}

export function entryOf({ ref, definition, trust }: RosterEntry, { startOf }: Roster): ServerEntry {
  const start = startOf(definition);
  return { ref, definition, trust, ...(start === undefined ? {} : { start }) };
}

function switched(entry: RosterEntry, turned: ReadonlyMap<string, boolean>): RosterEntry {
  const enabled = turned.get(entry.ref);
  if (enabled === undefined || enabled === entry.definition.enabled) return entry;
  return { ...entry, definition: { ...entry.definition, enabled } };
}
