/**
 * `holt ps` and `holt reap`: list the processes that holt started, and end those that were left behind. `holt logs`
 * shows what a server wrote to stderr.
 */

import { logNameOf } from '../host/wire-transports.ts';
import { escapeBlock, escapeLine } from '../masking/escape-text.ts';
import { logFilePath } from '../platform/files/log-file.ts';
import { followFile, readTail } from '../platform/files/read-log.ts';
import type { EndedRow, OwnedRow } from '../platform/processes/leases.ts';
import { findServer } from '../roster/copies.ts';
import { formatTable } from '../terminal/table.ts';
import { defineCommand, oneName } from './command.ts';
import { ageText, leasesOf, memoryText } from './diagnosis/owned-processes.ts';
import { counted } from './show/format.ts';

export const ps = defineCommand<readonly OwnedRow[]>({
  name: 'ps',
  wrapsLines: true,
  summary: 'The server processes holt has started, and processes that outlived a server, with memory and age',
  usage: 'ps',
  mostWords: 0,
  options: {},
  run: (_input, context) => leasesOf(context).listProcesses(),
  render: (rows, style) =>
    rows.length === 0
      ? ['No server processes.']
      : [
          ...formatTable(
            [['SERVER', 'PID', 'MEMORY', 'AGE', 'OWNER', 'COMMAND'], ...rows.map(cells)],
            style.columns,
          ),
          ...advice(rows),
        ],
  json: (rows) => ({ processes: rows }),
});

function cells({ kind, server, pid, memoryBytes, ageMs, owner, command }: OwnedRow): readonly string[] {
  return [
    escapeLine(server),
    String(pid),
    memoryText(memoryBytes),
    ageText(ageMs),
    owner.alive ? String(owner.pid) : 'gone',
    `${escapeLine(command)}${kind === 'survivor' ? ' (survivor)' : ''}`,
  ];
}

function advice(rows: readonly OwnedRow[]): readonly string[] {
  const count = rows.filter(({ kind }) => kind === 'survivor').length;
  if (count === 0) return [];
  const [subject, object] = count === 1 ? ['1 process', 'it'] : [`${count} processes`, 'them'];
  return ['', `${subject} outlived the server that started ${object}, or holt. To end ${object}: holt reap`];
}

export const reap = defineCommand<readonly EndedRow[]>({
  name: 'reap',
  wrapsLines: true,
  summary: 'End server processes whose owner is gone, and processes that outlived their server',
  usage: 'reap',
  mostWords: 0,
  options: {},
  run: (_input, context) => leasesOf(context).reap(),
  render: (rows) => (rows.length === 0 ? ['No processes were left behind.'] : rows.flatMap(endedLines)),
  json: (rows) => ({ ended: rows }),
});

function endedLines({ server, pid, processes, containers, left }: EndedRow): readonly string[] {
  const name = escapeLine(server);
  const ended = processes > 0 || containers.length > 0;
  const more = containers.length > 0 ? `, ${counted(containers.length, 'container')}` : '';
  return [
    ...(ended ? [`ended ${name} (process ${pid}, ${processes} in all${more})`] : []),
    ...left.map((each) => `process ${each} of ${name} could not be ended: it may belong to another user`),
  ];
}

interface LogsData {
  readonly server: string;
  readonly file: string;
  readonly text: string;
  readonly followed: boolean;
}

export const logs = defineCommand<LogsData>({
  name: 'logs',
  summary: 'What a server wrote to stderr',
  usage: 'logs NAME [-f]',
  mostWords: 1,
  options: { follow: { type: 'flag', short: 'f', summary: 'keep printing new output, until Ctrl-C' } },
  completes: 'servers',

  async run(input, context) {
    const name = oneName(input, 'logs');
    const { ref, definition } = findServer(await context.loadRoster(), name);
    const file = logFilePath(context.machine.holtHome, logNameOf(definition));
    const { text, end } = await readTail(file);
    const followed = input.flags.has('follow');
    if (followed) {
      context.print(linesOf(text));
      const ended = AbortSignal.any([context.interrupted(), context.readerGone]);
      await followFile(file, end, (more) => context.print(linesOf(more)), ended);
    }
    return { server: ref, file, text, followed };
  },

  render: ({ server, text, followed }) => {
    if (followed) return [];
    return text === '' ? [`"${escapeLine(server)}" has written nothing to stderr.`] : linesOf(text);
  },
  json: ({ server, file, text }) => ({ server, file, text }),
});

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : escapeBlock(text.replace(/\n$/, '')).split('\n');
}
