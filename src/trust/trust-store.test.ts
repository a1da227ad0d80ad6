import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { hostSystem } from '../../tests/fixtures/programs/start-program.ts';
import { makeMachine } from '../../tests/support/agent-machine.ts';
import { HoltError } from '../kernel/errors.ts';
import type { Machine } from '../kernel/machine.ts';
import { realFiles } from '../platform/files/files.ts';
import type { TrustRecord } from './trust-record.ts';
import { createTrustStore } from './trust-store.ts';

let folder: string;
let machine: Machine;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'holt-trust-'));
  machine = { ...makeMachine({ os: hostSystem }), holtHome: path.join(folder, 'home', '.holt'), path };
  file = path.join(machine.holtHome, 'trust.json');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const record = (name: string, more: Partial<TrustRecord> = {}): TrustRecord => ({
  project: '/srv/shop',
  file: '/srv/shop/.mcp.json',
  agent: 'mcp-json',
  name,
  verdict: 'approved',
  digest: `sha256:${'0'.repeat(64)}`,
  at: '2026-01-02T03:04:05.000Z',
  fields: [{ path: 'command', hash: 'abc', shown: 'node' }],
  ...more,
});
const store = (): ReturnType<typeof createTrustStore> => createTrustStore(machine, realFiles);

test('written records are read again, whatever their names', async () => {
  const records = ['a', '__proto__', 'constructor', '../../x', 'a\nb', '"', '雪'].map((name) => record(name));
  await store().change(() => records);
  expect(store().load()).toEqual(records);
  expect(await readdir(machine.holtHome)).toEqual(['.gitignore', 'trust.json']);
});

test('there are no records at first, and reading creates nothing', async () => {
  expect(store().load()).toEqual([]);
  expect(await readdir(folder)).toEqual([]);
});

test.skipIf(hostSystem === 'windows')(
  'the file is 0600 in a folder that is 0700, whatever the umask',
  async () => {
    const before = process.umask(0);
    try {
      await store().change(() => [record('a')]);
    } finally {
      process.umask(before);
    }
    expect([(await stat(file)).mode & 0o777, (await stat(machine.holtHome)).mode & 0o777]).toEqual([
      0o600, 0o700,
    ]);
  },
);

test('simultaneous changes are all stored', async () => {
  const names = Array.from({ length: 20 }, (_, index) => `server-${index}`);
  await Promise.all(names.map((name) => store().change((all) => [...all, record(name)])));
  expect(
    store()
      .load()
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(names.toSorted());
});

test('incomplete records are ignored', async () => {
  const { digest: _digest, ...withoutDigest } = record('b');
  await store().change(() => [record('a')]);
  const entries = [
    record('a'),
    withoutDigest,
    { ...record('c'), verdict: 'maybe' },
    'text',
    null,
    record('d'),
  ];
  await writeFile(file, JSON.stringify({ version: 1, entries }), { mode: 0o600 });
  expect(
    store()
      .load()
      .map(({ name }) => name),
  ).toEqual(['a', 'd']);
  expect(store().unreadableCount?.()).toBe(4);
  // What cannot be read may have been a denial: it is still there after a change.
  await store().change((all) => [...all, record('e')]);
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
    version: 1,
    entries: [record('a'), record('d'), record('e'), withoutDigest, entries[2], 'text', null],
  });
});

describe('an ignored file', () => {
  /** What reading gives, why, how a change fails, and whether the file is as it was. */
  const verdict = async (): Promise<unknown> => {
    const before = await readFile(file, 'utf8').catch(() => '');
    const failure: unknown = await store()
      .change((all) => [...all, record('b')])
      .then(() => 'written')
      .catch((error: unknown) => (HoltError.is(error) ? [error.code, error.details] : error));
    const isKept = (await readFile(file, 'utf8').catch(() => '')) === before;
    return [store().load(), store().danger(), failure, isKept];
  };
  const refused = (reason: string): unknown => [[], reason, ['config-unwritable', { file, reason }], true];

  test('is a damaged one; it stays unchanged', async () => {
    await store().change(() => [record('a')]);
    await writeFile(file, '{"entries": [');
    expect(await verdict()).toEqual(refused('it is damaged'));
  });

  test.each([
    ['a list', '[]'],
    ['a text', '"x"'],
    ['no list of entries', '{"version":1,"entries":"x"}'],
    ['nothing', ''],
    ['NULs', '\0\0\0\0'],
    ['of a later version', '{"version":2,"entries":[]}'],
  ])('F28: is one that holds %s; it is kept as it is', async (_what, text) => {
    await store().change(() => [record('a', { verdict: 'denied' })]);
    await writeFile(file, text);
    expect(await verdict()).toEqual(refused('it is damaged'));
    expect(store().unreadableCount?.()).toBe(0);
  });

  test.skipIf(hostSystem === 'windows').each([0o602, 0o620])(
    'T82: is one that others may write (%o)',
    async (mode) => {
      await store().change(() => [record('a')]);
      await chmod(file, mode);
      expect(await verdict()).toEqual(refused('others may write it'));
    },
  );

  test('belongs to another user', async () => {
    await store().change(() => [record('a')]);
    const uid = (process.getuid?.() ?? 0) + 1;
    const theirs = createTrustStore(
      machine,
      {
        ...realFiles,
        load: (place, max) => {
          const outcome = realFiles.load(place, max);
          return outcome.kind === 'file' ? { ...outcome, facts: { ...outcome.facts, uid } } : outcome;
        },
      },
      { uid: uid + 1, gid: 0 },
    );
    expect([theirs.load(), theirs.danger()]).toEqual([[], `it belongs to another user (uid ${uid})`]);
  });

  test('T81: is a folder, or a link to a device', async () => {
    await store().change(() => [record('a')]);
    await rm(file);
    await symlink('/dev/null', file);
    expect(await verdict()).toEqual(refused('it cannot be read'));
  });
});

test.skipIf(hostSystem === 'windows')(
  'T82: rights that others have to read are gone after the next change',
  async () => {
    await store().change(() => [record('a')]);
    await chmod(file, 0o644);
    expect(store().load()).toHaveLength(1);
    await store().change((all) => [...all, record('b')]);
    expect([(await stat(file)).mode & 0o777, store().load().length]).toEqual([0o600, 2]);
  },
);
