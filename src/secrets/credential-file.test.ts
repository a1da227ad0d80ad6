import { spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { commandFor, hostSystem, scaled, startProgram } from '../../tests/fixtures/programs/start-program.ts';
import { makeMachine } from '../../tests/support/agent-machine.ts';
import type { CredentialRecord, CredentialStore } from '../kernel/credentials.ts';
import type { Machine } from '../kernel/machine.ts';
import { createCredentialFile } from './credential-file.ts';
import { createCredentialMemory } from './credential-stores.ts';

let home: string;
let machine: Machine;
let file: string;
let warnings: string[];
beforeEach(async () => {
  home = await mkdtemp(path.join(os.tmpdir(), 'holt-credentials-'));
  machine = { ...makeMachine({ os: hostSystem }), path, holtHome: path.join(home, '.holt') };
  file = path.join(machine.holtHome, 'credentials.json');
  warnings = [];
});
afterEach(() => rm(home, { recursive: true, force: true }));

const now = new Date('2026-01-02T03:04:05.678Z');
const open = (): CredentialStore =>
  createCredentialFile(machine, { onWarning: (text) => warnings.push(text), now: () => now });
const record = (access: string): CredentialRecord => ({
  serverUrl: 'https://x.test/mcp',
  tokens: { access },
});

describe.each([
  ['in a file', open],
  ['in memory', createCredentialMemory],
])('logins %s', (_where, create) => {
  test('are stored, replaced, listed by id and removed', async () => {
    const store = create();
    expect([await store.get('a'), await store.list()]).toEqual([undefined, []]);
    await store.set('b', record('2'));
    await store.set('a', record('1'));
    await store.set('b', record('3'));
    expect(await store.list()).toEqual([
      { id: 'a', record: record('1') },
      { id: 'b', record: record('3') },
    ]);
    await store.delete('a');
    await store.delete('gone');
    expect([await store.get('a'), await store.get('b')]).toEqual([undefined, record('3')]);
  });

  test('T80: have ids that are never used as paths', async () => {
    const ids = [
      '../../x',
      'a/b',
      'CON',
      'a\0b',
      'x'.repeat(300),
      '__proto__',
      'constructor',
      '',
      '.',
      '..',
      '~',
      'C:\\x',
      '\n',
    ];
    const store = create();
    for (const id of ids) await store.set(id, record(id));
    expect((await store.list()).map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    for (const id of ids) expect(await store.get(id)).toEqual(record(id));
    expect(({} as Record<string, unknown>)['tokens']).toBeUndefined();
  });
});

describe('the file', () => {
  test('is not created by reading', async () => {
    expect(await open().get('a')).toBeUndefined();
    expect(await readdir(home)).toEqual([]);
  });

  test('T80, T83: is the only file besides .gitignore', async () => {
    await open().set('../../x', record('1'));
    expect(await readdir(machine.holtHome)).toEqual(['.gitignore', 'credentials.json']);
    expect(await readFile(path.join(machine.holtHome, '.gitignore'), 'utf8')).toBe('*\n');
  });

  test.skipIf(hostSystem === 'windows')(
    'T82: is private again after others could read it, and that is told once',
    async () => {
      await open().set('a', record('1'));
      await chmod(file, 0o644);
      expect([await open().get('a'), await open().get('a')]).toEqual([record('1'), record('1')]);
      expect([(await stat(file)).mode & 0o777, warnings]).toEqual([
        0o600,
        [`Others could read ${file}; it is private again`],
      ]);
    },
  );

  test.skipIf(hostSystem === 'windows')(
    'T81: is not used when a link, a pipe or a folder stands in its place',
    async () => {
      const target = path.join(home, '.bashrc');
      await writeFile(target, 'mine');
      await mkdir(machine.holtHome, { mode: 0o700 });
      for (const make of [
        () => symlink(target, file),
        async () => void spawnSync('mkfifo', [file]),
        () => mkdir(file),
      ]) {
        await make();
        await expect(open().get('a')).rejects.toMatchObject({ code: 'config-unwritable' });
        await expect(open().set('a', record('1'))).rejects.toMatchObject({ code: 'config-unwritable' });
        await rm(file, { recursive: true });
      }
      expect(await readFile(target, 'utf8')).toBe('mine');
    },
  );

  test.skipIf(hostSystem === 'windows')('T77: is not used in a folder that others can write', async () => {
    await mkdir(machine.holtHome);
    await chmod(machine.holtHome, 0o777);
    await expect(open().set('a', record('1'))).rejects.toMatchObject({ code: 'folder-unsafe' });
  });
});

describe('F28: a damaged file', () => {
  const aside = (): string => `${file}.corrupt-20260102T030405678Z`;

  test('is saved under another name, and readable logins stay', async () => {
    await open().set('a', record('1'));
    await open().set('b', record('2'));
    const damaged = (await readFile(file, 'utf8')).slice(0, -12);
    await writeFile(file, damaged);
    expect(await open().list()).toEqual([{ id: 'a', record: record('1') }]);
    expect(await readFile(aside(), 'utf8')).toBe(damaged);
    expect(warnings).toEqual([
      `${file} was damaged: 1 logins could be read, the file as it was is ${aside()}`,
    ]);
    expect(await open().get('a')).toEqual(record('1'));
    expect(warnings).toHaveLength(1);
  });

  test('does not stop a login from being stored', async () => {
    await mkdir(machine.holtHome, { mode: 0o700 });
    await writeFile(file, '\0\0\0', { mode: 0o600 });
    await open().set('a', record('1'));
    expect([await open().list(), (await readFile(aside())).length]).toEqual([
      [{ id: 'a', record: record('1') }],
      3,
    ]);
    if (hostSystem !== 'windows') expect((await stat(aside())).mode & 0o777).toBe(0o600);
  });
});

describe('processes', () => {
  test('ten processes that write different ids at the same time lose nothing', async () => {
    const times = scaled(3);
    const ids = Array.from({ length: 10 }, (_, index) => `p${index}`);
    const programs = ids.map((id) => startProgram('credential-writer', { id, home, times }));
    const endings = await Promise.all(programs.map(({ ended }) => ended));
    expect(endings.map(({ code, stderr }) => [code, stderr])).toEqual(ids.map(() => [0, '']));
    const expected = ids.flatMap((id) => Array.from({ length: times }, (_, time) => `${id}-${time}`));
    expect((await open().list()).map(({ id }) => id)).toEqual(expected.toSorted());
    expect((await readdir(machine.holtHome)).toSorted()).toEqual(['.gitignore', 'credentials.json']);
  }, 90_000);

  const hasStrace = spawnSync('strace', ['-V']).status === 0;
  test.runIf(hasStrace)(
    'others cannot look into it for an instant, even when the umask hides nothing',
    async () => {
      const log = path.join(home, 'trace');
      const [command = '', ...args] = commandFor('credential-writer', { id: 'a', home, times: 2, umask: 0 });
      const calls = 'open,openat,creat,mkdir,mkdirat,chmod,fchmod,fchmodat';
      const { status } = spawnSync(
        'strace',
        ['-f', '-qq', '-e', `trace=${calls}`, '-o', log, command, ...args],
        { stdio: 'ignore' },
      );
      expect(status).toBe(0);
      const ours = (await readFile(log, 'utf8'))
        .split('\n')
        .filter((line) => line.includes(machine.holtHome) && /O_CREAT|mkdir|chmod/.test(line));
      const modes = ours.map((line) => /(0[0-7]{3,4})\)? = /.exec(line)?.[1] ?? line);
      expect(modes.length).toBeGreaterThanOrEqual(3);
      expect(modes.filter((mode) => mode !== '0600' && mode !== '0700')).toEqual([]);
    },
    60_000,
  );
});
