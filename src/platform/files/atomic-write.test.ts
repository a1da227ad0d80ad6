import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmod,
  chown,
  link,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import type { WriterReport, WriterTask } from '../../../tests/fixtures/programs/atomic-writer.ts';
import {
  commandFor,
  hostSystem,
  scaled,
  startCommand,
  startProgram,
} from '../../../tests/fixtures/programs/start-program.ts';
import { writeFileAtomically, type AtomicWriteOptions } from './atomic-write.ts';
import { nameTempFile } from './writes/temp-files.ts';

const nobody = 65534;
const isRoot = process.getuid?.() === 0;
let folder: string;
let file: string;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(path.join(os.tmpdir(), 'holt-write-')));
  file = path.join(folder, 'mcp.json');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const write = (place: string, text: string, more: Partial<AtomicWriteOptions> = {}) =>
  writeFileAtomically(place, Buffer.from(text), { os: hostSystem, ...more });
const modeOf = async (place: string) => (await lstat(place)).mode & 0o777;
const written = (more: { file: string; created?: boolean; tightened?: boolean }) => ({
  kind: 'written',
  created: false,
  tightened: false,
  stamp: expect.objectContaining({ ino: expect.any(Number) }),
  ...more,
});

const refused = (reason: string) => ({ code: 'config-unwritable', details: { file, reason } });
const pidOfTheDead = (): number => spawnSync(process.execPath, ['-e', '']).pid;

const reports = async (task: Partial<WriterTask>): Promise<WriterReport[]> => {
  const all: WriterReport[] = [];
  const program = startProgram('atomic-writer', { options: { os: hostSystem }, ...task });
  for await (const line of program.lines()) all.push(JSON.parse(line));
  expect(await program.ended).toMatchObject({ code: 0, stderr: '' });
  return all;
};

describe('what is written', () => {
  test('a new file is private and nothing else is left in the folder', async () => {
    expect(await write(file, 'new')).toEqual(written({ file, created: true }));
    expect(await readFile(file, 'utf8')).toBe('new');
    expect(await modeOf(file)).toBe(0o600);
    expect(await readdir(folder)).toEqual(['mcp.json']);
  });

  test.each([
    ['short', ['one ', '', 'two']],
    ['none', []],
    [
      'longer than the buffer they go through',
      ['é🦦'.repeat(100_000), 'x'.repeat(300_000), '🦦y'.repeat(70_000)],
    ],
  ])('texts that are %s follow each other', async (_name, texts) => {
    await writeFileAtomically(file, texts, { os: hostSystem });
    expect((await readFile(file, 'utf8')) === texts.join('')).toBe(true);
  });

  test.each(['644', '640', '600', '755', '666'])('mode %s is kept', async (digits) => {
    const mode = Number.parseInt(digits, 8);
    await writeFile(file, 'old');
    await chmod(file, mode);

    expect(await write(file, 'new')).toEqual(written({ file }));
    expect([await readFile(file, 'utf8'), await modeOf(file)]).toEqual(['new', mode]);
  });

  test('a file that must be private becomes so, and whether it was not is said', async () => {
    await writeFile(file, 'old');
    await chmod(file, 0o644);

    expect(await write(file, 'new', { mode: 'private' })).toEqual(written({ file, tightened: true }));
    expect(await modeOf(file)).toBe(0o600);
    expect(await write(file, 'new', { mode: 'private' })).toEqual(written({ file }));
  });

  test("missing folders are made: private for holt's own", async () => {
    const own = path.join(folder, 'own', 'deep', 'x.json');
    const other = path.join(folder, 'other', 'deep', 'x.json');
    await write(own, 'x', { folders: 'private' });
    await write(other, 'x');

    expect([await modeOf(path.dirname(own)), await modeOf(path.join(folder, 'own'))]).toEqual([0o700, 0o700]);
    expect(await modeOf(path.dirname(other))).toBe(0o777 & ~process.umask());
  });

  test('another name of the same file keeps the old bytes', async () => {
    await writeFile(file, 'old');
    await link(file, path.join(folder, 'other-name'));
    await write(file, 'new');

    expect(await readFile(path.join(folder, 'other-name'), 'utf8')).toBe('old');
  });
});

