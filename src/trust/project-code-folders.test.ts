import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { makeMachine, memoryFiles } from '../../tests/support/agent-machine.ts';
import { projectProgram, projectRemote, withOutcomes } from '../../tests/support/sample-servers.ts';
import type { Machine } from '../kernel/machine.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import { type FileOutcome, realFiles } from '../platform/files/files.ts';
import { decisionRecord, type TrustRecord } from './trust-record.ts';
import { fingerprint } from './fingerprint.ts';
import { loadApprovals } from './load-approvals.ts';
import { projectFiles } from './project-code.ts';
import type { Approvals } from './trust-state.ts';

let root: string;
let machine: Machine;
const contents = [
  'sub/e.mjs',
  'sub/e.js',
  'sub/run.sh',
  'sub/package.json',
  'sub/Makefile',
  'sub/deno.json',
  'sub/tool.mk',
  'sub/mod/server.py',
  'sub dir/e.mjs',
  'a/b/e.mjs',
  'a/b/c/e.mjs',
  'mod/server.py',
  'mod/app/__main__.py',
  'sp ace.js',
  'plain.js',
  'lib/deep/tool.js',
];

beforeAll(() => {
  root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'holt-folders-')));
  machine = makeMachine({ projectRoot: root });
  for (const name of contents) write(name, 'one');
  fs.symlinkSync('sub', path.join(root, 'link'));
  fs.symlinkSync('.', path.join(root, 'self'));
});
afterAll(() => fs.rmSync(root, { recursive: true, force: true }));

function write(name: string, text: string): void {
  const place = path.join(root, name);
  fs.mkdirSync(path.dirname(place), { recursive: true });
  fs.writeFileSync(place, text);
}

/** Looks at the disk anew, as the next run would. */
function approvalsWith(records: readonly TrustRecord[]): Approvals {
  const store = {
    file: '/home/ada/.holt/trust.json',
    load: () => records,
    danger: () => undefined,
    change: () => Promise.reject(new Error('nothing is written here')),
  };
  return loadApprovals(machine, realFiles, { store });
}

/** The states of an approved entry: at once, after a change to a file, and after the change is taken back. */
function statesAround(definition: ServerDefinition, name: string): readonly string[] {
  const approvals = approvalsWith([]);
  const record = decisionRecord(definition, 'approved', { machine, approvals, now: () => new Date(0) });
  const state = (): string => approvalsWith([record]).stateOf(definition);
  const before = state();
  write(name, 'two');
  const after = state();
  write(name, 'one');
  return [before, after, state()];
}

describe('an approval ends when a file changes that runs because its folder is named', () => {
  test.each<readonly [string, readonly string[], string]>([
    ['env', ['-C', 'sub', 'node', 'e.mjs'], 'sub/e.mjs'],
    ['env', ['-Csub', 'node', 'e.mjs'], 'sub/e.mjs'],
    ['env', ['--chdir=sub', 'node', 'e.mjs'], 'sub/e.mjs'],
    ['env', ['--chdir', 'sub', './run.sh'], 'sub/run.sh'],
    ['env', ['--chdir=sub dir', 'node', 'e.mjs'], 'sub dir/e.mjs'],
    ['env', ['-S', '-C sub node e.mjs'], 'sub/e.mjs'],
    ['env', ['-S-C sub node e.mjs'], 'sub/e.mjs'],
    ['env', ['-C', 'link', 'node', 'e.mjs'], 'sub/e.mjs'],
    ['env', ['-C', '${WORK}/sub', 'node', 'e.mjs'], 'sub/e.mjs'],
    ['env', ['-C', '${WORK:-sub}', 'node', 'e.mjs'], 'sub/e.mjs'],
    ['env', ['-C', 'sub', 'node', 'e'], 'sub/e.js'],
    ['sh', ['-c', 'cd sub && exec node e.mjs'], 'sub/e.mjs'],
    ['sh', ['-c', 'cd ./sub/;node e.mjs'], 'sub/e.mjs'],
    ['sh', ['-c', "cd 'sub dir' && node e.mjs"], 'sub dir/e.mjs'],
    ['sh', ['-c', String.raw`cd sub\ dir && node e.mjs`], 'sub dir/e.mjs'],
    ['sh', ['-c', 'cd a && cd b && node e.mjs'], 'a/b/e.mjs'],
    ['sh', ['-c', 'cd a; (cd b; cd c; node e.mjs)'], 'a/b/c/e.mjs'],
    ['sh', ['-c', 'cd lib/deep && cd .. && node deep/tool.js'], 'lib/deep/tool.js'],
    ['sh', ['-c', 'cd sub && python3 -m mod.server'], 'sub/mod/server.py'],
    ['sh', ['-c', 'cd sub && make serve'], 'sub/Makefile'],
    ['cmd', ['/c', 'cd /d sub && node e.mjs'], 'sub/e.mjs'],
    ['uv', ['run', '--directory', 'sub', 'e.js'], 'sub/e.js'],
    ['uv', ['--directory=sub', 'run', 'e.js'], 'sub/e.js'],
    ['uv', ['run', '--project', 'sub', 'e.js'], 'sub/e.js'],
    ['uv', ['run', '--directory', 'sub', '-m', 'mod.server'], 'sub/mod/server.py'],
    ['git', ['-C', 'sub', '-c', 'core.sshCommand=./run.sh', 'fetch'], 'sub/run.sh'],
    ['make', ['-C', 'sub', '-f', 'tool.mk'], 'sub/tool.mk'],
    ['make', ['-C', 'sub', 'serve'], 'sub/Makefile'],
    ['make', ['-Csub'], 'sub/Makefile'],
    ['make', ['--directory=sub', 'serve'], 'sub/Makefile'],
    ['npm', ['--prefix', 'sub', 'run', 'x'], 'sub/package.json'],
    ['npm', ['-C', 'sub', 'run', 'x'], 'sub/package.json'],
    ['npm', ['--prefix=sub', 'exec', '--', 'node', 'e.mjs'], 'sub/e.mjs'],
    ['pnpm', ['--dir', 'sub', 'run', 'x'], 'sub/package.json'],
    ['pnpm', ['-C', 'sub', 'exec', 'node', 'e.mjs'], 'sub/e.mjs'],
    ['yarn', ['--cwd', 'sub', 'start'], 'sub/package.json'],
    ['yarn', ['--cwd', 'sub', 'node', 'e.mjs'], 'sub/e.mjs'],
    ['bun', ['--cwd', 'sub', 'run', 'e.js'], 'sub/e.js'],
    ['bun', ['--cwd=sub', 'e.js'], 'sub/e.js'],
    ['deno', ['task', '--cwd', 'sub', 'x'], 'sub/deno.json'],
  ])('%s %j', (command, args, name) => {
    const states = statesAround(projectProgram(command, args), name);
    expect(states).toEqual(['approved', 'changed', 'approved']);
  });

  test('named by a headers helper', () => {
    const helped = projectRemote('https://x.test', { headersHelper: "cd 'sub dir' && node e.mjs" });
    expect(statesAround(helped, 'sub dir/e.mjs')).toEqual(['approved', 'changed', 'approved']);
  });

  test('relative to the start folder', () => {
    const deep = projectProgram('env', ['-C', 'c', 'node', 'e.mjs'], { cwd: 'a/b' });
    expect(statesAround(deep, 'a/b/c/e.mjs')).toEqual(['approved', 'changed', 'approved']);
  });
});

