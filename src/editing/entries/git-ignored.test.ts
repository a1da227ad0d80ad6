import { expect, test } from 'vitest';

import { makeMachine, memoryFiles } from '../../../tests/support/agent-machine.ts';
import { isGitIgnored } from './git-ignored.ts';

const file = '/srv/shop/.holt/mcp.local.json';
const ignored = (files: Readonly<Record<string, string>>, inRepository = true): boolean | undefined => {
  const machine = makeMachine({ inRepository });
  return isGitIgnored(file, machine, memoryFiles(machine, files));
};

test.each([
  ['mcp.local.json', true],
  ['*.local.json', true],
  ['.holt', true],
  ['.holt/', true],
  ['/.holt/', true],
  ['/.holt/*.local.json', true],
  ['.holt/mcp.local.*', true],
  ['**/mcp.local.json', true],
  ['.holt/**', true],
  ['**', true],
  ['  # comment\n*.local.json  ', true],
  ['*.local.json\n!mcp.local.json', false],
  ['# *.local.json', false],
  ['mcp.json', false],
  ['/mcp.local.json', false],
  ['mcp.local.json/', false],
  ['other/**', false],
  ['', false],
])('%j: %s', (list, result) => {
  expect(ignored({ './.gitignore': list })).toBe(result);
});

test('lists in folders between, and the one that is not shared', () => {
  expect(ignored({ './.holt/.gitignore': '*' })).toBe(true);
  expect(ignored({ './.holt/.gitignore': '/mcp.local.json' })).toBe(true);
  expect(ignored({ './.git/info/exclude': '*.local.json' })).toBe(true);
  expect(ignored({ './.gitignore': '*.local.json', './.holt/.gitignore': '!*.local.json' })).toBe(false);
});

test('outside a repository, or outside the project, the question does not arise', () => {
  expect(ignored({ './.gitignore': '*' }, false)).toBeUndefined();
  const machine = makeMachine();
  expect(isGitIgnored('/home/ada/.claude.json', machine, memoryFiles(machine, {}))).toBeUndefined();
});

test('no list can stall it', () => {
  const stars = Array.from({ length: 5000 }, () => '**').join('/');
  expect(ignored({ './.gitignore': `${stars}/x\n${'*a'.repeat(5000)}b` })).toBe(false);
});
