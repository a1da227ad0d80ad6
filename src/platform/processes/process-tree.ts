/**
 * Inspects and ends processes, by whole groups. A process is identified by its pid and start time, because
 * pids are reused. Zombies count as gone.
 */

import type { OperatingSystem } from '../../kernel/machine.ts';
import { createLinuxTree } from './trees/linux-tree.ts';
import { createMacTree } from './trees/mac-tree.ts';
import { runVariable, type ProcessTree } from './trees/process-facts.ts';
import { createWindowsTree } from './trees/windows-tree.ts';

export { runVariable, type ProcessTree };

export function createProcessTree(os: OperatingSystem): ProcessTree {
  if (os === 'linux') return createLinuxTree();
  return os === 'macos' ? createMacTree() : createWindowsTree();
}

const systems: Readonly<Record<string, OperatingSystem>> = { darwin: 'macos', win32: 'windows' };

/** The process tree of this machine. */
export const processTree: ProcessTree = createProcessTree(systems[process.platform] ?? 'linux');
