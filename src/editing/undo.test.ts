import { chmod, lstat, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { makeEditFixture, type EditFixture } from '../../tests/support/edit-fixture.ts';
import { insertEntry } from '../documents/edit-document.ts';
import { editFile } from './edit-file.ts';
import { undoLast } from './undo.ts';
import { keepPrevious, newOperation, type Operation } from './previous-content.ts';
import { markDone, loadRecords } from './undo/undo-records.ts';

let world: EditFixture;
beforeEach(async () => {
  world = await makeEditFixture();
});
afterEach(() => world[Symbol.asyncDispose]());

const add = (key: string, file: string, operation: Operation = newOperation(`add ${key}`)) =>
  editFile(
    {
      file,
      format: 'json',
      operation,
      change: (text) => insertEntry(text, 'json', { path: ['mcpServers'], key, value: {} }),
    },
    world.parts,
  );
const undo = () => undoLast(world.parts);
const records = () => loadRecords(world.machine, world.parts.files) ?? [];
const kept = async (): Promise<string[]> =>
  (await readdir(world.place('~/.holt/undo'))).filter((name) => name !== 'index.json');
const at = '2027-01-02T00:00:00.000Z';
/** What a process leaves that is killed between its record and its write. */
const killedBefore = (file: string, before: string | undefined, after: string) =>
  keepPrevious(
    {
      operation: newOperation('killed'),
      file,
      before: before === undefined ? undefined : Buffer.from(before),
      after: Buffer.from(after),
      written: { dev: 0, ino: 0, size: 0, mtimeMs: 0 },
    },
    world.parts,
  );

describe('taking back', () => {
  test('the newest write first, byte for byte, until there is nothing left', async () => {
    const text = '\ufeff{ // mine\r\n"mcpServers":{}\r\n}';
    const file = await world.write('.mcp.json', text, 0o644);
    const other = world.place('.holt/mcp.json');
    await add('a', file);
    const withA = await readFile(file, 'utf8');
    await add('b', file);
    await add('c', other);

    expect(await undo()).toEqual({
      title: 'add c',
      at,
      files: [{ file: other, outcome: 'removed' }],
      skipped: [],
      warnings: [],
    });
    await expect(lstat(other)).rejects.toThrow('ENOENT');
    expect(await undo()).toEqual({
      title: 'add b',
      at,
      files: [{ file, outcome: 'restored' }],
      skipped: [],
      warnings: [],
    });
    expect(await readFile(file, 'utf8')).toBe(withA);
    expect((await undo()).title).toBe('add a');
    expect([await readFile(file, 'utf8'), await world.modeOf('.mcp.json')]).toEqual([text, 0o644]);
    await expect(undo()).rejects.toMatchObject({
      code: 'undo-empty',
      message: 'There is nothing to undo',
      details: { folder: world.place('~/.holt/undo') },
    });
    expect([records(), await kept()]).toEqual([[], []]);
  });

  test('all files of one command together', async () => {
    const operation = newOperation('import');
    const [first, second, third] = ['.mcp.json', 'b.json', 'c.json'].map((name) => world.place(name));
    await add('before', first ?? '');
    await add('a', second ?? '', operation);
    await add('b', third ?? '', operation);

    expect((await undo()).files).toEqual([
      { file: third, outcome: 'removed' },
      { file: second, outcome: 'removed' },
    ]);
    expect((await undo()).title).toBe('add before');
  });

  test('a file that was changed since is left alone, and named with where its old content is', async () => {
    const file = await world.write('.mcp.json', '{}');
    await add('a', file);
    await writeFile(file, '{"mine": true}');
    const [record] = records();

    await expect(undo()).rejects.toMatchObject({
      code: 'config-unwritable',
      message: `${file} was changed since "add a", so it is left as it is`,
      details: { file, reason: 'changed' },
      remedy: `What it held before is in ${world.place(`~/.holt/undo/${record?.id}`)}.`,
    });
    expect([await readFile(file, 'utf8'), records()]).toEqual(['{"mine": true}', [record]]);
    expect(await world.read(`~/.holt/undo/${record?.id}`)).toBe('{}');
  });

  test('a file that holt made and somebody changed or removed is left alone', async () => {
    const file = world.place('.mcp.json');
    await add('a', file);
    await rm(file);
    // Gone is what it was before holt came.
    expect((await undo()).files).toEqual([{ file, outcome: 'unchanged' }]);
    await add('a', file);
    await writeFile(file, 'mine');
    await expect(undo()).rejects.toMatchObject({ details: { file, reason: 'changed' } });
    expect(await readFile(file, 'utf8')).toBe('mine');
  });

  test('what somebody put back by hand is not undone a second time, and nothing older in its place', async () => {
    const [older, newer] = [await world.write('a.json', '{}'), await world.write('b.json', '{}')];
    await add('a', older);
    await add('b', newer);
    const withA = await readFile(older, 'utf8');
    await writeFile(newer, '{}');

    expect((await undo()).files).toEqual([{ file: newer, outcome: 'unchanged' }]);
    expect(await readFile(older, 'utf8')).toBe(withA);
  });

  test('two who undo at the same time undo two things', async () => {
    const file = await world.write('.mcp.json', '{}');
    for (const name of ['a', 'b', 'c']) await add(name, file);
    const undone = await Promise.all([undo(), undo()]);

    expect(undone.map(({ title }) => title).toSorted()).toEqual(['add b', 'add c']);
    expect(Object.keys(JSON.parse(await readFile(file, 'utf8')).mcpServers)).toEqual(['a']);
  });
});

describe('killed at any point', () => {
  test('before the write: the record is passed over and the one before it is undone', async () => {
    const file = await world.write('.mcp.json', '{}');
    await add('a', file);
    await killedBefore(file, await readFile(file, 'utf8'), 'never written');

    expect((await undo()).title).toBe('add a');
    expect([await readFile(file, 'utf8'), records()]).toEqual(['{}', []]);
  });

  test('before the write of a new file: the same', async () => {
    await killedBefore(world.place('new.json'), undefined, 'never written');
    await expect(undo()).rejects.toMatchObject({ code: 'undo-empty' });
  });

  test('after the write and before the mark: it is undone', async () => {
    const file = await world.write('.mcp.json', 'after');
    await killedBefore(file, 'before', 'after');

    expect(await undo()).toMatchObject({ title: 'killed', files: [{ file, outcome: 'restored' }] });
    expect(await readFile(file, 'utf8')).toBe('before');
  });

  test('in the middle of an undo: the next one says it was done and touches nothing else', async () => {
    const file = await world.write('.mcp.json', '{}');
    await add('a', file);
    await writeFile(file, '{}');
    expect((await undo()).files).toEqual([{ file, outcome: 'unchanged' }]);
  });

  test('contents without a record are swept away with the next write', async () => {
    const file = await world.write('.mcp.json', '{}');
    await add('a', file);
    const stray = 'f'.repeat(32);
    await world.write(`~/.holt/undo/${stray}`, 'left behind');
    await add('b', file);

    expect((await kept()).toSorted()).toEqual(
      records()
        .map(({ id }) => id)
        .toSorted(),
    );
  });
});

describe('how it is kept', () => {
  test('T82: for nobody else to read, also when somebody loosened it', async () => {
    const file = await world.write('.mcp.json', '{}', 0o644);
    await add('a', file);
    await world.write('~/.holt/undo/index.json', await world.read('~/.holt/undo/index.json'), 0o644);
    await add('b', file);
    const modes = await Promise.all(
      ['index.json', ...(await kept())].map((name) => world.modeOf(`~/.holt/undo/${name}`)),
    );

    expect([await world.modeOf('~/.holt'), await world.modeOf('~/.holt/undo'), ...modes]).toEqual([
      0o700, 0o700, 0o600, 0o600, 0o600,
    ]);
    expect(await world.read('~/.holt/.gitignore')).toBe('*\n');
  });

  test('file names say nothing about what is in them', async () => {
    await add('../../x', await world.write('.mcp.json', '{}'));
    expect((await kept()).every((name) => /^[0-9a-f]{32}$/.test(name))).toBe(true);
  });

  test('only the newest hundred, and no content outlives its record', async () => {
    const file = await world.write('.mcp.json', '0');
    for (let count = 0; count < 103; count += 1) {
      const id = await killedBefore(file, String(count), String(count + 1));
      await markDone(id, world.parts);
    }
    expect([records().length, records()[0]?.before === records()[1]?.before, (await kept()).length]).toEqual([
      100,
      false,
      100,
    ]);
  });

  test('big files push out old ones, but never the last', async () => {
    const big = 'x'.repeat(33 << 20);
    for (const name of ['a', 'b', 'c']) await killedBefore(world.place(name), big + name, '');

    expect(records().map(({ file }) => file)).toEqual([world.place('c')]);
    expect(await kept()).toHaveLength(1);
  });

  test('a damaged index costs what it held and nothing more', async () => {
    const file = await world.write('.mcp.json', '{}');
    await add('a', file);
    const before = await kept();
    await world.write('~/.holt/undo/index.json', '{');
    await expect(undo()).rejects.toMatchObject({ code: 'undo-empty' });
    await add('b', file);

    expect((await undo()).title).toBe('add b');
    expect(before).toHaveLength(1);
  });

  test('content that is not what was kept is not put back', async () => {
    const file = await world.write('.mcp.json', '{}');
    await add('a', file);
    const after = await readFile(file, 'utf8');
    const [name] = await kept();
    await world.write(`~/.holt/undo/${name}`, 'something else');

    await expect(undo()).rejects.toMatchObject({ details: { file, reason: 'undo-lost' } });
    expect(await readFile(file, 'utf8')).toBe(after);
  });

  test('a record that says too little removes nothing', async () => {
    const file = world.place('.mcp.json');
    await add('a', file);
    const index = JSON.parse(await world.read('~/.holt/undo/index.json'));
    delete index.records[0].before;
    await world.write('~/.holt/undo/index.json', JSON.stringify(index));

    await expect(undo()).rejects.toMatchObject({ code: 'undo-empty' });
    expect(await readFile(file, 'utf8')).toContain('"a"');
  });
});

describe('what can no longer be taken back', () => {
  test('is passed over and told, and what is older is taken back', async () => {
    const [older, edited, gone] = ['a.json', 'b.json', 'c.json'].map((name) => world.place(name));
    await add('a', older ?? '');
    await add('b', edited ?? '');
    const third = await world.write('c.json', '{}');
    await add('c', third);
    await writeFile(edited ?? '', 'mine');
    await rm(third);
    const [, , last] = records();

    expect(await undo()).toEqual({
      title: 'add a',
      at,
      files: [{ file: older, outcome: 'removed' }],
      skipped: [
        {
          title: 'add c',
          at,
          file: gone,
          reason: `${gone} was removed since "add c", so there is nothing to take back in it. What it held before is in ${world.place(`~/.holt/undo/${last?.id}`)}.`,
        },
        {
          title: 'add b',
          at,
          file: edited,
          reason: `${edited} was changed since "add b", so it is left as it is. Edit it by hand to take out what was added.`,
        },
      ],
      warnings: [],
    });
    expect([await readFile(edited ?? '', 'utf8'), records().length]).toEqual(['mine', 2]);
    await expect(undo()).rejects.toMatchObject({
      code: 'config-unwritable',
      message: expect.stringMatching(/ in it; one older change cannot be taken back either$/),
    });
  });

  test('a command of which one file was changed since is passed over as a whole', async () => {
    const operation = newOperation('import');
    const [first, second] = ['a.json', 'b.json'].map((name) => world.place(name));
    await add('a', first ?? '', operation);
    await add('b', second ?? '', operation);
    const before = await readFile(second ?? '', 'utf8');
    await writeFile(first ?? '', 'mine');

    await expect(undo()).rejects.toMatchObject({ details: { file: first, reason: 'changed' } });
    expect(await readFile(second ?? '', 'utf8')).toBe(before);
  });

  test('two writes of one command to one file are taken back one after the other', async () => {
    const operation = newOperation('both');
    const file = await world.write('.mcp.json', '{}');
    await add('a', file, operation);
    await add('b', file, operation);
    expect((await undo()).skipped).toEqual([]);
    expect(await readFile(file, 'utf8')).toBe('{}');
  });

  test('a change of another project is asked about first', async () => {
    await add('a', world.place('.mcp.json'));
    const elsewhere = { ...world.parts, machine: { ...world.machine, projectRoot: world.place('~/other') } };
    const asked: unknown[] = [];
    const refuse = (change: unknown): Promise<void> => {
      asked.push(change);
      return Promise.reject(new Error('no'));
    };
    await expect(undoLast(elsewhere, refuse)).rejects.toThrow('no');
    expect([asked, records().length]).toEqual([
      [{ title: 'add a', at, project: world.machine.projectRoot }],
      1,
    ]);
    expect((await undoLast(world.parts, refuse)).title).toBe('add a');
  });
});

test('what cannot be kept says why in words, and where to look', async () => {
  const file = await world.write('.mcp.json', '{}');
  await world.write('~/.holt/undo/index.json/in-its-place', '');
  for (const folder of ['~/.holt', '~/.holt/undo']) await chmod(world.place(folder), 0o700);
  const folder = world.place('~/.holt/undo');
  await expect(add('a', file)).rejects.toMatchObject({
    code: 'config-unwritable',
    message: `${file} was not changed: its previous content cannot be kept: ${folder}/index.json is not a file`,
    remedy: `Check the permissions of ${folder}.`,
  });
});
