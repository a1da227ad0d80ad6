/** From what people type here to the words of a command: `/mcp test x` is `test x`, `/tools draw` is a search. Pure. */

import { commandHint } from '../commands/command-hints.ts';
import { nearest } from '../kernel/nearest.ts';
import { escapeLine } from '../masking/escape-text.ts';
import type { TypedLine } from './read-line.ts';

export type Action =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'quit' }
  | { readonly kind: 'help' }
  | { readonly kind: 'events' }
  | { readonly kind: 'last' }
  | { readonly kind: 'panel' }
  | { readonly kind: 'reload'; readonly server: string | undefined }
  | { readonly kind: 'command'; readonly words: readonly string[]; readonly edits: boolean };

/** What changes config files: the host reads them again afterwards. */
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

export function translate({ words, json }: TypedLine, servers: readonly string[]): Action {
  const [verb, ...rest] = words[0] === 'mcp' && words.length > 1 ? words.slice(1) : words;
  if (verb === undefined) return { kind: 'nothing' };
  const single = rest.length === 0 && json === undefined ? alone[verb] : undefined;
  if (single !== undefined) return single;
  if (reloading.has(verb)) return { kind: 'reload', server: rest[0] };
  const all = verb === 'tools' ? toolWords(rest, servers) : rest;
  const args = json === undefined ? [] : ['--args', json];
  return { kind: 'command', words: [verb, ...all, ...args], edits: editing.has(verb) };
}

/** A server's name lists its tools; anything else is looked for. */
function toolWords(rest: readonly string[], servers: readonly string[]): readonly string[] {
  const [first = ''] = rest;
  if (rest.length === 0 || first.startsWith('-') || servers.includes(first)) return rest;
  return ['--search', rest.join(' ')];
}

/** What to say of a word that is neither a command nor the name of a tool; undefined where it is one. */
export function unknownWord(
  word: string,
  commands: readonly { readonly name: string }[],
): string | undefined {
  const known = [...commands.map(({ name }) => name), 'help'];
  if (known.includes(word) || /[./:]|^mcp__|^-/.test(word)) return undefined;
  const near = nearest(word, known);
  const remedy =
    commandHint(word) ?? (near === undefined ? '/help lists what can be typed.' : `Did you mean "/${near}"?`);
  return `There is no command "${escapeLine(word)}"\n${remedy}`;
}
