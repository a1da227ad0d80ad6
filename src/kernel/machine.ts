/**
 * Facts about the machine and the working folder. They are injected, so that the rules of any system can be
 * tested on any other.
 */

import type nodePath from 'node:path';

export type OperatingSystem = 'linux' | 'macos' | 'windows';

export interface Machine {
  readonly os: OperatingSystem;
  readonly homeDir: string;
  readonly cwd: string;
  /** The git root of `cwd`, or `cwd` when there is none. */
  readonly projectRoot: string;
  /** False when the project root is the home folder itself: its files then belong to the user. */
  readonly hasProject: boolean;
  /** Folders from `cwd` up to and including the project root, nearest first. */
  readonly walk: readonly string[];
  /** Folders above the project root, nearest first. Some agents read files there; holt only reports them. */
  readonly beyond: readonly string[];
  /** In a linked git worktree, the root of the main checkout; otherwise the project root. */
  readonly mainCheckout: string;
  /** False when `cwd` is not inside a git repository. */
  readonly inRepository: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * The path functions of `os`. The type comes from `node:path`: `@types/node` has no `PlatformPath` since
   * version 25.
   */
  readonly path: typeof nodePath;
  /** The folder for holt's own files. */
  readonly holtHome: string;
}

export function isInside(file: string, folder: string, { path }: Pick<Machine, 'path'>): boolean {
  const relative = path.relative(folder, file);
  return relative === '' || !(/^\.\.(?:[\\/]|$)/.test(relative) || path.isAbsolute(relative));
}

/**
 * Trust depends on where a file is: if a variable such as CODEX_HOME points into the project, the file
 * belongs to the project. The files in a home folder that is itself inside the project still belong to the
 * user.
 */
export function liesInProject(file: string, machine: Machine): boolean {
  if (!machine.hasProject || !isInside(file, machine.projectRoot, machine)) return false;
  const homeInProject = isInside(machine.homeDir, machine.projectRoot, machine);
  return !(homeInProject && isInside(file, machine.homeDir, machine));
}
