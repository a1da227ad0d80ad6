/** Patterns for names: `*` stands for any run of characters, `?` for one. No pattern can stall it. */

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
      // The last star takes one character more.
      resume += 1;
      at = resume;
      inPattern = star + 1;
    }
  }
  return /^\**$/.test(pattern.slice(inPattern));
}
