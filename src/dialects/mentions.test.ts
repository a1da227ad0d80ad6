import { describe, expect, test } from 'vitest';

import { plainDefinition as definition } from '../../tests/support/plain-definition.ts';
import type { Launch } from '../kernel/servers.ts';
import { commandsIn, filesIn, inputsIn, templateTexts, variablesIn } from './mentions.ts';

const stdio = { kind: 'stdio', command: 'c', args: [], env: {}, envFrom: {} } as const;
const http = { kind: 'http', url: 'https://h/', headers: {}, headersFrom: {} } as const;

describe('texts', () => {
  test('of a program: command, arguments, environment, folder', () => {
    const launch: Launch = { ...stdio, args: ['a', 'b'], env: { K: 'v' }, cwd: '/d' };

    expect(templateTexts(definition('holt', launch))).toEqual([
      { field: 'command', path: ['command'], text: 'c' },
      { field: 'args', path: ['args', 0], text: 'a' },
      { field: 'args', path: ['args', 1], text: 'b' },
      { field: 'env', path: ['env', 'K'], text: 'v' },
      { field: 'cwd', path: ['cwd'], text: '/d' },
    ]);
  });

  test('of a remote server: URL, headers, OAuth settings', () => {
    const oauth = { clientId: 'i', scopes: ['r', 'w'], callbackPort: 1 };

    expect(templateTexts(definition('holt', { ...http, headers: { X: 'v' }, oauth }))).toEqual([
      { field: 'url', path: ['url'], text: 'https://h/' },
      { field: 'headers', path: ['headers', 'X'], text: 'v' },
      { field: 'oauth', path: ['oauth', 'clientId'], text: 'i' },
      { field: 'oauth', path: ['oauth', 'scopes', 0], text: 'r' },
      { field: 'oauth', path: ['oauth', 'scopes', 1], text: 'w' },
    ]);
  });

  test('OAuth that is switched off has none', () => {
    expect(templateTexts(definition('holt', { ...http, oauth: false }))).toEqual([
      { field: 'url', path: ['url'], text: 'https://h/' },
    ]);
  });
});

test('what is no text has no placeholders, in a list neither', () => {
  const scopes = ['r'];
  Reflect.set(scopes, 1, 5); // as a file may have it
  expect(templateTexts(definition('holt', { ...http, oauth: { scopes } })).slice(1)).toEqual([
    { field: 'oauth', path: ['oauth', 'scopes', 0], text: 'r' },
  ]);
});

test('each kind of placeholder is mentioned once, by its own', () => {
  const launch: Launch = { ...stdio, args: ['${env:V}${input:i}', '{file:f}'] };
  const [vscode, opencode] = [definition('vscode', launch), definition('opencode', launch)];
  expect(variablesIn(vscode).map(({ name }) => name)).toEqual(['V']);
  expect(inputsIn(vscode).map(({ id }) => id)).toEqual(['i']);
  expect(filesIn(opencode).map(({ file }) => file)).toEqual(['f']);
  expect([filesIn(vscode), inputsIn(opencode)]).toEqual([[], []]);
});

describe('variables', () => {
  test('of placeholders come with their place and what happens without them', () => {
    const launch: Launch = { ...stdio, args: ['${A:-x}', 'b'], env: { K: '${B}${B}' }, cwd: '${C}' };
    const kept = { whenUnset: 'literal', bare: false } as const;

    expect(variablesIn(definition('claude', launch))).toEqual([
      {
        ...kept,
        name: 'A',
        raw: '${A:-x}',
        text: '${A:-x}',
        field: 'args',
        path: ['args', 0],
        hasFallback: true,
      },
      {
        ...kept,
        name: 'B',
        raw: '${B}',
        text: '${B}${B}',
        field: 'env',
        path: ['env', 'K'],
        hasFallback: false,
      },
      {
        ...kept,
        name: 'B',
        raw: '${B}',
        text: '${B}${B}',
        field: 'env',
        path: ['env', 'K'],
        hasFallback: false,
      },
    ]);
  });

  test('taken by name are left out when unset, all but a token', () => {
    const reference = { variable: 'TOKEN', prefix: 'Bearer ', suffix: '' };

    expect(variablesIn(definition('none', { ...stdio, envFrom: { K: reference } }))).toEqual([
      {
        name: 'TOKEN',
        raw: 'TOKEN',
        text: 'TOKEN',
        field: 'env',
        path: ['envFrom', 'K'],
        hasFallback: false,
        whenUnset: 'omit',
        bare: false,
      },
    ]);
    expect(variablesIn(definition('none', { ...http, headersFrom: { Authorization: reference } }))).toEqual([
      {
        name: 'TOKEN',
        raw: 'TOKEN',
        text: 'TOKEN',
        field: 'headers',
        path: ['headersFrom', 'Authorization'],
        hasFallback: false,
        whenUnset: 'fail',
        bare: false,
      },
    ]);
  });

  test('that a value may name are marked', () => {
    expect(variablesIn(definition('omp', { ...stdio, env: { K: 'TOKEN', L: 'a b' } }))).toEqual([
      {
        name: 'TOKEN',
        raw: 'TOKEN',
        text: 'TOKEN',
        field: 'env',
        path: ['env', 'K'],
        hasFallback: true,
        whenUnset: 'literal',
        bare: true,
      },
    ]);
  });
});

describe('commands', () => {
  test('in values and for headers are listed', () => {
    const launch: Launch = { ...http, headers: { X: '!pass k', Y: 'v' }, headersHelper: 'mint' };

    expect(commandsIn(definition('omp', launch))).toEqual([
      { line: 'pass k', shell: true, field: 'headers', path: ['headers', 'X'] },
      { line: 'mint', shell: true, field: 'headers', path: ['headersHelper'] },
    ]);
  });

  test('of a program are those in its values', () => {
    expect(commandsIn(definition('crush', { ...stdio, args: ['$(a)-$(b)'] }))).toEqual([
      { line: 'a', shell: true, field: 'args', path: ['args', 0] },
      { line: 'b', shell: true, field: 'args', path: ['args', 0] },
    ]);
  });

  test('are none in a dialect without', () => {
    expect(commandsIn(definition('claude', { ...stdio, env: { K: '!pass' } }))).toEqual([]);
  });
});

test('files are listed as written', () => {
  expect(filesIn(definition('opencode', { ...stdio, env: { K: '{file:./k}', L: 'x' } }))).toEqual([
    { file: './k', field: 'env', path: ['env', 'K'] },
  ]);
});

test('questions are listed by id', () => {
  expect(inputsIn(definition('vscode', { ...http, headers: { X: 'Bearer ${input:tok}' } }))).toEqual([
    { id: 'tok', field: 'headers', path: ['headers', 'X'] },
  ]);
});
