import { expect, test } from 'vitest';

import { splitWords } from './shell-words.ts';

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
