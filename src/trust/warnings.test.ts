import { describe, expect, test } from 'vitest';

import { makeMachine } from '../../tests/support/agent-machine.ts';
import { projectProgram, projectRemote } from '../../tests/support/sample-servers.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import { loaderVariables } from './naming/command-words.ts';
import { fetchedPackages, isPackageRunner, isPinned } from './package-runners.ts';
import { trustWarnings } from './warnings.ts';

const machine = makeMachine();
const kinds = (definition: ServerDefinition): readonly string[] =>
  trustWarnings(definition, machine, []).map(({ kind }) => kind);

describe('a warning', () => {
  test.each<readonly [string, ServerDefinition, readonly string[]]>([
    ['none for a pinned package', projectProgram('npx', ['-y', 'pkg@1.2.3']), []],
    ['for a package without a version', projectProgram('npx', ['-y', 'pkg']), ['unpinned-package']],
    ['for a package with a range', projectProgram('npx', ['pkg@^1.2.3']), ['unpinned-package']],
    ['for uvx without a version', projectProgram('uvx', ['pkg']), ['unpinned-package']],
    ['none for a script of the project', projectProgram('pnpm', ['run', 'start']), []],
    ['for a shell', projectProgram('/bin/bash', ['-c', 'x']), ['shell', 'outside-project']],
    ['for a shell of Windows', projectProgram('CMD.EXE', ['x']), ['shell']],
    ['for code in an argument', projectProgram('node', ['-e', 'run()']), ['inline-code']],
    ['none for a script', projectProgram('node', ['server.js']), []],
    [
      'for a variable that loads code',
      projectProgram('node', ['x.js'], { env: { LD_PRELOAD: './x.so' } }),
      ['loader-variable'],
    ],
    ['for a path outside', projectProgram('x', ['/etc/passwd']), ['outside-project']],
    ['for a path that climbs out', projectProgram('x', ['a/../../b']), ['outside-project']],
    ['none for a path that climbs and stays', projectProgram('x', ['a/../b']), []],
    ['for a path behind an equals sign', projectProgram('x', ['--root=/etc']), ['outside-project']],
    ['for the home folder', projectProgram('x', ['~/secrets']), ['outside-project']],
    ['for a folder outside', projectProgram('x', [], { cwd: '..' }), ['outside-project']],
    ['none for a URL', projectProgram('x', ['https://x.test/../y']), []],
    ['for the whole environment', projectProgram('x', [], { inheritEnv: 'all' }), ['whole-environment']],
    ['for a helper', projectRemote('https://x.test', { headersHelper: 'get-headers' }), ['runs-command']],
    ['none for a plain URL', projectRemote('https://x.test'), []],
  ])('%s', (_what, definition, expected) => {
    expect(kinds(definition)).toEqual(expected);
  });

  test('names its subject', () => {
    const named = [
      { path: 'run.js', hash: 'x', leadsTo: '/etc/evil.js' },
      { path: 'pipe', hash: 'unknown' },
    ];
    expect(trustWarnings(projectProgram('npx', ['pkg']), machine, named).map(({ text }) => text)).toEqual([
      'pkg has no exact version: what runs can change from day to day',
      'run.js (a link to /etc/evil.js) lies outside the project',
      'pipe cannot be read completely, so an approval cannot cover it',
    ]);
  });
});

test.each([
  ['npx', ['-y', 'a'], ['a']],
  ['npx', ['--yes', '--package=a', '-p', 'b', 'run'], ['a', 'b']],
  ['npx', ['--registry', 'https://r.test', 'a', 'b'], ['a']],
  ['C:\\node\\NPX.cmd', ['a'], ['a']],
  ['uvx', ['--from', 'git+https://x', 'tool'], ['git+https://x']],
  ['uvx', ['--with', 'a', 'b'], ['b', 'a']],
  ['uv', ['tool', 'run', 'a'], ['a']],
  ['pipx', ['run', 'a'], ['a']],
  ['npm', ['exec', 'a'], ['a']],
  ['bunx', [], []],
  ['yarn', ['start'], []],
  ['node', ['a'], []],
])('%s %j fetches %j', (command, args, expected) => {
  expect(fetchedPackages(command, args)).toEqual(expected);
});

test('a runner is known by name and verb', () => {
  expect([
    isPackageRunner('npx', []),
    isPackageRunner('pipx', ['install', 'x']),
    isPackageRunner('./x', []),
  ]).toEqual([true, false, false]);
});

test.each([
  'a@1.2.3',
  '@s/a@1.2.3-rc.1',
  'a==1.2',
  'a===1.0',
  'git+https://x#0123456789012345678901234567890123456789',
])('%s is pinned', (name) => {
  expect(isPinned(name)).toBe(true);
});

test.each([
  'a',
  '@s/a',
  'a@latest',
  'a@1',
  'a@1.2',
  'a@^1.2.3',
  'a>=1.2',
  'a@1.2.3 || *',
  'git+https://x#main',
])('%s is not', (name) => {
  expect(isPinned(name)).toBe(false);
});

test('T23: variables that load code are recognised in any case, also with an inherited value', () => {
  const names = [
    'LD_PRELOAD',
    'NODE_OPTIONS',
    'PYTHONPATH',
    'BASH_ENV',
    'GIT_SSH_COMMAND',
    'SSH_ASKPASS',
    'PATH',
    'Path',
    'npm_config_registry',
    'DYLD_X',
    'HOME',
  ];
  const env = Object.fromEntries([...names, 'TOKEN', 'NODE_ENV', 'PORT'].map((name) => [name, 'x']));
  expect(loaderVariables(projectProgram('x', [], { env }))).toEqual(names);
  const envFrom = { PERL5OPT: { variable: 'X', prefix: '', suffix: '' } };
  expect(loaderVariables(projectProgram('x', [], { envFrom }))).toEqual(['PERL5OPT']);
  expect(loaderVariables(projectRemote('https://x.test'))).toEqual([]);
});
