/** A pattern that is tried on thousands of names: taken apart once, then compared piece by piece. */

import { matchesGlob } from '../../agents/name-glob.ts';

export type Glob = (name: string) => boolean;

/** `*` stands for any run of characters, `?` for one. */
export function compileGlob(pattern: string): Glob {
  if (pattern.includes('?')) return (name) => matchesGlob(pattern, name);
  const pieces = pattern.split('*');
  const [head = ''] = pieces;
  if (pieces.length === 1) return (name) => name === pattern;
  const tail = pieces.at(-1) ?? '';
  const between = pieces.slice(1, -1).filter((piece) => piece !== '');
  const shortest = head.length + tail.length;
  if (between.length === 0)
    return (name) => name.length >= shortest && name.startsWith(head) && name.endsWith(tail);
  return (name) => {
    if (name.length < shortest || !name.startsWith(head) || !name.endsWith(tail)) return false;
    let at = head.length;
    for (const piece of between) {
      // The first place is as good as any later one.
      const found = name.indexOf(piece, at);
      if (found === -1) return false;
      at = found + piece.length;
    }
    return at <= name.length - tail.length;
  };
}
