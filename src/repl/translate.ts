/** Parses a typed line and translates it to a command: `/mcp test x` is `test x`, `/tools draw` is a search. Pure. */

import { commandHint } from '../commands/command-table.ts';
import { nearest } from '../kernel/nearest.ts';
import { nameWord, splitWords } from '../kernel/shell-words.ts';
import { escapeLine } from '../masking/escape-text.ts';

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

export interface TypedLine {
  readonly words: readonly string[];
  /** The arguments as one JSON string. */
  readonly json: string | undefined;
  readonly file: string | undefined;
}

/** Undefined if a quote is not closed. */
export function readLine(line: string): TypedLine | undefined {
  const { text, file } = cutFile(line.trim());
  const at = jsonStart(text);
  const head = at === undefined ? text : text.slice(0, at);
  const words = splitWords(head.replace(/^\//, ''));
  if (words === undefined) return undefined;
  return { words, json: at === undefined ? undefined : text.slice(at), file };
}

/** Splits off `> FILE` at the end. Ignores a `>` inside quotes or JSON. */
function cutFile(line: string): { readonly text: string; readonly file: string | undefined } {
  const found = /(?:^|\s)>\s*(?:"([^"]+)"|'([^']+)'|([^\s"'{}>]+))$/.exec(line);
  if (found === null) return { text: line, file: undefined };
  return { text: line.slice(0, found.index).trimEnd(), file: found[1] ?? found[2] ?? found[3] };
}

/** Where JSON begins: a brace or bracket that starts a word. */
function jsonStart(text: string): number | undefined {
  const found = /\s[{[]/.exec(text);
  return found === null ? undefined : found.index + 1;
}

/** True while braces, brackets or a JSON string are open: the next line continues it. */
export function isUnfinished(line: string): boolean {
  const at = jsonStart(line);
  if (at === undefined) return false;
  // Remove strings first, so that braces inside them do not count. A remaining quote starts an open string.
  const bare = line.slice(at).replaceAll(/"(?:[^"\\]|\\.)*"/gs, '');
  if (bare.includes('"')) return true;
  const count = (signs: RegExp): number => bare.match(signs)?.length ?? 0;
  return count(/[{[]/g) > count(/[}\]]/g);
}

/** Replaces `_`, alone or as the value of an argument, with the last result. */
export function withLast(words: readonly string[], last: string): readonly string[] {
  return words.map((word, at) => {
    if (at > 0 && word === '_') return last;
    return /^[^=\s]+=_$/.test(word) ? `${word.slice(0, -1)}${last}` : word;
  });
}
