/**
 * The process tree on Windows, which has no groups or signals: `taskkill` ends a tree by its root. Start
 * times are not available there, so a recorded pid proves nothing, and holt never ends a process based on a
 * record.
 */

import { runCommand, type RunCommand } from '../run-command.ts';
import type { ProcessTree } from './process-facts.ts';
import { signal } from './signals.ts';

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
    endLeavers: async () => 0,
    // Listing parents takes a PowerShell process, and half a second, for each search.
    findDescendants: async () => [],
    signalProcess: async () => undefined,
    usage: async () => undefined,
  };
}