describe('links', () => {
  test('a link that stays in its folder is followed and stays a link', async () => {
    const target = path.join(folder, 'target.json');
    await writeFile(target, 'old');
    await symlink('target.json', file);

    expect(await write(file, 'new')).toEqual(written({ file: target }));
    expect([await readlink(file), await readFile(target, 'utf8')]).toEqual(['target.json', 'new']);
  });

  test('T09: a link that leads out of its folder is refused and its target untouched', async () => {
    const outside = path.join(folder, 'outside');
    const place = path.join(folder, 'project', '.mcp.json');
    await mkdir(path.dirname(place));
    await writeFile(outside, 'old');
    await symlink('../outside', place);

    await expect(write(place, 'new')).rejects.toMatchObject({
      code: 'config-unwritable',
      message: `${place} is reached through a link that leads out of its folder`,
      details: { file: place, reason: 'link-outside-folder' },
      remedy: 'Change the file that the link stands for, or put a file in its place.',
    });
    expect(await readFile(outside, 'utf8')).toBe('old');
    expect(await readdir(path.dirname(place))).toEqual(['.mcp.json']);
  });

  test('T09: a linked folder does not lead out of the place a write must stay in', async () => {
    await mkdir(path.join(folder, 'home'));
    await mkdir(path.join(folder, 'project', '..own'), { recursive: true });
    await symlink('../home', path.join(folder, 'project', '.cursor'));
    const within = path.join(folder, 'project');
    const place = path.join(within, '.cursor', 'new', 'mcp.json');

    await expect(write(place, 'new', { within })).rejects.toMatchObject({
      details: { file: place, reason: 'link-outside-folder' },
    });
    expect(await readdir(path.join(folder, 'home'))).toEqual([]);
    expect(await write(path.join(within, 'mcp.json'), 'new', { within })).toMatchObject({ kind: 'written' });
    expect(await write(path.join(within, '..own', 'mcp.json'), 'new', { within })).toMatchObject({
      kind: 'written',
    });
  });

  test('a linked folder is followed when nothing says where to stay', async () => {
    await mkdir(path.join(folder, 'dotfiles'));
    await symlink('dotfiles', path.join(folder, '.cursor'));

    expect(await write(path.join(folder, '.cursor', 'mcp.json'), 'new')).toEqual(
      written({ file: path.join(folder, 'dotfiles', 'mcp.json'), created: true }),
    );
  });

  test.each([
    ['a link to nothing', 'nowhere', 'link-broken'],
    ['a link to itself', 'mcp.json', 'link-broken'],
    ['a link to a folder beside it', 'folder', 'not-a-file'],
  ])('%s is refused', async (_, target, reason) => {
    await mkdir(path.join(folder, 'folder'));
    await symlink(target, file);

    await expect(write(file, 'new')).rejects.toMatchObject({ details: { file, reason } });
  });

  test('T81: a pipe or a folder in the place of the file is refused at once', async () => {
    spawnSync('sh', ['-c', 'mkfifo "$0"', file]);
    await expect(write(file, 'new')).rejects.toMatchObject({ details: { file, reason: 'not-a-file' } });
    await rm(file);
    await mkdir(file);
    await expect(write(file, 'new')).rejects.toMatchObject({ details: { file, reason: 'not-a-file' } });
  });
});

describe('what was read before', () => {
  const old = Buffer.from('old');
  const sha256 = createHash('sha256').update(old).digest('hex');

  test.each([
    ['its bytes', { kind: 'bytes', bytes: old }],
    ['its digest', { kind: 'sha256', hex: sha256.toUpperCase() }],
  ] as const)('a file that is still as it was read (by %s) is replaced', async (_, expected) => {
    await writeFile(file, 'old');

    expect(await write(file, 'new', { expected })).toEqual(written({ file }));
    expect(await write(file, 'newer', { expected })).toEqual({ kind: 'changed', file });
    expect([await readFile(file, 'utf8'), await readdir(folder)]).toEqual(['new', ['mcp.json']]);
  });

  test('a file that is gone was changed', async () => {
    expect(await write(file, 'new', { expected: { kind: 'bytes', bytes: old } })).toEqual({
      kind: 'changed',
      file,
    });
    expect(await readdir(folder)).toEqual([]);
  });

  test('a file that has appeared is not overwritten', async () => {
    const expected = { kind: 'absent' } as const;
    expect(await write(file, 'first', { expected })).toEqual(written({ file, created: true }));
    expect(await write(file, 'second', { expected })).toEqual({ kind: 'changed', file });
    expect(await readFile(file, 'utf8')).toBe('first');
  });
});

