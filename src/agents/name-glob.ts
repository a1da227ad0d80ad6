/**
 * Matches names with patterns: `*` is any run of characters, `?` is one.
 * No pattern causes exponential backtracking.
 */

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
