/** `holt logs NAME`: shows what a server wrote to stderr. Secrets were redacted before it was stored. */

import { HoltError } from '../kernel/errors.ts';
import { logNameOf } from '../host/wire-transports.ts';
import { escapeBlock, escapeLine } from '../masking/escape-text.ts';
import { logFilePath } from '../platform/files/log-file.ts';
import { followFile, readTail } from '../platform/files/read-log.ts';
import { findServer } from '../roster/find-server.ts';
import { defineCommand } from './command.ts';

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
  options: { follow: { type: 'flag', short: 'f', summary: 'go on as it writes more, until Ctrl-C' } },
  completes: 'servers',

  async run({ positionals: [name], flags }, context) {
    if (name === undefined)
      throw new HoltError(
        'usage-invalid',
        'holt logs takes a name',
        { given: '' },
        { remedy: 'holt logs NAME' },
      );
    const { ref, definition } = findServer(await context.loadRoster(), name);
    const file = logFilePath(context.machine.holtHome, logNameOf(definition));
    const { text, end } = await readTail(file);
    const followed = flags.has('follow');
    if (followed) {
      context.tell(linesOf(text));
      const ended = AbortSignal.any([context.interrupted(), context.readerGone]);
      await followFile(file, end, (more) => context.tell(linesOf(more)), ended);
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
