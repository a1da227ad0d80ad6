/** `holt add` and `holt add-json`: write one entry to an agent's own file, after showing it. */

import { HoltError } from '../kernel/errors.ts';
import { isObject, type JsonObject } from '../kernel/json.ts';
import { type CommandContext, type CommandInput, defineCommand, usage, valueOf } from './command.ts';
import { isUrl, placeOf, placeOptions, serverOptions } from './entries/add-options.ts';
import { askForServer, askName } from './entries/add-wizard.ts';
import { configOf, proposedName, startChoiceOf, targetOf } from './entries/add-words.ts';
import {
  renderTried,
  renderWrite,
  type WriteData,
  writeEntry,
  writeExitCode,
  writeJson,
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
    context.print(renderWrite(data));
    const { tryEntry } = await import('./entries/try-entry.ts');
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
      throw usage('holt add-json takes a name and one JSON argument', 'Write holt add-json NAME JSON.');
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
      { cause, remedy: 'Put the JSON in quotes, so that the shell passes it as one word.' },
    );
  }
}

/** Keys that hold servers by name in the file of some agent. */
const serverMaps = ['mcpServers', 'mcp_servers', 'servers', 'mcp', 'context_servers', 'extensions'] as const;
/** An object with a string or an array under one of these keys is a server. */
const serverKeys = ['command', 'cmd', 'url', 'serverUrl', 'httpUrl', 'uri', 'type', 'transport'] as const;

/**
 * Returns the entry for `name`: the given value, or the entry inside of it. Throws `usage-invalid` if it has
 * none, or several and none of that name.
 */
export function unwrapEntry(name: string, given: unknown): unknown {
  if (!isObject(given) || isServer(given)) return given;
  const key = serverMaps.find((one) => isObject(given[one]) && !isServer(given[one]));
  const map = key === undefined ? given : given[key];
  // In VS Code's settings `servers` is inside of `mcp`.
  if (key === 'mcp' && isObject(map) && isObject(map['servers'])) return unwrapEntry(name, map);
  return isObject(map) && (key !== undefined || Object.values(map).every(isServer))
    ? entryIn(map, name)
    : given;
}

function entryIn(map: JsonObject, name: string): unknown {
  const names = Object.keys(map);
  if (Object.hasOwn(map, name)) {
    if (names.length === 1) return map[name];
  } else if (names.length === 1) {
    return map[names[0] ?? ''];
  }
  if (names.length === 0) throw usage('The JSON has no server in it', `Write holt add-json ${name} '{…}'.`);
  throw usage(
    `The JSON has ${names.length} servers in it: ${names.join(', ')}`,
    'holt add-json adds one: leave the others out, or add them one by one.',
  );
}

function isServer(value: unknown): boolean {
  return (
    isObject(value) && serverKeys.some((key) => typeof value[key] === 'string' || Array.isArray(value[key]))
  );
}
