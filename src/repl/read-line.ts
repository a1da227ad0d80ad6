/** Parses a typed line into a verb, its words, JSON at the end, and an output file. Pure. */

import { splitWords } from '../kernel/shell-words.ts';

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
