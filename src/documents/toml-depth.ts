/**
 * Refuses deeply nested TOML before the parser, which is recursive in places, sees it.
 * Takes linear time and does not recurse.
 */

import { maxDepth, refuseParts, tooDeep } from './tree.ts';

const interesting = /["'#[\]{}.=,\n]/g;

/** Counts open brackets and the dots of one key. Their sum is checked again when the tree is built. */
export function refuseDeepToml(text: string, maxParts?: number): void {
  let depth = 0;
  let dots = 0;
  let parts = 0;
  for (let at = nextAt(text, 0); at < text.length; at = nextAt(text, skipOpaque(text, at))) {
    const character = text.charAt(at);
    parts += 1;
    refuseParts(parts, at, maxParts);
    if ('=,\n'.includes(character)) dots = 0;
    else if (character === '.') dots += 1;
    else if ('[{'.includes(character)) depth += 1;
    else if (']}'.includes(character)) depth -= 1;
    if (depth > maxDepth || dots >= maxDepth) throw tooDeep(at);
  }
}

function nextAt(text: string, from: number): number {
  interesting.lastIndex = from;
  return interesting.exec(text)?.index ?? text.length;
}

/** Returns the offset after the comment or string that starts at `at`, or else after this one character. */
function skipOpaque(text: string, at: number): number {
  const character = text[at];
  if (character === '#') return endOr(text, text.indexOf('\n', at));
  if (character !== '"' && character !== "'") return at + 1;
  const fence = character.repeat(3);
  if (text.startsWith(fence, at)) return afterMultiline(text, at + 3, fence);
  return afterString(text, at + 1, character);
}

function endOr(text: string, at: number): number {
  return at === -1 ? text.length : at;
}

function afterString(text: string, from: number, quote: string): number {
  for (let at = from; at < text.length; at += 1) {
    const character = text[at];
    if (character === quote) return at + 1;
    if (character === '\n') return at;
    if (character === '\\' && quote === '"') at += 1;
  }
  return text.length;
}

function afterMultiline(text: string, from: number, fence: string): number {
  const quote = fence.charAt(0);
  let at = from;
  for (;;) {
    at = endOr(text, text.indexOf(fence, at));
    if (at === text.length) return at;
    if (quote === "'" || !isEscaped(text, at, from)) break;
    at += 1;
  }
  // A multi-line string may end with up to two quotes of its own.
  let end = at + 3;
  while (text[end] === quote && end < at + 5) end += 1;
  return end;
}

function isEscaped(text: string, at: number, from: number): boolean {
  let slashes = 0;
  while (at - slashes > from && text[at - slashes - 1] === '\\') slashes += 1;
  return slashes % 2 === 1;
}
