/** `holt add` and `holt add-json`: write one entry to an agent's own file, after showing it. */

import { HoltError } from '../kernel/errors.ts';
import { configOf, startChoiceOf } from './entries/add-config.ts';
import { isUrl, placeOf, placeOptions, serverOptions, usage } from './entries/add-options.ts';
import { askForServer, askName } from './entries/add-wizard.ts';
import { proposedName, targetOf } from './entries/add-words.ts';
import { defineCommand, valueOf, type CommandContext, type CommandInput } from './command.ts';
import { renderTried } from './entries/tried-entry.ts';
import { unwrapEntry } from './entries/unwrap-entry.ts';
import {
  renderWrite,
  writeEntry,
  writeExitCode,
  writeJson,
  type WriteData,
  type WriteRequest,
} from './entries/write-entry.ts';

export const add = defineCommand<WriteData>({
  name: 'add',
  summary: 'Add a server to an agent’s config file',
  usage: 'add NAME [options] -- COMMAND ARGS…   or   add NAME URL [options]',
  options: { ...placeOptions, ...serverOptions },
  keepsRest: true,
  /** After `NAME COMMAND` all words belong to the command, including its options. */
  stopsAt: ([, second]) => second !== undefined && !isUrl(second),

  async run(input, context) {
    const named = await withName(input, context);
    if (named.positionals.length > 0) return writeEntry(requestOf(named, context), context);
    if (context.ask === undefined || input.rest !== undefined)
      throw usage('holt add needs a name and a command or URL', 'holt add NAME -- COMMAND ARGS…');
    const dryRun = input.flags.has('dry-run');
    const data = await writeEntry({ ...(await askForServer(context.ask)), dryRun }, context);
    if (!data.written) return data;
    context.tell(renderWrite(data));
    const { tryEntry } = await import('./connected.ts');
    return { ...data, tried: await tryEntry(data.report, context) };
  },
  render: (data, style) => (data.tried === undefined ? renderWrite(data) : renderTried(data.tried, style)),
  json: writeJson,
  exitCode: writeExitCode,
});

/** Proposes a name for a URL without one. */
async function withName(input: CommandInput, context: CommandContext): Promise<CommandInput> {
  const [first, ...others] = input.positionals;
  const isNamed = first !== undefined && !isUrl(first);
  const url = first ?? valueOf(input, 'url');
  if (isNamed || url === undefined) return input;
  const [second] = others;
  if (second !== undefined) throw usage('The name comes before the URL', `Write holt add ${second} ${url}.`);
  const name = proposedName(url);
  if (context.ask === undefined || input.flags.has('yes')) {
    const line = first === undefined ? `${name} --url ${url}` : `${name} ${url}`;
    throw usage(`${url} needs a name`, `For example: holt add ${line}`);
  }
  const chosen = await askName(context.ask, name);
  return { ...input, positionals: [chosen, ...input.positionals] };
}

function requestOf(input: CommandInput, context: CommandContext): WriteRequest {
  const token = valueOf(input, 'token');
  const target = targetOf(input, context);
  const startIn = startChoiceOf(input, target);
  return {
    ...placeOf(input),
    name: input.positionals[0] ?? '',
    config: configOf(input, target),
    ...(startIn === undefined ? {} : { startIn }),
    replace: input.flags.has('replace'),
    ask: !input.flags.has('yes'),
    dryRun: input.flags.has('dry-run'),
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
        config: unwrapEntry(name, parse(text)),
        raw: true,
        replace: input.flags.has('replace'),
        ask: !input.flags.has('yes'),
        dryRun: input.flags.has('dry-run'),
        trust: input.flags.has('trust'),
      },
      context,
    );
  },
  render: renderWrite,
  json: writeJson,
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