describe('an approval ends when a named file changes', () => {
  test.each<readonly [string, readonly string[], string]>([
    ['python3', ['-mmod.server'], 'mod/server.py'],
    ['python3', ['-mmod.app'], 'mod/app/__main__.py'],
    ['python3', ['-Im', 'mod.server'], 'mod/server.py'],
    ['python3', ['-uBmmod.server'], 'mod/server.py'],
    ['uv', ['run', '--module', 'mod.server'], 'mod/server.py'],
    ['uv', ['run', '--module=mod.server'], 'mod/server.py'],
    ['env', ['-S', 'python3 -m mod.server'], 'mod/server.py'],
    ['sh', ['-c', 'exec python3 -mmod.server'], 'mod/server.py'],
    ['sh', ['-c', "node 'sp ace.js'"], 'sp ace.js'],
    ['sh', ['-c', 'node "sp ace.js"'], 'sp ace.js'],
    ['sh', ['-c', String.raw`node sp\ ace.js`], 'sp ace.js'],
    ['sh', ['-c', `node sp' 'ace."js"`], 'sp ace.js'],
    ['sh', ['-c', "node --require='sp ace.js'"], 'sp ace.js'],
    ['sh', ['-c', `sh -c 'node "sp ace.js"'`], 'sp ace.js'],
    ['sh', ['-c', String.raw`sh -c "node \"sp ace.js\""`], 'sp ace.js'],
    ['sh', ['-c', "node 'sp ace.js"], 'sp ace.js'],
    ['sh', ['-c', "node pl'ai'n.js"], 'plain.js'],
    ['node', ['--require=./sp ace.js'], 'sp ace.js'],
  ])('%s %j', (command, args, name) => {
    const states = statesAround(projectProgram(command, args), name);
    expect(states).toEqual(['approved', 'changed', 'approved']);
  });

  test('with Windows paths, where a backslash does not escape', () => {
    const windows = makeMachine({ os: 'windows' });
    const files = memoryFiles(windows, { './sub/sp ace.js': 'run()' });
    const texts = [String.raw`node "sub\sp ace.js"`, String.raw`node sub\"sp ace.js"`];
    const named = texts.map((text) => projectFiles(projectProgram('cmd', ['/c', text]), windows, files));
    expect(named.flat().map((one) => one.path)).toEqual(Array.from(texts, () => String.raw`sub\sp ace.js`));
  });
});

