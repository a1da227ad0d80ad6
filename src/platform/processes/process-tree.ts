/**
 * Inspects and ends processes, by whole groups. A process is identified by its pid and start time, because
 * pids are reused. Zombies count as gone.
 */

import type { OperatingSystem } from '../../kernel/machine.ts';
import { runCommand, type RunCommand } from './run-command.ts';
import { createLinuxTree } from './trees/linux-tree.ts';
import { createMacTree } from './trees/mac-tree.ts';
import { runVariable, signal, type ProcessTree } from './trees/process-facts.ts';

export { runVariable, type ProcessTree };

export function createProcessTree(os: OperatingSystem): ProcessTree {
  if (os === 'linux') return createLinuxTree();
  return os === 'macos' ? createMacTree() : createWindowsTree();
}

const systems: Readonly<Record<string, OperatingSystem>> = { darwin: 'macos', win32: 'windows' };

/** The process tree of this machine. */
export const processTree: ProcessTree = createProcessTree(systems[process.platform] ?? 'linux');

export function createWindowsTree(run: RunCommand = runCommand): ProcessTree {
  return {
    describe: async (pid) => (signal(pid, 0) ? { pid, group: pid, start: undefined } : undefined),
    scope: async () => ({ bootId: '', space: '' }),
    memoryBytes: async () => undefined,
    isGroupAlive: async (leader) => signal(leader, 0),
    signalGroup: async (leader) => {
      const root = process.env['SystemRoot'] ?? 'C:\\Windows';
      const command = {
        kind: 'program',
        program: `${root}\\System32\\taskkill.exe`,
        args: ['/PID', String(leader), '/T', '/F'],
      } as const;
      await run(command, { cwd: root, env: { SystemRoot: root }, timeoutMs: 5000, maxBytes: 1 << 16 });
    },
    endRun: async () => 0,
    // Listing parents takes a PowerShell process, and half a second, for each search.
    findDescendants: async () => [],
    signalProcess: async () => undefined,
    usage: async () => undefined,
  };
}
