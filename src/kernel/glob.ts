/**
 * Matches names with patterns: `*` is any run of characters, `?` is one.
 * No pattern causes exponential backtracking.
 */

export type Glob = (name: string) => boolean;

export function matchesGlob(pattern: string, text: string): boolean {
  let at = 0;
  let inPattern = 0;
  let star = -1;
  let resume = 0;
  while (at < text.length) {
    const wanted = pattern[inPattern];
    if (wanted === '*') {
      star = inPattern;
      resume = at;
      inPattern += 1;
    } else if (wanted === '?' || wanted === text[at]) {
      at += 1;
      inPattern += 1;
    } else if (star === -1) {
      return false;
    } else {
      // Backtrack: the last star matches one more character.
      resume += 1;
      at = resume;
      inPattern = star + 1;
    }
  }
  return /^\**$/.test(pattern.slice(inPattern));
}

/** Compiles a pattern once, for matching against thousands of names. */
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