describe('what goes wrong', () => {
  /** As nobody when we are root, who may do everything; else as ourselves. */
  const powerless = isRoot ? { uid: nobody } : {};
  const open = async (place: string): Promise<void> => {
    if (isRoot) await chown(place, nobody, nobody);
  };

  test('F24: a full disk leaves the old file and no litter', async () => {
    const sizes = [30_000, 60_000].map((length, index) => ({ letter: 'ab'.charAt(index), length }));
    const program = commandFor('atomic-writer', { file, writes: sizes, options: { os: hostSystem } });
    const small = smallDisk(folder);
    const all: WriterReport[] = [];
    await using running = startCommand([...small.command, ...program]);
    for await (const line of running.lines()) all.push(JSON.parse(line));

    const before = { names: ['mcp.json'], content: { letters: 'a', length: 30_000 } };
    expect(all).toEqual([
      { ...before, outcome: written({ file, created: true }) },
      { ...before, outcome: refused(small.reason) },
    ]);
  });

  test('a folder we may not write to is refused and the file stays', async () => {
    await writeFile(file, 'aa');
    await chmod(file, 0o666);
    await chmod(folder, 0o555);
    const writes = [{ letter: 'b', length: 3 }];

    expect(await reports({ file, writes, ...powerless })).toEqual([
      { outcome: refused('EACCES'), names: ['mcp.json'], content: { letters: 'a', length: 2 } },
    ]);
    await chmod(folder, 0o755);
  });

  test('a file its owner made read-only is not replaced behind their back', async () => {
    await writeFile(file, 'aa');
    await chmod(file, 0o444);
    await open(file);
    await open(folder);

    expect(await reports({ file, writes: [{ letter: 'b', length: 3 }], ...powerless })).toEqual([
      { outcome: refused('EACCES'), names: ['mcp.json'], content: { letters: 'a', length: 2 } },
    ]);
  });

  test('owner and group are kept where the system lets us', async () => {
    await writeFile(file, 'aa');
    if (isRoot) await chown(file, 1234, 2345);
    const before = await stat(file);
    await write(file, 'new');
    const after = await stat(file);

    expect([after.uid, after.gid]).toEqual([before.uid, before.gid]);
  });

  test('a group that cannot be kept passes its rights to no other group', async () => {
    await writeFile(file, 'aa');
    await chmod(file, 0o666);
    // Only root can make a file of a foreign group; anybody else sees their own group kept here.
    if (isRoot) await chown(file, 1234, 2345);
    await chmod(file, 0o662);
    await open(folder);
    await reports({ file, writes: [{ letter: 'b', length: 3 }], ...powerless });

    expect([await readFile(file, 'utf8'), await modeOf(file)]).toEqual(['bbb', isRoot ? 0o622 : 0o662]);
  });

  test('F26: killed at any moment, the file is the old or the new one, private, and the next write tidies up', async () => {
    await write(file, 'a'.repeat(200_000));
    const writes = Array.from({ length: 1000 }, (_, index) => ({
      letter: 'abcd'.charAt(index % 4),
      length: 200_000,
    }));
    for (let round = 0; round < scaled(8); round += 1) {
      await using program = startProgram('atomic-writer', { file, writes, options: { os: hostSystem } });
      const stopAfter = 1 + Math.floor(Math.random() * 5);
      for (let heard = 0; heard < stopAfter; heard += 1) await program.nextLine();
      // Somewhere within the write that follows what was heard.
      setTimeout(() => program.child.kill('SIGKILL'), Math.random() * 8);
      expect(await program.ended).toMatchObject({ signal: 'SIGKILL', stderr: '' });

      const text = await readFile(file, 'utf8');
      expect({ letters: new Set(text).size, length: text.length, mode: await modeOf(file) }).toEqual({
        letters: 1,
        length: 200_000,
        mode: 0o600,
      });
    }
    await write(file, 'end');
    expect(await readdir(folder)).toEqual(['mcp.json']);
  }, 240_000);
});

