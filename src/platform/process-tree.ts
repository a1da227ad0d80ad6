/**
 * Looks at processes and ends them, whole groups at a time. A process is known by its number and its start, since
 * numbers are given out again; one that is dead and only waits to be counted (a zombie) is gone.
 */

import type { OperatingSystem } from '../kernel/machine.ts';
import { createLinuxTree } from './processes/linux-tree.ts';
import { createMacTree } from './processes/mac-tree.ts';
import { runVariable, type ProcessTree } from './processes/process-facts.ts';
import { createWindowsTree } from './processes/windows-tree.ts';

export { runVariable, type ProcessTree };

export function createProcessTree(os: OperatingSystem): ProcessTree {
  if (os === 'linux') return createLinuxTree();
  return os === 'macos' ? createMacTree() : createWindowsTree();
}

const systems: Readonly<Record<string, OperatingSystem>> = { darwin: 'macos', win32: 'windows' };

/** This machine's. */
export const processTree: ProcessTree = createProcessTree(systems[process.platform] ?? 'linux');
