/**
 * The process tree on macOS, from `ps` and `sysctl`. Environments cannot be read there, so no process is
 * found by its cookie.
 */

import { runCommand, type RunCommand } from '../run-command.ts';
import { descendantsOf, readerOf, type RelatedFacts } from './descendants.ts';
import { signal, type ProcessTree } from './process-facts.ts';

/** A fixed language and time zone, because start times are compared as text. */
const env = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' };

export function createMacTree(run: RunCommand = runCommand, wallNow = Date.now): ProcessTree {
  const ask = async (program: string, args: readonly string[]): Promise<string> => {
    const limits = { cwd: '/', env, timeoutMs: 2000, maxBytes: 1 << 22 };
    const outcome = await run({ kind: 'program', program, args }, limits);
    return outcome.kind === 'printed' ? outcome.text : '';
  };
  const membersOf = async (leader: number): Promise<readonly PsRow[]> =>
    readRows(await ask('ps', ['-A', '-o', columns])).filter(({ group }) => group === leader);
  const rowOf = async (pid: number): Promise<PsRow | undefined> =>
    readRows(await ask('ps', ['-p', String(pid), '-o', columns]))[0];
  return {
    describe: rowOf,
    scope: async () => ({ bootId: (await ask('sysctl', ['-n', 'kern.bootsessionuuid'])).trim(), space: '' }),
    memoryBytes: async (leader) => {
      const members = await membersOf(leader);
      return members.length === 0
        ? undefined
        : members.reduce((sum, { residentBytes }) => sum + residentBytes, 0);
    },
    isGroupAlive: async (leader) => signal(-leader, 0) && (await membersOf(leader)).length > 0,
    signalGroup: async (leader, name) => void signal(-leader, name),
    endRun: async () => 0,
    findDescendants: async (leader, known) => {
      if (leader === undefined && known.length === 0) return [];
      return descendantsOf(
        leader,
        known,
        readerOf(readRows(await ask('ps', ['-A', '-o', columns])), process.pid),
      );
    },
    signalProcess: async ({ pid, start }, name) => {
      const row = await rowOf(pid);
      if (row?.start !== start) return;
      const isLeader = row.group === pid && (await rowOf(process.pid))?.group !== pid;
      signal(isLeader ? -pid : pid, name);
    },
    usage: async (pid) => {
      const row = await rowOf(pid);
      const name = (await ask('ps', ['-p', String(pid), '-o', 'comm='])).trim().split('/').at(-1);
      if (row === undefined || name === undefined || name === '') return undefined;
      const ageMs = Math.max(0, wallNow() - Date.parse(`${row.start} UTC`));
      return { name, memoryBytes: row.residentBytes, ageMs };
    },
  };
}

interface PsRow extends RelatedFacts {
  readonly start: string;
  readonly residentBytes: number;
}

const columns = 'pid=,ppid=,pgid=,stat=,rss=,lstart=';

function readRows(text: string): readonly PsRow[] {
  return text.split('\n').flatMap((line) => {
    const found = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\d+)\s+(\S.*?)\s*$/.exec(line);
    if (found === null || found[4]?.startsWith('Z') === true) return [];
    const [, pid, parent, group, , kilobytes, start = ''] = found;
    const residentBytes = Number(kilobytes) * 1024;
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), start, residentBytes }];
  });
}
