import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { batchLine, isBatchFile, quoteWindowsArgument } from './windows-arguments.ts';

/** How a program built with the C runtime takes its command line apart. */
function taken(line: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quoted = false;
  for (const [piece, slashes = '', quote = ''] of line.matchAll(/(\\*)(")|\\+|[^\\"]/g)) {
    if (quote !== '') {
      word = (word ?? '') + '\\'.repeat(Math.floor(slashes.length / 2));
      if (slashes.length % 2 === 1) word += '"';
      else quoted = !quoted;
    } else if (!quoted && /^[ \t]$/.test(piece)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + piece;
  }
  return word === undefined ? words : [...words, word];
}

/** The characters `cmd.exe` acts on that stand outside quotes in its view. */
function actedOn(line: string): readonly string[] {
  let quoted = false;
  const found: string[] = [];
  // With /s the first and the last quote are taken off.
  for (const character of line.slice(1, -1)) {
    if (character === '"') quoted = !quoted;
    else if (!quoted && /[&|<>^(),;=]/.test(character)) found.push(character);
    if (/[%!\r\n]/.test(character)) found.push(character);
  }
  return found;
}

const plain = [
  '',
  'a',
  'a b',
  'a\tb',
  '"',
  'a"b',
  '\\',
  '\\\\',
  'a\\',
  'a b\\',
  'a\\"b',
  '\\"',
  '""',
  '\\\\"x',
  'C:\\Program Files\\x\\',
  'ä',
  '雪',
  "'",
  '$x',
  '*',
  '?',
  '#',
  '~',
  ':',
];
const shown = [
  'a',
  'a b',
  '',
  'a\\',
  'a b\\',
  'x=y',
  'a,b',
  'a;b',
  '(a)',
  'C:\\p q\\',
  '--flag=v',
  '/c',
  '-e',
  '@x',
  '~',
  "it's",
  '{}',
  '[]',
  '`',
  '$HOME',
];
const dangerous = ['"', '%', '!', '&', '|', '<', '>', '^', '\r', '\n', '\0'];

describe('T27: arguments for Windows', () => {
  test.each(plain)('%j arrives as it is', (argument) => {
    expect(taken(`x ${quoteWindowsArgument(argument)} y`)).toEqual(['x', argument, 'y']);
  });

  test('any list of texts arrives as it is', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: fc.constantFrom('a', ' ', '"', '\\', '\t', '=') })), (args) => {
        expect(taken(['x', ...args].map(quoteWindowsArgument).join(' '))).toEqual(['x', ...args]);
      }),
    );
  });

  test.each(shown)('%j may be handed to a batch file, whole, with nothing that is acted on', (argument) => {
    const line = batchLine('C:\\Program Files\\nodejs\\npx.cmd', ['-y', argument, 'end']);
    expect(line.ok).toBe(true);
    const text = line.ok ? line.line : '';
    expect(taken(text.slice(1, -1))).toEqual(['C:\\Program Files\\nodejs\\npx.cmd', '-y', argument, 'end']);
    expect(actedOn(text)).toEqual([]);
  });

  test.each(dangerous)('%j is refused for a batch file, wherever it stands', (character) => {
    expect(batchLine('npx.cmd', ['ok', `a${character}b`])).toEqual({ ok: false, argument: 2, character });
    expect(batchLine(`a${character}.cmd`, [])).toEqual({ ok: false, argument: 0, character });
  });

  test.each(['x.cmd', 'X.BAT', 'C:\\a\\x.Cmd', 'x.bat.', 'x.cmd ', 'x.cmd. .'])(
    '%j is a batch file',
    (program) => {
      expect(isBatchFile(program)).toBe(true);
    },
  );

  test.each(['x.exe', 'x', 'cmd', 'x.cmd.exe', 'xcmd'])('%j is none', (program) => {
    expect(isBatchFile(program)).toBe(false);
  });
});
