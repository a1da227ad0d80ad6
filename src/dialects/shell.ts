/**
 * Parses values that an agent reads as a shell would: `$NAME`, `${NAME:-text}`, `$(command)`, backslashes.
 * Any other shell feature is named and refused, together with the rest of the text, rather than half
 * understood.
 */

import type { Match, Syntax } from './scanner.ts';
import { endOf, identifier, variable } from './syntaxes.ts';

export const shellSyntaxes: readonly Syntax[] = [
  { opener: '$', match: ({ text }, at) => matchDollar(text, at) },
  { opener: '`', match: ({ text }, at) => refuseRest(text, at, 'a command between backquotes; write $(…)') },
  { opener: '\\', match: ({ text }, at) => matchBackslash(text, at) },
];

function matchDollar(text: string, at: number): Match | undefined {
  const next = text.charAt(at + 1);
  if (next === '(') return matchCommand(text, at);
  if (next === '{') return matchBraces(text, at);
  if (specialParameters.has(next)) return refuseRest(text, at, `the shell's own parameter $${next}`);
  const end = endOf(identifier, text, at + 1);
  if (end === at + 1) return undefined;
  return { end, part: variable(text.slice(at, end), text.slice(at + 1, end), 'empty') };
}

const specialParameters = new Set('0123456789@*#?$!-');

function matchCommand(text: string, at: number): Match {
  if (text.startsWith('$((', at)) return refuseRest(text, at, 'arithmetic');
  const close = endOfCommand(text, at + 2);
  if (close === -1) return refuseRest(text, at, 'a command whose end is unclear');
  const line = text.slice(at + 2, close).trim();
  if (line === '') return refuseRest(text, at, 'a command that is empty');
  const raw = text.slice(at, close + 1);
  return { end: close + 1, part: { kind: 'command', raw, line, shell: true } };
}

/** Returns the offset of the parenthesis that ends the command, or -1. Ignores parentheses in quotes. */
function endOfCommand(text: string, from: number): number {
  let depth = 1;
  let at = from;
  while (at < text.length) {
    const char = text.charAt(at);
    if (char === '(') depth += 1;
    if (char === ')') depth -= 1;
    if (depth === 0) return at;
    at = endOfQuoted(text, at);
    if (at === -1) return -1;
  }
  return -1;
}

/**
 * Returns the offset after the character at `at`, or after the text that it quotes. Returns -1 if that text
 * does not end or contains a command.
 */
function endOfQuoted(text: string, at: number): number {
  const char = text.charAt(at);
  if (char === '\\') return at + 2;
  if (char === '"') return endOfDoubleQuoted(text, at + 1);
  if (char !== "'") return at + 1;
  const close = text.indexOf("'", at + 1);
  return close === -1 ? -1 : close + 1;
}

function endOfDoubleQuoted(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '"') return at + 1;
    if (char === '`' || text.startsWith('$(', at)) return -1;
    if (char === '\\') at += 1;
  }
  return -1;
}

function matchBraces(text: string, at: number): Match {
  const nameEnd = endOf(identifier, text, at + 2);
  if (nameEnd === at + 2) return refuseRest(text, at, 'a parameter without a name');
  const name = text.slice(at + 2, nameEnd);
  if (text.startsWith('}', nameEnd)) {
    return { end: nameEnd + 1, part: variable(text.slice(at, nameEnd + 1), name, 'empty') };
  }

  const valueStart = endOf(fallbackSign, text, nameEnd);
  if (valueStart === nameEnd) return refuseRest(text, at, 'a parameter with an operator');
  const close = endOf(plainFallback, text, valueStart);
  if (!text.startsWith('}', close)) return refuseRest(text, at, 'a default that is not plain text');
  const fallback = { text: text.slice(valueStart, close), whenEmpty: text.startsWith(':', nameEnd) };
  const part = { ...variable(text.slice(at, close + 1), name, 'empty'), fallback };
  return { end: close + 1, part };
}

const fallbackSign = /:?-/y;
const plainFallback = /[^}{$`\\"']+/y;

function matchBackslash(text: string, at: number): Match | undefined {
  const next = text.charAt(at + 1);
  if (next === '' || !'$`\\\n'.includes(next)) return undefined;
  // A backslash at the end of a line joins the line with the next one.
  const meant = next === '\n' ? '' : next;
  return { end: at + 2, part: { kind: 'escaped', raw: text.slice(at, at + 2), text: meant } };
}

function refuseRest(text: string, at: number, what: string): Match {
  const raw = text.slice(at);
  return { end: text.length, part: { kind: 'unsupported', raw, reason: `${what} is not filled in` } };
}
