import { describe, expect, test } from 'vitest';

import { dialects } from '../../dialects/dialects.ts';
import { expandParts, type Expansion, type TemplateValues } from '../../dialects/expand.ts';
import { parseTemplate } from '../../dialects/parse-template.ts';
import type { FieldKind } from '../../dialects/template.ts';
import type { DialectId } from '../../kernel/servers.ts';
import { createTranslator, singleVariable } from './translate.ts';

const copied = (
  text: string,
  from: DialectId,
  to: DialectId,
  field: FieldKind = 'env',
): readonly [string, boolean] => {
  const translator = createTranslator({ from, to, fromFolder: '/a', typed: false });
  const result = translator.text(text, field);
  return [result, translator.meaning(text, field) === translator.written(result, field, '/a')];
};

const dialectIds = Object.keys(dialects) as DialectId[]; // the keys of the table are its ids
const set: Readonly<Record<string, string>> = { MYVAR: 'V1', my_var: 'V2', INFO: 'V3', env: 'V4' };
const values: TemplateValues = {
  variable: (name) => set[name],
  input: (id) => `input ${id}`,
  file: (file) => `file ${file}`,
  command: (line) => `command ${line}`,
  known: (name) => `known ${name}`,
};
/** What the agent would send. */
const sent = (text: string, dialect: DialectId, field: FieldKind): Expansion =>
  expandParts(parseTemplate(text, dialect, field), values);

describe.each(
  ['MYVAR', 'my_var', 'INFO', '$MYVAR', '${MYVAR}', 'x-${MYVAR}', '{env:MYVAR}', '${env:MYVAR}'].concat([
    '$env:MYVAR',
    '${{ secrets.MYVAR }}',
    '${MYVAR:-d}',
    '!echo hi',
    '!!x',
    '{file:/x}',
    '${file:/x}',
    '$(echo hi)',
    '\\${MYVAR}',
    '${input:id}',
    '$$MYVAR',
    '${MYVAR',
  ]),
)('%s, copied from any agent to any other,', (text) => {
  test.each(['env', 'headers', 'args', 'url'] as const)(
    'is never sent as something else in silence: %s',
    (field) => {
      const silent = dialectIds.flatMap((from) =>
        dialectIds.flatMap((to) => {
          const translator = createTranslator({ from, to, fromFolder: '/a', typed: false, env: set });
          const result = translator.text(text, field);
          const isTold =
            translator.meaning(text, field) !== translator.written(result, field, '/a') ||
            translator.bareVariable(text, field) !== undefined;
          const [before, after] = [sent(text, from, field), sent(result, to, field)];
          const isSame = before.ok && after.ok && before.text === after.text;
          return isTold || isSame || (!before.ok && !after.ok) ? [] : [`${from} to ${to}: ${result}`];
        }),
      );
      expect(silent).toEqual([]);
    },
  );
});

describe('from file to file', () => {
  test.each<[string, DialectId, DialectId, string, boolean]>([
    ['${T}', 'claude', 'cursor', '${env:T}', true],
    ['Bearer ${env:T}', 'cursor', 'opencode', 'Bearer {env:T}', true],
    ['{env:T}', 'opencode', 'continue', '${{ secrets.T }}', true],
    ['${{ secrets.T }}', 'continue', 'claude', '${T}', true],
    ['${T:-x}', 'claude', 'holt', '${T:-x}', true],
    ['${T:-x}', 'claude', 'cursor', '${env:T:-x}', false],
    ['${T}', 'claude', 'none', '${T}', false],
    ['${T}', 'none', 'claude', '${T}', false],
    ['$T', 'claude', 'gemini', '$T', false],
    ['plain', 'claude', 'gemini', 'plain', true],
    ['{file:./x}', 'opencode', 'windsurf', '${file:./x}', true],
    ['{file:./x}', 'opencode', 'claude', '{file:./x}', false],
    ['${input:id}', 'vscode', 'claude', '${input:id}', false],
    ['${workspaceFolder}/x', 'vscode', 'cursor', '${workspaceFolder}/x', true],
    ['!pass show x', 'holt', 'omp', '!pass show x', false],
    ['!x', 'claude', 'holt', '!!x', true],
    ['!!x', 'holt', 'claude', '!x', true],
    ['!x', 'claude', 'omp', '!x', false],
    ['debug', 'claude', 'omp', 'debug', true],
    ['GITHUB_TOKEN', 'omp', 'holt', '${GITHUB_TOKEN}', true],
    ['MYVAR', 'omp', 'claude', '${MYVAR}', true],
    ['MYVAR', 'omp', 'cursor', '${env:MYVAR}', true],
    ['MYVAR', 'omp', 'opencode', '{env:MYVAR}', true],
    ['MYVAR', 'omp', 'none', '${MYVAR}', false],
    ['MYVAR', 'omp', 'omp', 'MYVAR', true],
    ['${MYVAR}', 'holt', 'omp', '${MYVAR}', true],
    ['{env:MYVAR}', 'opencode', 'omp', '${MYVAR}', true],
    ['MYVAR', 'claude', 'omp', 'MYVAR', false],
    ['INFO', 'omp', 'holt', 'INFO', true],
    ['debug', 'omp', 'holt', 'debug', true],
  ])('%s of %s for %s: %s, the same meaning: %s', (text, from, to, result, same) => {
    expect(copied(text, from, to)).toEqual([result, same]);
  });

  test('a bare word is a variable wherever one of that name is set', () => {
    const translate = (env: Readonly<Record<string, string>>): string =>
      createTranslator({ from: 'omp', to: 'holt', fromFolder: '/a', typed: false, env }).text('token', 'env');
    expect([translate({ token: 'x' }), translate({})]).toEqual(['${token}', 'token']);
  });

  test('a relative path means another file in another folder', () => {
    const translator = createTranslator({ from: 'opencode', to: 'opencode', fromFolder: '/a', typed: false });
    expect(translator.meaning('{file:./x}', 'env')).not.toBe(translator.written('{file:./x}', 'env', '/b'));
    expect(translator.meaning('{file:/x}', 'env')).toBe(translator.written('{file:/x}', 'env', '/b'));
  });
});

describe('as typed', () => {
  const typed = (text: string, to: DialectId): readonly [string, boolean] => {
    const translator = createTranslator({ from: 'holt', to, fromFolder: '/a', typed: true });
    const result = translator.text(text, 'env');
    return [result, translator.meaning(text, 'env') === translator.written(result, 'env', '/a')];
  };

  test('the target’s own placeholders are meant where it has any, holt’s otherwise', () => {
    expect(typed('${env:T}', 'cursor')).toEqual(['${env:T}', true]);
    expect(typed('${T}', 'cursor')).toEqual(['${env:T}', true]);
    expect(typed('${input:id}', 'vscode')).toEqual(['${input:id}', true]);
    expect(typed('${T}', 'claude')).toEqual(['${T}', true]);
    expect(typed('plain', 'omp')).toEqual(['plain', true]);
  });
});

describe('a text that is one variable', () => {
  test.each([
    ['${T}', { variable: 'T', prefix: '', suffix: '' }],
    ['Bearer ${T}', { variable: 'T', prefix: 'Bearer ', suffix: '' }],
    ['a${T}b', { variable: 'T', prefix: 'a', suffix: 'b' }],
    ['${T:-x}', undefined],
    ['${T}${U}', undefined],
    ['plain', undefined],
    ['!cmd', undefined],
  ])('%s: %j', (text, found) => {
    expect(singleVariable(text, 'holt', 'env')).toEqual(found);
  });
});
