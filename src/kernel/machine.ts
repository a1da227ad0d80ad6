/** What is known about the machine and the folder we work in. Injected, so that any system's rules run on any other. */

import type nodePath from 'node:path';

export type OperatingSystem = 'linux' | 'macos' | 'windows';

export interface Machine {
  readonly os: OperatingSystem;
  readonly homeDir: string;
  readonly cwd: string;
  /** The git root of `cwd`, else `cwd`. */
  readonly projectRoot: string;
  /** False when the project root is the home folder itself: then its files are the user's. */
  readonly hasProject: boolean;
  /** Folders from `cwd` up to and including the project root, nearest first. */
  readonly walk: readonly string[];
  /** Folders above the project root, nearest first: what some agents read and holt only mentions. */
  readonly beyond: readonly string[];
  /** In a linked git worktree, the root of the main checkout; otherwise the project root. */
  readonly mainCheckout: string;
  /** False when `cwd` is not inside a git repository. */
  readonly inRepository: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Path rules of that system. `@types/node` has no `PlatformPath` since version 25. */
  readonly path: typeof nodePath;
  /** Where holt keeps its own files. */
  readonly holtHome: string;
}

export function isInside(file: string, folder: string, { path }: Pick<Machine, 'path'>): boolean {
  const relative = path.relative(folder, file);
  return relative === '' || !(/^\.\.(?:[\\/]|$)/.test(relative) || path.isAbsolute(relative));
}

/**
 * Trust goes by where a file is: a variable such as CODEX_HOME that points into the project makes a file the project's.
 * A home folder that itself lies inside the project stays the user's.
 */
export function liesInProject(file: string, machine: Machine): boolean {
  if (!machine.hasProject || !isInside(file, machine.projectRoot, machine)) return false;
  const homeInProject = isInside(machine.homeDir, machine.projectRoot, machine);
  return !(homeInProject && isInside(file, machine.homeDir, machine));
}
