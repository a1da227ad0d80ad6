import { expect, test } from 'vitest';

import { nameWord, shellWord, splitWords } from './shell-words.ts';

test.each([
  ['npx -y pkg', ['npx', '-y', 'pkg']],
  [`npx -y 'tool mcp'`, ['npx', '-y', 'tool mcp']],
  [`a "b \\" c" d\\ e`, ['a', 'b " c', 'd e']],
  [`x''y "" z`, ['xy', '', 'z']],
  ['  ', []],
  [`"$HOME; rm" '$(x)'`, ['$HOME; rm', '$(x)']],
  [`open 'quote`, undefined],
  ['open "quote', undefined],
])('%s', (line, words) => {
  expect(splitWords(line)).toEqual(words);
});

test.each([
  ['fs', 'fs'],
  ['fs@claude-code', 'fs@claude-code'],
  ['a/b:c.d_e-f', 'a/b:c.d_e-f'],
  ['$(touch X)', "'$(touch X)'"],
  ['`touch X`', "'`touch X`'"],
  ['a;touch X', "'a;touch X'"],
  ['a\nb', "'a\nb'"],
  ["it's", String.raw`'it'\''s'`],
  ['café', "'café'"],
  ['', "''"],
  ['--all', '-- --all'],
  ['-r f', "-- '-r f'"],
])('the name %j is pasted as %s', (name, pasted) => {
  expect(nameWord(name)).toBe(pasted);
});

test('a word in the middle of a line gets no dashes in front', () => {
  expect([shellWord('--a b'), shellWord('-x')]).toEqual(["'--a b'", '-x']);
});
