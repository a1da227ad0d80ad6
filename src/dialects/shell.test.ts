import { describe, expect, test } from 'vitest';

import { parseTemplate } from './parse-template.ts';
import type { TemplatePart } from './template.ts';

const parse = (text: string): TemplatePart[] => parseTemplate(text, 'crush', 'env');
const command = (raw: string, line: string): TemplatePart => ({ kind: 'command', raw, line, shell: true });
const refused = (raw: string, what: string): TemplatePart => ({
  kind: 'unsupported',
  raw,
  reason: `${what} is not filled in`,
});

describe('commands', () => {
  test.each([
    ['$(gh auth token)', 'gh auth token'],
    ['$( op read x )', 'op read x'],
    ['$(echo (a) b)', 'echo (a) b'],
    ['$(a $(b) c)', 'a $(b) c'],
    ["$(echo ')' x)", "echo ')' x"],
    ['$(echo ")" x)', 'echo ")" x'],
    ['$(echo "a\\")" x)', 'echo "a\\")" x'],
    ['$(echo "$HOME/)")', 'echo "$HOME/)"'],
    ['$(echo \\) x)', 'echo \\) x'],
  ])('%s ends where the shell ends it', (raw, line) => {
    expect(parse(raw)).toEqual([command(raw, line)]);
  });

  test('text around a command stays', () => {
    expect(parse('a$(b)c')).toEqual([
      { kind: 'text', text: 'a' },
      command('$(b)', 'b'),
      { kind: 'text', text: 'c' },
    ]);
  });

  test.each(['$(a', '$(a (b)', "$(a 'b)", '$(a "b)', '$(a "$(b)")', '$(a "`b`")', '$(a \\'])(
    '%s is refused: its end cannot be told',
    (raw) => {
      expect(parse(raw)).toEqual([refused(raw, 'a command whose end is unclear')]);
    },
  );

  test('an empty command, arithmetic and backquotes are refused with all that follows', () => {
    expect(parse('$() x')).toEqual([refused('$() x', 'a command that is empty')]);
    expect(parse('$((1 + 1)) $A')).toEqual([refused('$((1 + 1)) $A', 'arithmetic')]);
    expect(parse('a `b` $A')).toEqual([
      { kind: 'text', text: 'a ' },
      refused('`b` $A', 'a command between backquotes; write $(…)'),
    ]);
  });
});

describe('parameters', () => {
  test('a default after :- stands in for the unset and the empty, after - for the unset only', () => {
    expect(parse('${V:-a b}${V-c}${V:-}')).toEqual([
      {
        kind: 'variable',
        raw: '${V:-a b}',
        name: 'V',
        whenUnset: 'empty',
        fallback: { text: 'a b', whenEmpty: true },
      },
      {
        kind: 'variable',
        raw: '${V-c}',
        name: 'V',
        whenUnset: 'empty',
        fallback: { text: 'c', whenEmpty: false },
      },
      {
        kind: 'variable',
        raw: '${V:-}',
        name: 'V',
        whenUnset: 'empty',
        fallback: { text: '', whenEmpty: true },
      },
    ]);
  });

  test.each(['${V:-$W}', '${V:-${W}}', '${V:-`w`}', '${V:-"w"}', "${V:-'w'}", '${V:-\\w}', '${V:-w'])(
    '%s is refused: its default is not plain text',
    (raw) => {
      expect(parse(raw)).toEqual([refused(raw, 'a default that is not plain text')]);
    },
  );

  test.each(['${V:+x}', '${V:?x}', '${V%.x}', '${V:=x}', '${V'])(
    '%s is refused: it has an operator',
    (raw) => {
      expect(parse(raw)).toEqual([refused(raw, 'a parameter with an operator')]);
    },
  );

  test.each(['${#V}', '${}', '${1}', '${'])('%s is refused: it has no name', (raw) => {
    expect(parse(raw)).toEqual([refused(raw, 'a parameter without a name')]);
  });

  test.each(['$1', '$$', '$?', '$@', '$*', '$#', '$!', '$-', '$0'])(
    '%s is refused: it is the shell’s own',
    (raw) => {
      expect(parse(`${raw}x`)).toEqual([refused(`${raw}x`, `the shell's own parameter ${raw}`)]);
    },
  );

  test('a dollar before anything else is text', () => {
    expect(parse('$ $. 5$')).toEqual([{ kind: 'text', text: '$ $. 5$' }]);
  });
});

test('a backslash takes the meaning of $, ` and \\ away, and joins lines', () => {
  expect(parse('\\$\\`\\\\\\\n\\a\\')).toEqual([
    { kind: 'escaped', raw: '\\$', text: '$' },
    { kind: 'escaped', raw: '\\`', text: '`' },
    { kind: 'escaped', raw: '\\\\', text: '\\' },
    { kind: 'escaped', raw: '\\\n', text: '' },
    { kind: 'text', text: '\\a\\' },
  ]);
});
