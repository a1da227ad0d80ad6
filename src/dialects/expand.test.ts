import { expect, test } from 'vitest';

import { expandParts, type TemplateValues } from './expand.ts';
import { parseTemplate } from './parse-template.ts';

const nothing: TemplateValues = {
  variable: () => undefined,
  input: () => undefined,
  file: () => undefined,
  command: () => undefined,
  known: () => undefined,
};

test('everything without a value is named at once, with how it is written', () => {
  const parts = [
    ...parseTemplate('a${env:V}b${input:i}${userHome}${config:c}', 'vscode', 'args'),
    ...parseTemplate('${V}', 'holt', 'args'),
    ...parseTemplate('{file:./f}', 'opencode', 'args'),
    ...parseTemplate('!cmd x', 'omp', 'env'),
  ];

  expect(expandParts(parts, nothing)).toEqual({
    ok: false,
    missing: [
      { kind: 'input', raw: '${input:i}', name: 'i' },
      { kind: 'known', raw: '${userHome}', name: 'userHome' },
      {
        kind: 'unsupported',
        raw: '${config:c}',
        name: '${config:c}',
        reason: 'a setting of the editor is not known here',
      },
      { kind: 'variable', raw: '${V}', name: 'V' },
      { kind: 'file', raw: '{file:./f}', name: './f' },
      { kind: 'command', raw: '!cmd x', name: 'cmd x' },
    ],
  });
});

test('a placeholder that its agent sends as written is in the text and on the list', () => {
  expect(expandParts(parseTemplate('Bearer ${A}-${B:-b}', 'claude', 'headers'), nothing)).toEqual({
    ok: true,
    text: 'Bearer ${A}-b',
    kept: [{ kind: 'variable', raw: '${A}', name: 'A' }],
  });
});

test('an empty answer, file or output is a value', () => {
  const empty: TemplateValues = {
    variable: () => '',
    input: () => '',
    file: () => '',
    command: () => '',
    known: () => '',
  };
  const parts = [
    ...parseTemplate('[${input:i}${userHome}${env:V}', 'vscode', 'args'),
    ...parseTemplate('{file:./f}]', 'opencode', 'args'),
    ...parseTemplate('!cmd', 'omp', 'env'),
  ];

  expect(expandParts(parts, empty)).toEqual({ ok: true, text: '[]', kept: [] });
});

test('values are asked for by what stands in the placeholder', () => {
  const asked: string[] = [];
  const answer =
    (kind: string) =>
    (name: string): string => {
      asked.push(`${kind} ${name}`);
      return `(${name})`;
    };
  const values: TemplateValues = {
    variable: answer('variable'),
    input: answer('input'),
    file: answer('file'),
    command: answer('command'),
    known: answer('known'),
  };
  const parts = [
    ...parseTemplate('${env:V}${input:i}${userHome}', 'vscode', 'args'),
    ...parseTemplate('{file:~/f}', 'opencode', 'args'),
    ...parseTemplate('NAME', 'omp', 'env'),
    ...parseTemplate('!cmd x', 'omp', 'env'),
  ];

  expect(expandParts(parts, values)).toEqual({
    ok: true,
    text: '(V)(i)(userHome)(~/f)(NAME)(cmd x)',
    kept: [],
  });
  expect(asked).toEqual([
    'variable V',
    'input i',
    'known userHome',
    'file ~/f',
    'variable NAME',
    'command cmd x',
  ]);
});

test('no parts are an empty text', () => {
  expect(expandParts([], nothing)).toEqual({ ok: true, text: '', kept: [] });
});
