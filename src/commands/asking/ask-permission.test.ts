import { expect, test } from 'vitest';

import { askPermission } from './ask-permission.ts';

const question = {
  server: 'shop',
  tool: 'pay',
  name: 'mcp__shop__pay',
  title: 'Pay a bill',
  arguments: { to: 'Bob', amount: 3, note: 'a\u001b[2Kb', more: { deep: [1] } },
  reason: 'no rule says anything about it',
};

test.each([
  ['y', 'once'],
  [' YES ', 'once'],
  ['r', 'run'],
  ['a', 'always'],
  ['', 'deny'],
  ['n', 'deny'],
  ['yesterday', 'deny'],
  [undefined, 'deny'],
])('%j means %s', async (line, expected) => {
  expect(await askPermission(question, { ask: async () => line, print: () => undefined })).toBe(expected);
});

test('everything that would be sent is shown, and nothing in it can hide', async () => {
  const screen: string[] = [];
  await askPermission(question, {
    ask: async (words) => {
      screen.push(words);
      return '';
    },
    print: (lines) => screen.push(...lines),
  });
  expect(screen).toEqual([
    'Call pay (Pay a bill) of "shop"?',
    '  name: mcp__shop__pay',
    '  to: Bob',
    '  amount: 3',
    String.raw`  note: a\x1b[2Kb`,
    '  more: {"deep":[1]}',
    '  asked because: no rule says anything about it',
    'Allow it? y = once, r = until holt ends, a = always, Enter = no [y/r/a/N]: ',
  ]);
});
