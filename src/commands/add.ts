/** `holt add`: writes one entry into an agent's own file, after showing it. */

import { HoltError } from '../kernel/errors.ts';
import {
  configOf,
  isUrl,
  placeOf,
  placeOptions,
  serverOptions,
  startChoiceOf,
  usage,
} from './add-options.ts';
import { askForServer } from './add-wizard.ts';
import { defineCommand, valueOf, type CommandInput } from './command.ts';
import { renderTried } from './tried-entry.ts';
import { renderWrite, writeEntry, writeExitCode, type WriteData, type WriteRequest } from './write-entry.ts';

export const add = defineCommand<WriteData>({
  name: 'add',
  summary: 'Add a server to an agent’s config file',
  usage: 'add NAME [options] -- COMMAND ARGS…   or   add NAME URL [options]',
  options: { ...placeOptions, ...serverOptions },
  keepsRest: true,
  /** After `NAME COMMAND` everything belongs to the command, its options included. */
  stopsAt: ([, second]) => second !== undefined && !isUrl(second),

  async run(input, context) {
    if (input.positionals.length > 0)
      return writeEntry(requestOf(input, input.positionals[0] ?? ''), context);
    if (context.ask === undefined || input.rest !== undefined)
      throw usage('holt add needs a name and a command or URL', 'holt add NAME -- COMMAND ARGS…');
    const data = await writeEntry(await askForServer(context.ask), context);
    if (!data.written) return data;
    context.tell(renderWrite(data));
    const { tryEntry } = await import('./connected.ts');
    return { ...data, tried: await tryEntry(data.report, context) };
  },
  render: (data, style) => (data.tried === undefined ? renderWrite(data) : renderTried(data.tried, style)),
  json: ({ report, written }) => ({ written, ...report }),
  exitCode: writeExitCode,
});

function requestOf(input: CommandInput, name: string): WriteRequest {
  const token = valueOf(input, 'token');
  const startIn = startChoiceOf(input);
  return {
    ...placeOf(input),
    name,
    config: configOf(input),
    ...(startIn === undefined ? {} : { startIn }),
    replace: input.flags.has('replace'),
    ask: !input.flags.has('yes'),
    trust: input.flags.has('trust'),
    ...(token === undefined ? {} : { token }),
  };
}

export const addJson = defineCommand<WriteData>({
  name: 'add-json',
  summary: 'Add a server given as JSON',
  usage: 'add-json NAME JSON [options]',
  options: placeOptions,

  run: (input, context) => {
    const [name, text, ...extra] = input.positionals;
    if (name === undefined || text === undefined || extra.length > 0)
      throw usage('holt add-json takes a name and one JSON text', 'Write holt add-json NAME JSON.');
    return writeEntry(
      {
        ...placeOf(input),
        name,
        config: parse(text),
        raw: true,
        replace: input.flags.has('replace'),
        ask: !input.flags.has('yes'),
        trust: input.flags.has('trust'),
      },
      context,
    );
  },
  render: renderWrite,
  json: ({ report, written }) => ({ written, ...report }),
  exitCode: writeExitCode,
});

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new HoltError(
      'config-invalid',
      'Invalid server config: it is not JSON',
      { errors: ['it is not JSON'] },
      { cause, remedy: 'Put the JSON in quotes, so that the shell hands it over as one word.' },
    );
  }
}
