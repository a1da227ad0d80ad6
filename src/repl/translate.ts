/** Translates a typed line to a command: `/mcp test x` is `test x`, `/tools draw` is a search. Pure. */

import { commandHint } from '../commands/command-table.ts';
import { nearest } from '../kernel/nearest.ts';
import { nameWord } from '../kernel/shell-words.ts';
import { escapeLine } from '../masking/escape-text.ts';
import type { TypedLine } from './read-line.ts';

export type Action =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'quit' }
  | { readonly kind: 'help' }
  | { readonly kind: 'events' }
  | { readonly kind: 'last' }
  | { readonly kind: 'panel' }
  | { readonly kind: 'server'; readonly server: string }
  | { readonly kind: 'reload'; readonly server: string | undefined }
  | { readonly kind: 'command'; readonly words: readonly string[]; readonly edits: boolean };

/** Commands that change config files. The host reloads them afterwards. */
const editing: ReadonlySet<string> = new Set([
  'add',
  'add-json',
  'import',
  'remove',
  'rm',
  'delete',
  'add-from-claude-desktop',
  'enable',
  'disable',
  'undo',
  'trust',
  'approve',
  'config',
]);

const alone: Readonly<Record<string, Action>> = {
  quit: { kind: 'quit' },
  exit: { kind: 'quit' },
  help: { kind: 'help' },
  '?': { kind: 'help' },
  events: { kind: 'events' },
  _: { kind: 'last' },
  mcp: { kind: 'panel' },
  mcps: { kind: 'panel' },
};

const reloading: ReadonlySet<string> = new Set(['reload', 'reconnect', 'restart']);

export interface Vocabulary {
  readonly servers: readonly string[];
  readonly commands: readonly { readonly name: string }[];
}

export function translate(typed: TypedLine, known: Vocabulary): Action {
  const words = withoutProgram(typed.words);
  const isMcp = words[0] === 'mcp' && words.length > 1;
  const server = isMcp && words.length === 2 ? serverCalled(words[1], known) : undefined;
  if (server !== undefined) return { kind: 'server', server };
  return actionFor(isMcp ? words.slice(1) : words, typed.json, known);
}

/** Undefined for the names of commands, which take precedence. */
function serverCalled(word = '', { servers, commands }: Vocabulary): string | undefined {
  if (reloading.has(word) || commands.some(({ name }) => name === word)) return undefined;
  return servers.find((name) => name === word);
}

function actionFor(
  [verb, ...rest]: readonly string[],
  json: string | undefined,
  { servers }: Vocabulary,
): Action {
  if (verb === undefined) return { kind: 'nothing' };
  const single = rest.length === 0 && json === undefined ? alone[verb] : undefined;
  if (single !== undefined) return single;
  if (reloading.has(verb)) return { kind: 'reload', server: rest[0] };
  const all = verb === 'tools' ? toolWords(rest, servers) : rest;
  const args = json === undefined ? [] : ['--args', json];
  return { kind: 'command', words: [verb, ...all, ...args], edits: editing.has(verb) };
}

/** Drops a leading `holt`, which remedies contain for use in a shell. `holt` alone shows the overview. */
export function withoutProgram(words: readonly string[]): readonly string[] {
  if (words[0] !== 'holt') return words;
  return words.length === 1 ? ['overview'] : words.slice(1);
}

/** A server's name lists its tools; any other words are a search. */
function toolWords(rest: readonly string[], servers: readonly string[]): readonly string[] {
  const [first = ''] = rest;
  if (rest.length === 0 || first.startsWith('-') || servers.includes(first)) return rest;
  return ['--search', rest.join(' ')];
}

/** The message for a word that is neither a command nor a tool name; undefined for all others. */
export function unknownWord(word: string, { servers, commands }: Vocabulary): string | undefined {
  const known = [...commands.map(({ name }) => name), 'help'];
  if (known.includes(word) || /[./:]|^mcp__|^-/.test(word)) return undefined;
  const remedy = commandHint(word) ?? nearby(word, known, servers) ?? '/help lists what can be typed.';
  return `Unknown command "${escapeLine(word)}"\n${escapeLine(remedy)}`;
}

function nearby(word: string, commands: readonly string[], servers: readonly string[]): string | undefined {
  if (servers.includes(word)) return `/mcp ${nameWord(word)} shows the server of that name.`;
  const command = nearest(word, commands);
  if (command !== undefined) return `Did you mean "/${command}"?`;
  const server = nearest(word, servers);
  return server === undefined ? undefined : `Did you mean "/mcp ${nameWord(server)}"?`;
}
