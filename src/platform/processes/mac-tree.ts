/** Processes on macOS, by what `ps` and `sysctl` say. Who left its group cannot be found there. */

import { runCommand, type RunCommand } from '../run-command.ts';
import type { ProcessFacts, ProcessTree } from './process-facts.ts';
import { signal } from './signals.ts';

/** In one language and time zone: the start is compared as text. */
const env = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' };

export function createMacTree(run: RunCommand = runCommand): ProcessTree {
  const ask = async (program: string, args: readonly string[]): Promise<string> => {
    const limits = { cwd: '/', env, timeoutMs: 2000, maxBytes: 1 << 22 };
    const outcome = await run({ kind: 'program', program, args }, limits);
    return outcome.kind === 'printed' ? outcome.text : '';
  };
  const membersOf = async (leader: number): Promise<readonly PsRow[]> =>
    readRows(await ask('ps', ['-A', '-o', columns])).filter(({ group }) => group === leader);
  return {
    describe: async (pid) => readRows(await ask('ps', ['-p', String(pid), '-o', columns]))[0],
    scope: async () => ({ bootId: (await ask('sysctl', ['-n', 'kern.bootsessionuuid'])).trim(), space: '' }),
    memoryBytes: async (leader) => {
      const members = await membersOf(leader);
      return members.length === 0
        ? undefined
        : members.reduce((sum, { residentBytes }) => sum + residentBytes, 0);
    },
    isGroupAlive: async (leader) => signal(-leader, 0) && (await membersOf(leader)).length > 0,
    signalGroup: async (leader, name) => void signal(-leader, name),
    endLeavers: async () => 0,
  };
}

interface PsRow extends ProcessFacts {
  readonly residentBytes: number;
}

const columns = 'pid=,pgid=,stat=,rss=,lstart=';

function readRows(text: string): readonly PsRow[] {
  return text.split('\n').flatMap((line) => {
    const found = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(\d+)\s+(\S.*?)\s*$/.exec(line);
    if (found === null || found[3]?.startsWith('Z') === true) return [];
    const [, pid, group, , kilobytes, start] = found;
    return [{ pid: Number(pid), group: Number(group), start, residentBytes: Number(kilobytes) * 1024 }];
  });
}
