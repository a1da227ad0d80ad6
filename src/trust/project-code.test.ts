import { describe, expect, test } from 'vitest';

import { makeMachine, memoryFiles } from '../../tests/support/agent-machine.ts';
import { linkTo, projectProgram, projectRemote, withOutcomes } from '../../tests/support/sample-servers.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import type { FileOutcome } from '../platform/files/files.ts';
import { projectFiles } from './project-code.ts';

const machine = makeMachine({ env: { PATH: '/srv/shop/bin:/usr/bin:relative' } });
const plain = memoryFiles(machine, {
  './server.js': 'run()',
  './lib/tool.py': 'run()',
  './lib/mod/__main__.py': 'run()',
  './..odd/run.js': 'run()',
  './bin/wrapped': '#!/bin/sh',
  './app/package.json': '{"main":"dist/main.js"}',
  './app/dist/main.js': 'run()',
  './app/index.js': 'run()',
  './a b.js': 'run()',
  './my%20script.js': 'run()',
  '/etc/passwd': 'root',
  '/srv/shopping/x.js': 'run()',
});
const files = withOutcomes(plain, { '/srv/shop/app': { kind: 'not-regular', what: 'a folder' } });
const names = (definition: ServerDefinition, on = files): readonly string[] =>
  projectFiles(definition, machine, on).map(({ path, hash }) =>
    hash.length === 64 ? path : `${path} ${hash}`,
  );

describe('a project file is found', () => {
  test.each<readonly [string, ServerDefinition, readonly string[]]>([
    ['by the command', projectProgram('./server.js'), ['server.js']],
    ['by its full path', projectProgram('/srv/shop/server.js'), ['server.js']],
    ['by an argument', projectProgram('node', ['server.js']), ['server.js']],
    ['after an equals sign', projectProgram('node', ['--require=./server.js']), ['server.js']],
    ['right after a short flag', projectProgram('node', ['-r./server.js']), ['server.js']],
    ['in a list', projectProgram('java', ['-cp', 'x.zip:server.js']), ['server.js']],
    ['with an at sign', projectProgram('tool', ['@server.js']), ['server.js']],
    ['as a URL of a file', projectProgram('node', ['--import', 'file:///srv/shop/server.js']), ['server.js']],
    [
      'with its letters encoded',
      projectProgram('node', ['--import=file:///srv/shop/%73erver.js']),
      ['server.js'],
    ],
    ['inside a script', projectProgram('sh', ['-c', 'cd /tmp; node "./server.js" | cat']), ['server.js']],
    ['with a blank in it', projectProgram('node', ['a b.js']), ['a b.js']],
    ['without its ending', projectProgram('node', ['server']), ['server.js']],
    [
      'as a folder',
      projectProgram('node', ['app']),
      ['app/dist/main.js', 'app/index.js', 'app/package.json'],
    ],
    ['as a module', projectProgram('python', ['-m', 'lib.tool']), ['lib/tool.py']],
    ['as a package', projectProgram('python', ['-m', 'lib.mod']), ['lib/mod/__main__.py']],
    ['from another folder', projectProgram('python', ['tool.py'], { cwd: 'lib' }), ['lib/tool.py']],
    ['by a name that begins with two dots', projectProgram('node', ['..odd/run.js']), ['..odd/run.js']],
    ['through a variable nobody knows yet', projectProgram('node', ['${PWD}/server.js']), ['server.js']],
    ['through a longer one', projectProgram('node', ['${HOME}/src/shop/server.js']), ['server.js']],
    ['as a default', projectProgram('node', ['${SCRIPT:-server.js}']), ['server.js']],
    [
      'by a folder the agent knows',
      projectProgram('node', ['${workspaceFolder}/server.js'], {}, { dialect: 'cursor' }),
      ['server.js'],
    ],
    ['where PATH leads into the project', projectProgram('wrapped'), ['bin/wrapped']],
    [
      'by a variable that loads code',
      projectProgram('node', [], { env: { NODE_OPTIONS: '--require ./server.js' } }),
      ['server.js'],
    ],
    ['by a command for a value', projectProgram('x', [], { env: { T: '!./server.js' } }), ['server.js']],
    [
      'by the helper for headers',
      projectRemote('https://x.test', { headersHelper: 'node server.js' }),
      ['server.js'],
    ],
  ])('%s', (_how, definition, expected) => {
    expect(names(definition)).toEqual(expected);
  });
});

