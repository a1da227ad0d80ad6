import { spawnSync } from 'node:child_process';
import {
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { makeEditFixture, type EditFixture } from '../../tests/support/edit-fixture.ts';
import { insertEntry } from '../documents/edit-document.ts';
import type { Clock } from '../platform/clock.ts';
import type { Files } from '../platform/files/files.ts';
import { editFile, type FileEdit } from './edit-file.ts';
import { withMemory } from './edit-parts.ts';
import { readSettled } from './read-settled.ts';
import { loadRecords } from './undo/undo-records.ts';
import { undoLast } from './undo.ts';
import { newOperation } from './previous-content.ts';

let world: EditFixture;
beforeEach(async () => {
  world = await makeEditFixture();
});
afterEach(() => world[Symbol.asyncDispose]());

const operation = newOperation('test');
const adding = (key: string, more: Partial<FileEdit> & { file: string }): FileEdit => ({
  format: 'json',
  operation,
  change: (text) => insertEntry(text, 'json', { path: ['mcpServers'], key, value: { command: key } }),
  ...more,
});
const add = (key: string, more: Partial<FileEdit> & { file: string }) =>
  editFile(adding(key, more), world.parts);
const text = '{\n  // mine\n  "mcpServers": {\n    "a": { "command": "a" }, // first\n  },\n}\n';
const withB =
  '{\n  // mine\n  "mcpServers": {\n    "a": { "command": "a" }, // first\n    "b": {\n      "command": "b"\n    },\n  },\n}\n';

describe('what is written', () => {
  test('a new file is private, and begins with what it is told to begin with', async () => {
    const file = world.place('.holt/mcp.json');
    const start = '{\n  "$schema": "x"\n}\n';

    expect(await add('a', { file, start })).toEqual({
      file,
      outcome: 'created',
      tightened: false,
      warnings: [],
    });
    expect(await readFile(file, 'utf8')).toBe(
      '{\n  "$schema": "x",\n  "mcpServers": {\n    "a": {\n      "command": "a"\n    }\n  }\n}\n',
    );
    expect(await world.modeOf('.holt/mcp.json')).toBe(0o600);
  });

  test.each([0o644, 0o640, 0o600, 0o755])('comments, commas and mode %o are kept', async (mode) => {
    const file = await world.write('.mcp.json', text, mode);

    expect(await add('b', { file })).toEqual({ file, outcome: 'changed', tightened: false, warnings: [] });
    expect([await readFile(file, 'utf8'), await world.modeOf('.mcp.json')]).toEqual([withB, mode]);
    expect((await readdir(path.dirname(file))).toSorted()).toEqual(['.git', '.mcp.json']);
  });

  test.each([
    ['a byte order mark', Buffer.from(`\ufeff${text}`), Buffer.from(`\ufeff${withB}`)],
    ['UTF-16', Buffer.from(`\ufeff${text}`, 'utf16le'), Buffer.from(`\ufeff${withB}`, 'utf16le')],
    ['CRLF', Buffer.from(text.replaceAll('\n', '\r\n')), Buffer.from(withB.replaceAll('\n', '\r\n'))],
  ])('%s stays', async (_, before, after) => {
    const file = await world.write('.mcp.json', before);
    await add('b', { file });

    expect(await readFile(file)).toEqual(after);
  });

  test('T82: a file of the user’s that now holds a secret is private afterwards, and that is said', async () => {
    const file = await world.write('~/.claude.json', '{}', 0o644);

    expect(await add('a', { file, private: true })).toEqual({
      file,
      outcome: 'changed',
      tightened: true,
      warnings: [],
    });
    expect(await add('b', { file, private: true })).toEqual({
      file,
      outcome: 'changed',
      tightened: false,
      warnings: [],
    });
    expect(await world.modeOf('~/.claude.json')).toBe(0o600);
  });

  test('an edit that changes nothing writes nothing', async () => {
    const file = await world.write('.mcp.json', text);
    const before = await lstat(file);
    const same = adding('a', { file, change: async (now) => ({ ok: true, text: now }) });
    expect(await editFile(same, world.parts)).toEqual({
      file,
      outcome: 'unchanged',
      tightened: false,
      warnings: [],
    });
    expect((await lstat(file)).ino).toBe(before.ino);

    const missing = world.place('none.json');
    const nothing = adding('a', {
      file: missing,
      start: '{}',
      change: async (now) => ({ ok: true, text: now }),
    });
    expect((await editFile(nothing, world.parts)).outcome).toBe('unchanged');
    await expect(lstat(missing)).rejects.toThrow('ENOENT');
    expect(loadRecords(world.machine, world.parts.files)).toEqual([]);
  });
});

describe('what is refused, with the file as it was', () => {
  test('a text that cannot be parsed', async () => {
    const file = await world.write('.mcp.json', '{ "mcpServers": {\n "a": }\n');

    await expect(add('b', { file })).rejects.toMatchObject({
      code: 'config-invalid',
      message: expect.stringMatching(/was not changed: it is not valid JSON: .* \(2:7\)$/),
    });
    expect(await readFile(file, 'utf8')).toBe('{ "mcpServers": {\n "a": }\n');
  });

  test('bytes that are not text', async () => {
    const bytes = Buffer.concat([Buffer.from('{"a": "'), Buffer.from([0xff]), Buffer.from('"}')]);
    const file = await world.write('.mcp.json', bytes);

    await expect(add('b', { file })).rejects.toMatchObject({
      code: 'config-invalid',
      details: { file, errors: ['it holds bytes that are not text'] },
    });
    expect(await readFile(file)).toEqual(bytes);
  });

  test('T09: a link that leads out of its folder; the message says where to', async () => {
    const target = await world.write('~/.config/other.json', text);
    const file = world.place('.mcp.json');
    await symlink(target, file);

    await expect(add('b', { file })).rejects.toMatchObject({
      code: 'config-unwritable',
      message: `${file} is reached through a link that leads out of its folder, to ${target}`,
      details: { file, reason: 'link-outside-folder' },
    });
    expect([await readFile(target, 'utf8'), await readlink(file)]).toEqual([text, target]);
  });

  test('T09: a folder of the project that is a link out of it', async () => {
    await world.write('~/.holt/mcp.json', text);
    await symlink(world.place('~/.holt'), world.place('.holt'));

    await expect(add('b', { file: world.place('.holt/mcp.json') })).rejects.toMatchObject({
      details: { reason: 'link-outside-folder' },
    });
    await expect(add('b', { file: world.place('.holt/new.json') })).rejects.toMatchObject({
      details: { reason: 'link-outside-folder' },
    });
    expect(await world.read('~/.holt/mcp.json')).toBe(text);
  });

  test('T09: a link is checked again when it is written, whatever stood there before', async () => {
    const file = await world.write('.mcp.json', text);
    const target = await world.write('~/other.json', text);
    const swap = adding('b', {
      file,
      change: async (now) => {
        await rm(file);
        await symlink(target, file);
        return insertEntry(now, 'json', { path: ['mcpServers'], key: 'b', value: {} });
      },
    });

    await expect(editFile(swap, world.parts)).rejects.toMatchObject({
      details: { reason: 'link-outside-folder' },
    });
    expect(await readFile(target, 'utf8')).toBe(text);
  });

  test('T81: a pipe, a device or a folder in the file’s place, at once', async () => {
    const file = world.place('.mcp.json');
    spawnSync('mkfifo', [file]);
    await expect(add('b', { file })).rejects.toMatchObject({ details: { reason: 'not-regular' } });
    await rm(file);
    await mkdir(file);
    await expect(add('b', { file })).rejects.toMatchObject({ details: { reason: 'not-regular' } });
    await expect(add('b', { file: '/dev/zero' })).rejects.toMatchObject({
      details: { reason: 'not-regular' },
    });
  });

  test('T81: another name of the same file keeps the old bytes', async () => {
    const file = await world.write('.mcp.json', text);
    await link(file, world.place('other-name'));
    await add('b', { file });

    expect(await world.read('other-name')).toBe(text);
  });

  test('an edit that the text does not allow', async () => {
    const file = await world.write('.mcp.json', '{"mcpServers": []}');

    await expect(add('b', { file })).rejects.toMatchObject({
      code: 'config-invalid',
      details: { file, errors: ['"mcpServers" holds no entries'] },
    });
    expect([await readFile(file, 'utf8'), loadRecords(world.machine, world.parts.files)]).toEqual([
      '{"mcpServers": []}',
      [],
    ]);
  });
});

describe('others who write', () => {
  test('a program that takes no lock and writes in between is not overwritten: the edit is made anew', async () => {
    const file = await world.write('.mcp.json', text);
    let turns = 0;
    const disturbed = adding('b', {
      file,
      change: async (now) => {
        turns += 1;
        if (turns === 1) await writeFile(file, now.replace('"a"', '"z"'));
        return insertEntry(now, 'json', { path: ['mcpServers'], key: 'b', value: { command: 'b' } });
      },
    });
    await editFile(disturbed, world.parts);

    expect([turns, await readFile(file, 'utf8')]).toEqual([2, withB.replace('"a"', '"z"')]);
    expect(loadRecords(world.machine, world.parts.files)).toHaveLength(1);
  });

  test('one that never stops is told of instead', async () => {
    const file = await world.write('.mcp.json', text);
    const disturbed = adding('b', {
      file,
      change: async (now) => {
        await writeFile(file, `${now}\n`);
        return insertEntry(now, 'json', { path: ['mcpServers'], key: 'b', value: {} });
      },
    });

    await expect(editFile(disturbed, world.parts)).rejects.toMatchObject({
      code: 'config-unwritable',
      details: { file, reason: 'changed' },
    });
    expect((await readFile(file, 'utf8')).trimEnd()).toBe(text.trimEnd());
    expect(loadRecords(world.machine, world.parts.files)).toEqual([]);
  });

  test('T15: two spellings of one file are one file, and nobody’s entry is lost', async () => {
    await world.write('~/real/mcp.json', '{}');
    await symlink(world.place('~/real'), world.place('~/link'));
    const names = Array.from({ length: 10 }, (_, index) => `s${index}`);
    await Promise.all(
      names.map((name, index) =>
        add(name, { file: world.place(index % 2 === 0 ? '~/real/mcp.json' : '~/link/mcp.json') }),
      ),
    );

    expect(Object.keys(JSON.parse(await world.read('~/real/mcp.json')).mcpServers).toSorted()).toEqual(names);
  });

  test('T86: leftovers that name a living process are nobody’s lock', async () => {
    const file = await world.write('.mcp.json', text);
    for (const name of ['.mcp.json.lock', '.mcp.json.pid', 'mcp.json.lock'])
      await world.write(name, String(process.pid));
    await world.write('~/.holt/run/locks/.keep', String(process.pid));

    expect((await add('b', { file })).outcome).toBe('changed');
  });

  test('a lock that stays busy is given up after the time that was given', async () => {
    const file = await world.write('.mcp.json', text);
    const inside = editFile(
      adding('b', {
        file,
        change: async (now) => {
          const second = editFile(adding('c', { file }), { ...world.parts, lockTimeoutMs: 100 });
          await expect(second).rejects.toMatchObject({ code: 'lock-busy' });
          return { ok: true, text: now };
        },
      }),
      world.parts,
    );
    expect((await inside).outcome).toBe('unchanged');
  });
});

describe('T116: an editor that has emptied the file', () => {
  /** Runs `steps` one by one, each after a wait of the edit; the time of day is the real one. */
  const partsWith = (...steps: readonly (() => unknown)[]) => {
    const waits: number[] = [];
    let elapsed = 0;
    const clock: Clock = {
      now: () => elapsed,
      setTimer: (ms, fire) => {
        elapsed += ms;
        waits.push(ms);
        void Promise.resolve(steps[waits.length - 1]?.()).then(fire);
        return () => undefined;
      },
    };
    return { parts: { ...world.parts, clock, now: Date.now }, waits };
  };
  const old = new Date(1e9);

  test('and writes it in pieces loses nothing', async () => {
    const file = await world.write('.mcp.json', '');
    const { parts } = partsWith(
      () => undefined,
      () => writeFile(file, text.slice(0, 20)),
      () => writeFile(file, text),
    );
    expect(await editFile(adding('b', { file }), parts)).toMatchObject({ outcome: 'changed' });
    expect(await readFile(file, 'utf8')).toBe(withB);
  });

  test('and writes nothing for two seconds has a new file, and undo restores what was read before', async () => {
    const file = await world.write('.mcp.json', text);
    await utimes(file, old, old);
    const { parts, waits } = partsWith();
    const start = '{\n  "$schema": "x"\n}\n';
    const plan = withMemory(parts);
    await readSettled(file, plan);
    await writeFile(file, '');

    expect(await editFile(adding('b', { file, start }), plan)).toMatchObject({ outcome: 'created' });
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
      $schema: 'x',
      mcpServers: { b: { command: 'b' } },
    });
    expect(waits).toHaveLength(20);
    await undoLast(parts);
    expect(await readFile(file, 'utf8')).toBe(text);
  });

  test('is not overwritten when it empties the file after it was read', async () => {
    const file = await world.write('.mcp.json', text);
    await utimes(file, old, old);
    const { parts } = partsWith(
      () => undefined,
      () => writeFile(file, text.replace('"a"', '"z"')),
    );
    let turns = 0;
    const disturbed = adding('b', {
      file,
      change: async (now) => {
        turns += 1;
        if (turns === 1) await writeFile(file, '');
        return insertEntry(now, 'json', { path: ['mcpServers'], key: 'b', value: { command: 'b' } });
      },
    });
    await editFile(disturbed, parts);
    expect([turns, await readFile(file, 'utf8')]).toEqual([2, withB.replace('"a"', '"z"')]);
  });

  test('a file that never stops changing is left alone, with a remedy', async () => {
    const file = await world.write('.mcp.json', text);
    let count = 0;
    const { parts } = partsWith(
      ...Array.from({ length: 100 }, () => () => writeFile(file, `${text}${'\n'.repeat((count += 1))}`)),
    );
    await expect(editFile(adding('b', { file }), parts)).rejects.toMatchObject({
      code: 'config-unwritable',
      details: { file, reason: 'changed' },
      remedy: 'Look at it and try again.',
    });
    expect((await readFile(file, 'utf8')).trimEnd()).toBe(text.trimEnd());
  });

  test('a file that holt wrote last is not waited for, also after an undo', async () => {
    const file = await world.write('.mcp.json', text);
    await utimes(file, old, old);
    const { parts, waits } = partsWith();
    const one = (key: string) => editFile(adding(key, { file, operation: newOperation(key) }), parts);
    for (const key of ['b', 'c', 'd']) await one(key);
    await undoLast(parts);
    await undoLast(parts);
    await one('c');
    expect(waits).toEqual([]);

    await writeFile(file, await readFile(file));
    await one('e');
    expect(waits).toEqual([100]);
  });

  test('undo waits for the file instead of passing over the change', async () => {
    const other = await world.write('other.json', text);
    const file = await world.write('.mcp.json', text);
    for (const place of [other, file]) {
      await utimes(place, old, old);
      await editFile(adding('b', { file: place, operation: newOperation(`add to ${place}`) }), world.parts);
    }
    const edited = await readFile(file);
    await writeFile(file, '');
    const { parts } = partsWith(() => writeFile(file, edited));

    expect((await undoLast(parts)).title).toBe(`add to ${file}`);
    expect([await readFile(file, 'utf8'), await readFile(other, 'utf8')]).toEqual([text, withB]);
  });
});

describe('the previous content', () => {
  test('nothing is written when it cannot be kept', async () => {
    const file = await world.write('.mcp.json', text);
    await world.write('~/.holt/undo', 'a file where a folder belongs');

    await expect(add('b', { file })).rejects.toMatchObject({ code: 'folder-unsafe' });
    expect(await readFile(file, 'utf8')).toBe(text);
  });

  test('a mark that cannot be made does not make the write fail', async () => {
    const file = await world.write('.mcp.json', text);
    let looks = 0;
    const files: Files = {
      ...world.parts.files,
      load: (place, maxBytes) => {
        if (place.endsWith('index.json') && (looks += 1) > 1) throw new Error('gone');
        return world.parts.files.load(place, maxBytes);
      },
    };
    const edited = await editFile(adding('b', { file }), { ...world.parts, files });

    expect([edited.outcome, await readFile(file, 'utf8')]).toEqual(['changed', withB]);
    expect(loadRecords(world.machine, world.parts.files)).toMatchObject([{ state: 'pending' }]);
  });
});
