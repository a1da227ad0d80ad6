import { array, assert, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { splitCommandLine } from './mcporter.ts';
import { cpuMs } from '../../tests/support/cpu-time.ts';

test.for([
  ['npx -y tool', ['npx', '-y', 'tool']],
  ["npx -y 'tool mcp'", ['npx', '-y', 'tool mcp']],
  ['run "a b" c', ['run', 'a b', 'c']],
  ['run --name="a b"x', ['run', '--name=a bx']],
  [`run "it's" 'say "x"'`, ['run', "it's", 'say "x"']],
  ['run a\\ b "q\\"q"', ['run', 'a b', 'q"q']],
  ["run ''", ['run', '']],
  ['  run\t x  ', ['run', 'x']],
  ['run end\\', ['run', 'end\\']],
  ["run it's", ['run', "it's"]],
  ['', []],
  ['   ', []],
  ['/usr/bin/node src/server.js', ['/usr/bin/node', 'src/server.js']],
  ['C:\\Program Files\\Acme Tools\\mcp.exe', ['C:\\Program Files\\Acme Tools\\mcp.exe']],
  ['\\\\server\\share\\a b.exe', ['\\\\server\\share\\a b.exe']],
] as const)('%j becomes %j', ([line, words]) => {
  expect(splitCommandLine(line)).toEqual(words);
});

const quote = (word: string): string => `"${word.replaceAll(/["\\]/g, '\\$&')}"`;

test('words that are quoted come back as they were', () => {
  assert(
    property(array(string(), { minLength: 1 }), (words) => {
      expect(splitCommandLine(words.map(quote).join(' '))).toEqual(words);
    }),
  );
});

test('a hostile line is taken apart in time', () => {
  for (const line of [`'${'"'.repeat(200_000)}`, `${'\\'.repeat(200_001)}'`, `"'`.repeat(100_000)]) {
    const before = cpuMs();
    splitCommandLine(line);
    expect(cpuMs() - before).toBeLessThan(5000);
  }
});