describe('how it is written', () => {
  const hasTracer = spawnSync('sh', ['-c', 'command -v strace']).status === 0;

  test.runIf(hasTracer)(
    'private from the first instant, on the disk before it takes its place, and the place too',
    async () => {
      await writeFile(file, 'old');
      await chmod(file, 0o644);
      const task: WriterTask = { file, writes: [{ letter: 'b', length: 5 }], options: { os: hostSystem } };
      const log = path.join(folder, 'trace');
      // By pattern: what renaming is called differs between processors.
      const tracer = [
        'strace',
        '-f',
        '-y',
        '-e',
        'trace=/^(openat|write|fchmod|fsync|rename.*|close)$',
        '-o',
        log,
      ];
      await using program = startCommand([...tracer, ...commandFor('atomic-writer', task)]);
      await program.nextLine();
      await program.ended;

      const steps = (await readFile(log, 'utf8')).split('\n').flatMap((line) => {
        const [, call = ''] = /^\d+ +(.*)$/.exec(line) ?? [];
        const isTemp = call.includes('.holt-');
        if (isTemp && call.startsWith('openat')) return [/O_[A-Z_|]+, 0\d+/.exec(call)?.[0] ?? ''];
        if (isTemp) return [/^(rename|[a-z]+)/.exec(call)?.[0] ?? ''];
        return call.startsWith('fsync') && call.includes(`<${folder}>`) ? ['fsync of the folder'] : [];
      });
      const opened = 'O_WRONLY|O_CREAT|O_EXCL|O_NOFOLLOW|O_CLOEXEC, 0600';
      expect(steps).toEqual([opened, 'write', 'fchmod', 'fsync', 'close', 'rename', 'fsync of the folder']);
    },
  );
});

describe('temporary files', () => {
  const hourAgo = new Date(Date.now() - 3_700_000);

  test('those of dead processes go with the next write, those of living ones stay', async () => {
    const alive = await nameTempFile(file);
    const dead = alive.replace(`-${process.pid}-`, `-${pidOfTheDead()}-`);
    const old = alive.replace('.mcp.json.', '.other.');
    for (const temp of [alive, dead, old]) await writeFile(temp, '');
    await utimes(old, hourAgo, hourAgo);
    await write(file, 'new');

    expect(new Set(await readdir(folder))).toEqual(new Set(['mcp.json', path.basename(alive)]));
  });

  test('another machine or container is believed for an hour', async () => {
    const name = await nameTempFile(file);
    const [fresh, old] = ['00000000', '11111111'].map((place) =>
      name.replace(/holt-[0-9a-f]{8}-\d+/, `holt-${place}-${pidOfTheDead()}`),
    );
    for (const temp of [fresh ?? '', old ?? '']) await writeFile(temp, '');
    await utimes(old ?? '', hourAgo, hourAgo);
    await write(file, 'new');

    expect(new Set(await readdir(folder))).toEqual(new Set(['mcp.json', path.basename(fresh ?? '')]));
  });

  test('a file that only looks like one of ours stays', async () => {
    const similar = [`.mcp.json.holt-${pidOfTheDead()}.tmp`, '.mcp.json.tmp', 'notes.holt-1.tmp'];
    for (const name of similar) await writeFile(path.join(folder, name), '');
    await write(file, 'new');

    expect(new Set(await readdir(folder))).toEqual(new Set(['mcp.json', ...similar]));
  });

  test('a long file name leaves room for a temporary one', async () => {
    const long = path.join(folder, 'ü'.repeat(127));

    expect(await write(long, 'new')).toEqual(written({ file: long, created: true }));
  });
});

/** A way to run a command where the disk is full after 64 kB; where that needs rights we lack, its files are limited. */
function smallDisk(place: string): { readonly command: readonly string[]; readonly reason: string } {
  const mounting = 'mount -t tmpfs -o size=64k tmpfs "$0" && exec "$@"';
  const unshare = ['unshare', '--mount', ...(isRoot ? [] : ['--map-root-user'])];
  const command = [...unshare, 'sh', '-c', mounting, place];
  const isPossible = spawnSync(command[0] ?? '', [...command.slice(1), 'true']).status === 0;
  if (isPossible) return { command, reason: 'ENOSPC' };
  return { command: ['sh', '-c', 'ulimit -f 80 && exec "$@"', 'sh'], reason: 'EFBIG' };
}
