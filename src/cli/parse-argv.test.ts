import { expect, test } from 'vitest';

import type { OptionSpec } from '../commands/command.ts';
import { parseArgv } from './parse-argv.ts';

const options: Readonly<Record<string, OptionSpec>> = {
  json: { type: 'flag', short: 'j', summary: '' },
  quiet: { type: 'flag', short: 'q', summary: '' },
  scope: { type: 'value', short: 's', aliases: ['mcp-scope'], placeholder: 'SCOPE', summary: '' },
};
const parse = (...words: readonly string[]): unknown => {
  const { positionals, flags, values, rest } = parseArgv(words, options, { keepsRest: true });
  return { positionals, flags: [...flags], values, rest };
};

test('options may stand before and after words, with their value apart or attached', () => {
  const expected = { positionals: ['a', 'b'], flags: ['json'], values: { scope: ['user'] }, rest: undefined };
  expect(parse('--json', 'a', '--scope', 'user', 'b')).toEqual(expected);
  expect(parse('a', 'b', '-s', 'user', '-j')).toEqual(expected);
  expect(parse('a', 'b', '-suser', '-j')).toEqual(expected);
  expect(parse('a', 'b', '--mcp-scope=user', '-j')).toEqual(expected);
});

test('short flags can be joined and a lone dash is a word', () => {
  expect(parse('-jq', '-')).toEqual({
    positionals: ['-'],
    flags: ['json', 'quiet'],
    values: {},
    rest: undefined,
  });
});

test('after two dashes everything is a word', () => {
  const { positionals, flags, rest } = parseArgv(['a', '--', '--json', '--', 'x'], options);
  expect([positionals, [...flags], rest]).toEqual([['a', '--json', '--', 'x'], [], undefined]);
});

test('words after two dashes are passed separately to commands that ask for it', () => {
  expect(parse('a', '--', '--json', '--', 'x')).toEqual({
    positionals: ['a'],
    flags: [],
    values: {},
    rest: ['--json', '--', 'x'],
  });
});

test('a command may take all following words', () => {
  const { positionals, rest } = parseArgv(['n', 'npx', '-y', '--json'], options, {
    stopsAt: ([, second]) => second !== undefined,
  });
  expect({ positionals, rest }).toEqual({ positionals: ['n', 'npx'], rest: ['-y', '--json'] });
});

test('a value that looks like no known option may begin with a dash', () => {
  expect(parseArgv(['--scope', '-5', '--scope=--json'], options).values).toEqual({ scope: ['-5', '--json'] });
});

test.each([
  [['--scpoe', 'x'], 'Unknown option --scpoe', 'Did you mean --scope?'],
  [['-x'], 'Unknown option -x', 'Add --help to see the options.'],
  [['--scope'], '--scope needs a value', 'Write --scope SCOPE.'],
  [['--scope', '--json'], '--scope needs a value', 'Write --scope SCOPE.'],
  [['--scope', '--mcp-scope=user'], '--scope needs a value', 'Write --scope SCOPE.'],
  [['--scope', '--', 'a'], '--scope needs a value', 'Write --scope SCOPE.'],
  [['-s', '-q'], '-s needs a value', undefined],
  [['--json=1'], '--json takes no value', undefined],
])('%j is refused with what to do', (words, message, remedy) => {
  expect(() => parseArgv(words, options)).toThrow(
    expect.objectContaining({ code: 'usage-invalid', message, remedy }),
  );
});