describe('no file is found', () => {
  test.each<readonly [string, ServerDefinition]>([
    ['outside the project', projectProgram('cat', ['/etc/passwd', '../shopping/x.js'])],
    ['by a bare command', projectProgram('server.js')],
    ['by a plain variable', projectProgram('x', [], { env: { FILE: './server.js' } })],
    ['by a text too long for a name', projectProgram('x', ['a'.repeat(300), 'b/'.repeat(3000)])],
    ['by a URL', projectRemote('https://x.test/server.js')],
    ['by a NUL', projectProgram('x', ['server.js\0'])],
  ])('%s', (_how, definition) => {
    expect(names(definition)).toEqual([]);
  });
});

describe('the hash of a file', () => {
  const hashOf = (on: typeof files): string | undefined =>
    projectFiles(projectProgram('node', ['run.js']), machine, on)[0]?.hash;
  const at = (outcome: FileOutcome): typeof files => withOutcomes(files, { '/srv/shop/run.js': outcome });

  test('changes with each byte and with the target of a link', () => {
    const hashes = [
      hashOf(at(linkTo('/srv/shop/run.js', 'a'))),
      hashOf(at(linkTo('/srv/shop/run.js', 'b'))),
      hashOf(at(linkTo('/srv/shop/other.js', 'a'))),
    ];
    expect(new Set(hashes).size).toBe(3);
    expect(hashOf(at(linkTo('/srv/shop/run.js', 'a')))).toBe(hashes[0]);
  });

  test('is taken through links from outside, and for any spelling of the path', () => {
    const places = { '/tmp/link.js': '/srv/shop/server.js', '/SRV/SHOP/server.js': '/srv/shop/server.js' };
    const realPath = (place: string): string => new Map(Object.entries(places)).get(place) ?? place;
    const on = withOutcomes(
      files,
      Object.fromEntries(Object.entries(places).map(([from, to]) => [from, linkTo(to, 'x')])),
    );
    const shown = projectFiles(projectProgram('node', Object.keys(places)), machine, on, realPath);
    expect(shown.map(({ path }) => path)).toEqual(['/SRV/SHOP/server.js', '/tmp/link.js']);
  });

  test('is not taken outside the project', () => {
    const opened: string[] = [];
    const watched = {
      ...files,
      load: (path: string, maxBytes: number) => (opened.push(path), files.load(path, maxBytes)),
    };
    projectFiles(
      projectProgram('/usr/bin/cat', ['/etc/passwd', '../shopping/x.js', 'server.js']),
      machine,
      watched,
    );
    expect(opened).toEqual(['/srv/shop/server.js']);
  });

  test('comes with the target of a link out of the project', () => {
    const [named] = projectFiles(
      projectProgram('node', ['run.js']),
      machine,
      at(linkTo('/etc/evil.js', 'x')),
    );
    expect(named).toMatchObject({ path: 'run.js', leadsTo: '/etc/evil.js' });
  });

  test.each<readonly [string, FileOutcome]>([
    ['a pipe', { kind: 'not-regular', what: 'a named pipe' }],
    ['a file that is too large', { kind: 'too-large', bytes: 1 << 30 }],
    ['a file that cannot be read', { kind: 'unreadable', reason: 'permission denied' }],
  ])('cannot be told of %s', (_what, outcome) => {
    expect(projectFiles(projectProgram('node', ['run.js']), machine, at(outcome))).toEqual([
      { path: 'run.js', hash: 'unknown' },
    ]);
  });
});
