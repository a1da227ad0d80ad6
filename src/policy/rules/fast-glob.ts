/** Compiles a pattern once, for matching against thousands of names. */

import { matchesGlob } from '../../agents/name-glob.ts';

export type Glob = (name: string) => boolean;

/** `*` matches any number of characters, `?` matches one. */
export function compileGlob(pattern: string): Glob {
  if (pattern.includes('?')) return (name) => matchesGlob(pattern, name);
  const [first, last] = [pattern.indexOf('*'), pattern.lastIndexOf('*')];
  if (first === -1) return (name) => name === pattern;
  const [head, tail] = [pattern.slice(0, first), pattern.slice(last + 1)];
  const between = pattern
    .slice(first, last)
    .split('*')
    .filter((piece) => piece !== '');
  const shortest = head.length + tail.length;
  if (between.length === 0)
    return (name) => name.length >= shortest && name.startsWith(head) && name.endsWith(tail);
  return (name) => {
    if (name.length < shortest || !name.startsWith(head) || !name.endsWith(tail)) return false;
    let at = head.length;
    for (const piece of between) {
      // The first match suffices: it leaves the most text for the remaining pieces.
      const found = name.indexOf(piece, at);
      if (found === -1) return false;
      at = found + piece.length;
    }
    return at <= name.length - tail.length;
  };
}
