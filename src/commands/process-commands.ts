/** `holt ps` and `holt reap`: the processes holt has started, and the end of those whose owner is gone. */

import { escapeLine } from '../masking/escape-text.ts';
import { createLeases, type EndedRow, type Leases, type OwnedRow } from '../platform/leases.ts';
import { formatTable } from '../terminal/table.ts';
import { defineCommand, type CommandContext } from './command.ts';

function leasesOf({ machine, now }: CommandContext): Leases {
  return createLeases({ holtHome: machine.holtHome, os: machine.os, wallNow: () => now().getTime() });
}

export const ps = defineCommand<readonly OwnedRow[]>({
  name: 'ps',
  summary: 'The server processes holt has started, with memory and age',
  usage: 'ps',
  mostWords: 0,
  options: {},
  run: (_input, context) => leasesOf(context).listProcesses(),
  render: (rows) =>
    rows.length === 0
      ? ['No server processes.']
      : formatTable([
          ['SERVER', 'PID', 'MEMORY', 'AGE', 'OWNER', 'COMMAND'],
          ...rows.map(({ server, pid, memoryBytes, ageMs, owner, command }) => [
            escapeLine(server),
            String(pid),
            memoryBytes === undefined ? '–' : `${Math.round(memoryBytes / (1 << 20))} MiB`,
            age(ageMs),
            owner.alive ? String(owner.pid) : 'gone',
            escapeLine(command),
          ]),
        ]),
  json: (rows) => ({ processes: rows }),
});

function age(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export const reap = defineCommand<readonly EndedRow[]>({
  name: 'reap',
  summary: 'End server processes whose owner is gone',
  usage: 'reap',
  mostWords: 0,
  options: {},
  run: (_input, context) => leasesOf(context).reap(),
  render: (rows) =>
    rows.length === 0
      ? ['Nothing was left behind.']
      : rows.map(
          ({ server, pid, processes, containers }) =>
            `ended ${escapeLine(server)} (process ${pid}, ${processes} in all${containers.length > 0 ? `, ${containers.length} containers` : ''})`,
        ),
  json: (rows) => ({ ended: rows }),
});