describe('folders', () => {
  const shop = makeMachine();
  const folder: FileOutcome = { kind: 'not-regular', what: 'a folder' };
  const letters = 'abcdefghijkl'.split('');
  const files = withOutcomes(
    memoryFiles(shop, Object.fromEntries(letters.map((letter) => [`./${letter}/e.mjs`, 'run()']))),
    Object.fromEntries(letters.map((letter) => [`/srv/shop/${letter}`, folder])),
  );
  const namedBy = (...args: readonly string[]): readonly string[] =>
    projectFiles(projectProgram('x', args), shop, files).map((one) => one.path);

  test('are searched only up to the eighth', () => {
    expect(namedBy(...letters, 'e.mjs')).toEqual(letters.slice(0, 8).map((letter) => `${letter}/e.mjs`));
  });

  test('outside the project are not searched', () => {
    const outside = withOutcomes(memoryFiles(shop, { '/tmp/e.mjs': 'run()' }), { '/tmp': folder });
    expect(projectFiles(projectProgram('env', ['-C', '/tmp', 'node', 'e.mjs']), shop, outside)).toEqual([]);
  });

  test('that are links to a searched folder are not searched again', () => {
    const named = projectFiles(projectProgram('node', ['plain.js', 'self']), machine, realFiles);
    expect(named.map((one) => one.path)).toEqual(['plain.js']);
  });

  test('that only a value command names are not searched for the program', () => {
    const valued = projectProgram('node', ['e.mjs'], { env: { TOKEN: '!cat a' } });
    expect(projectFiles(valued, shop, files)).toEqual([]);
  });
});

describe('the digest of an ordinary entry', () => {
  const shop = makeMachine({ env: { PATH: '/srv/shop/bin:/usr/bin' } });
  const files = withOutcomes(
    memoryFiles(shop, {
      './server.js': 'run()',
      './Makefile': 'all:',
      './package.json': '{}',
      './lib/tool.py': 'run()',
      './app/package.json': '{"main":"main.js"}',
      './app/main.js': 'run()',
      './app/Makefile': 'all:',
      './app/deno.json': '{}',
      './bin/wrapped': '#!/bin/sh',
    }),
    { '/srv/shop/app': { kind: 'not-regular', what: 'a folder' } },
  );
  test.each<readonly [ServerDefinition, string]>([
    [
      projectProgram('node', ['server.js', '--port', '1']),
      '610aa47040d2d82f8949118ffd62d78c2d02bacf9f4768c4c863c75753a1bc4e',
    ],
    [
      projectProgram('npx', ['-y', '@shop/server@1.2.3', './app']),
      '35f67c7fe6716f6bb903a44ef769a52f158ba56dd94d4443c72fef9ff91b2641',
    ],
    [projectProgram('node', ['app']), 'a63e403be44636f0181ed27c6e40b5891e2c5ee626787af94fe9b0b5c2082d18'],
    [
      projectProgram('python', ['-m', 'lib.tool']),
      '825cdaa04ba30f40a5d2bd5b94af89bdc501cb3a36ba948fa3ea8f6d9055861e',
    ],
    [
      projectProgram('python', ['tool.py'], { cwd: 'lib' }),
      '9763d65fb8a3542570c8051aeeeb03c63a911af364c7860eed23705f5e2898a4',
    ],
    [
      projectProgram('sh', ['-c', 'node "./server.js" | cat']),
      'c998fb264e7c25274a24ff8d893598e55a7f1688892b247863542131305df662',
    ],
    [
      projectProgram('npm', ['run', 'serve']),
      '26f195fe15bb899e50701c1e629d3e547bd74d215594ecc4184c97ccb0e8b572',
    ],
    [
      projectProgram('wrapped', ['${HOME}/shop/server.js']),
      '4436751381d80736aa68ba6b5b3af33eecc86aa719f7ef308586863d914e668b',
    ],
    [
      projectRemote('https://x.test', { headersHelper: 'node server.js' }),
      'ca2400cdaa5da36cf059cfcc365d230e0ee72ad6e10a756803734f7449cf4837',
    ],
  ])('is what it was: %#', (definition, digest) => {
    expect(fingerprint(definition, shop, files).digest).toBe(`sha256:${digest}`);
  });
});

describe('an approval ends when a file changes that is named before an unknown value', () => {
  test.each<readonly [string, readonly string[], string]>([
    ['sh', ['-c', 'node plain.js --token ${T}'], 'plain.js'],
    ['sh', ['-c', 'cd sub && node e.mjs ${T}'], 'sub/e.mjs'],
    ['sh', ['-c', 'A=${A} node plain.js --token ${T}'], 'plain.js'],
    ['sh', ['-c', '${A} && node lib/deep/tool.js ${T} ${U}'], 'lib/deep/tool.js'],
  ])('%s %j', (command, args, name) => {
    expect(statesAround(projectProgram(command, args), name)).toEqual(['approved', 'changed', 'approved']);
  });

  test('in a partly known start folder', () => {
    const definition = projectProgram('node', ['e.mjs'], { cwd: '${ROOT}/sub' });
    expect(statesAround(definition, 'sub/e.mjs')).toEqual(['approved', 'changed', 'approved']);
  });
});
