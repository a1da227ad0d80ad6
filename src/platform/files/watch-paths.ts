/**
 * Reports when one of many files changes, appears or disappears. Watches folders, because editors replace
 * files, and the nearest existing folder, because a file may not exist yet.
 */

import fs from 'node:fs';
import nodePath from 'node:path';

export interface PathWatch {
  /** Replaces the watched paths. A path that ends in a slash means everything in that folder. */
  update(paths: readonly string[]): void;
  close(): void;
}

interface WatchedFolder {
  readonly watcher: fs.FSWatcher;
  /** The relevant names in the folder; `*` means all. */
  names: ReadonlySet<string>;
}

/** Calls `onChange` once for a burst of changes, `quietMs` after the last of them. */
export function watchPaths(paths: readonly string[], quietMs: number, onChange: () => void): PathWatch {
  const folders = new Map<string, WatchedFolder>();
  let wanted: readonly string[] = [];
  let timer: NodeJS.Timeout | undefined;

  const settle = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      update(wanted);
      onChange();
    }, quietMs);
  };
  const open = (folder: string, names: ReadonlySet<string>): void => {
    try {
      const watcher = fs.watch(folder, { persistent: true }, (_event, name) => {
        const wantedNames = folders.get(folder)?.names;
        if (name === null || wantedNames?.has(name) === true || wantedNames?.has('*') === true) settle();
      });
      watcher.on('error', () => {
        watcher.close();
        folders.delete(folder);
        settle();
      });
      folders.set(folder, { watcher, names });
    } catch {
      // The folder was removed between the check and the watch. The next update watches its parent.
    }
  };
  const update = (next: readonly string[]): void => {
    wanted = next;
    const needed = namesByFolder(next);
    for (const [folder, { watcher }] of folders) {
      if (needed.has(folder)) continue;
      watcher.close();
      folders.delete(folder);
    }
    for (const [folder, names] of needed) {
      const present = folders.get(folder);
      if (present === undefined) open(folder, names);
      else present.names = names;
    }
  };

  update(paths);
  return {
    update,
    close: () => {
      clearTimeout(timer);
      for (const { watcher } of folders.values()) watcher.close();
      folders.clear();
    },
  };
}

/** For each path, returns the nearest existing folder and the next name below it towards the path. */
function namesByFolder(paths: readonly string[]): Map<string, Set<string>> {
  const needed = new Map<string, Set<string>>();
  for (const path of paths) {
    const watchesAll = path.endsWith(nodePath.sep);
    let name = watchesAll ? '*' : nodePath.basename(path);
    let folder = watchesAll ? path.slice(0, -1) : nodePath.dirname(path);
    while (!isFolder(folder) && nodePath.dirname(folder) !== folder) {
      name = nodePath.basename(folder);
      folder = nodePath.dirname(folder);
    }
    const names = needed.get(folder);
    if (names === undefined) needed.set(folder, new Set([name]));
    else names.add(name);
  }
  return needed;
}

function isFolder(path: string): boolean {
  return fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
