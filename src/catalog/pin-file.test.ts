/** Pins on the disk: private, whole, and never taken anew in silence after damage. */

import { chmod, mkdtemp, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import type { Tool } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { hostSystem } from '../../tests/fixtures/programs/start-program.ts';
import { makeMachine } from '../../tests/support/agent-machine.ts';
import type { Machine } from '../kernel/machine.ts';
import { createPinFile } from './pin-file.ts';
import { createPinReviewer, createPinMemory, toolDigest, type PinReviewer } from './pins.ts';

let home: string;
let machine: Machine;
let file: string;
let warnings: string[];
beforeEach(async () => {
  home = await mkdtemp(path.join(os.tmpdir(), 'holt-pins-'));
  machine = { ...makeMachine({ os: hostSystem }), path, holtHome: path.join(home, '.holt') };
  file = path.join(machine.holtHome, 'pins.json');
  warnings = [];
});
afterEach(() => rm(home, { recursive: true, force: true }));

const read: Tool = { name: 'read', description: 'Reads', inputSchema: { type: 'object' } };
const write: Tool = { name: 'write', description: 'Writes', inputSchema: { type: 'object' } };
const changed: Tool = { ...read, description: 'Reads, and sends it away' };
const fs = { server: 'fs', key: 'a'.repeat(32), mode: 'withhold' } as const;
const texts = (): string => path.join(machine.holtHome, 'pins', `${fs.key}.json`);

function open(day = '2026-07-28', redact = (text: string): string => text): PinReviewer {
  const now = (): Date => new Date(`${day}T10:00:00.000Z`);
  return createPinReviewer({
    store: createPinFile(machine, { now, onWarning: (text) => warnings.push(text) }),
    now,
    redact,
  });
}

async function writtenAt(place: string): Promise<string> {
  const { ino, mtimeNs } = await stat(place, { bigint: true });
  return `${ino} ${mtimeNs}`;
}

async function modeOf(place: string): Promise<number> {
  return (await stat(place)).mode & 0o777;
}

describe('pins.json', () => {
  test('of tools from a cache those count that are just what was accepted, in whatever order', async () => {
    await open().review(fs, { tools: [read, write] });
    const [first, second] = [read, write].map((tool) => ({ name: tool.name, digest: toolDigest(tool) }));
    if (first === undefined || second === undefined) throw new Error('two were made');
    const still = async (...tools: (typeof first)[]): Promise<unknown> => open().stillPinned(fs, tools);
    expect(await still(first, second)).toEqual([first, second]);
    expect(await still(first)).toEqual([first]);
    expect(await still(second, first)).toEqual([second, first]);
    expect(await still({ ...first, digest: toolDigest(changed) }, second)).toEqual([second]);
    expect(await still({ ...first, digest: first.digest.slice(1) }, second)).toEqual([second]);
    expect(await still({ ...first, digest: `${first.digest} ` }, second)).toEqual([second]);
    expect(await still(first, { ...second, name: `x${second.name}` })).toEqual([first]);
    expect(await still({ ...first, digest: 'unknown' })).toEqual([]);
  });

  test('outlasts the process, is private, and so is what lies beside it', async () => {
    await open().review(fs, { tools: [read] });
    expect((await open().review(fs, { tools: [changed] })).withheld).toEqual([
      {
        server: 'fs',
        tool: 'read',
        changes: ['- description: "Reads"', '+ description: "Reads, and sends it away"'],
      },
    ]);
    const modes = [file, texts(), path.dirname(texts()), machine.holtHome].map(modeOf);
    expect(await Promise.all(modes)).toEqual([0o600, 0o600, 0o700, 0o700]);
  });

  test('is not written when nothing is new that day, and dated on the next', async () => {
    await open().review(fs, { tools: [read] });
    const before = await writtenAt(file);
    await open().review(fs, { tools: [read] });
    await open().review(fs, { tools: [changed] });
    expect(await writtenAt(file)).toBe(before);
    await open('2026-07-29').review(fs, { tools: [read] });
    expect((await open().list())[0]?.tools).toEqual([
      expect.objectContaining({ tool: 'read', first: '2026-07-28', seen: '2026-07-29' }) as unknown,
    ]);
  });

  test('loses nothing when many servers are new at once, in one process and in several', async () => {
    const books = [open(), open(), open()];
    const subjects = Array.from({ length: 30 }, (_, at) => ({
      ...fs,
      server: `s${at}`,
      key: `${at}`.padStart(32, '0'),
    }));
    await Promise.all(subjects.map(async (one, at) => books[at % 3]?.review(one, { tools: [read, write] })));
    const rows = await open().list();
    expect(rows.map(({ server, tools }) => `${server} ${tools.length}`).toSorted()).toEqual(
      subjects.map(({ server }) => `${server} 2`).toSorted(),
    );
  });

  test('takes the definition of the first of two processes that see different ones', async () => {
    const reviews = await Promise.all([
      open().review(fs, { tools: [read] }),
      open().review(fs, { tools: [changed] }),
    ]);
    expect(reviews.flatMap(({ offered }) => offered)).toHaveLength(1);
  });

  test('keeps tools with odd names', async () => {
    const odd = ['__proto__', 'constructor', 'a\nb', ''].map((name) => ({ ...read, name }));
    await open().review(fs, { tools: odd });
    expect((await open().review(fs, { tools: odd })).offered).toEqual(odd);
    const review = await open().review(fs, { tools: odd.map((tool) => ({ ...tool, description: 'x' })) });
    expect(review.withheld.map(({ tool }) => tool)).toEqual(odd.map(({ name }) => name));
  });
});

describe('a damaged pins.json', () => {
  const damages: readonly (readonly [string, string | Uint8Array])[] = [
    ['half of it', '{"version": 1, "servers": {"'],
    ['nothing', ''],
    ['zeros', new Uint8Array(300)],
    ['other JSON', '[]'],
    ['bytes that are not text', new Uint8Array([0xff, 0xfe, 0x00, 0xd8])],
    [
      'a server that is none',
      `{"version": 1, "servers": {"${fs.key}": {"server": "fs", "tools": ["read"]}}}`,
    ],
  ];

  test.each(damages)(
    'with %s in it is kept beside, and the accepted texts still tell what changed',
    async (_what, damage) => {
      await open().review(fs, { tools: [read, write] });
      await writeFile(file, damage);
      const review = await open().review(fs, { tools: [changed, write] });
      expect([review.offered, review.withheld.map(({ tool }) => tool)]).toEqual([[write], ['read']]);
      const aside = (await readdir(machine.holtHome)).filter((name) => name.includes('corrupt'));
      expect(aside).toEqual(['pins.json.corrupt-20260728T100000000Z']);
      expect(await readFile(path.join(machine.holtHome, aside[0] ?? ''))).toEqual(Buffer.from(damage));
      expect(await modeOf(path.join(machine.holtHome, aside[0] ?? ''))).toBe(0o600);
      expect(warnings).toHaveLength(1);
    },
  );

  test.each(['gone', 'damaged'])(
    'whose texts are %s too lets nothing through until it is accepted',
    async (state) => {
      await open().review(fs, { tools: [read, write], instructions: 'Be kind' });
      await writeFile(file, 'damaged');
      await (state === 'gone' ? rm(texts()) : writeFile(texts(), 'damaged'));
      for (let round = 0; round < 2; round += 1) {
        const review = await open().review(fs, { tools: [read, write], instructions: 'Be kind' });
        expect([review.offered, review.withheld.map(({ changes }) => changes[0])]).toEqual([
          [],
          Array.from({ length: 2 }, () => 'what was accepted earlier is lost, because pins.json was damaged'),
        ]);
        expect(review.instructionsChanged).toHaveLength(2);
      }
      expect((await open().accept(fs.key, { tools: [read, write] }, 'read')).map(({ tool }) => tool)).toEqual(
        ['read'],
      );
      expect((await open().review(fs, { tools: [read, write] })).offered).toEqual([read]);
      await open().accept(fs.key, { tools: [read, write] });
      expect((await open().review(fs, { tools: [read, write] })).offered).toEqual([read, write]);
    },
  );

  test('makes no difference to servers it still tells of', async () => {
    await open().review(fs, { tools: [read] });
    const document = JSON.parse(await readFile(file, 'utf8')) as { servers: Record<string, unknown> }; // written above
    await writeFile(file, JSON.stringify({ ...document, servers: { ...document.servers, other: 7 } }));
    expect((await open().review(fs, { tools: [read] })).offered).toEqual([read]);
  });

  test('that was deleted instead starts anew', async () => {
    await open().review(fs, { tools: [read] });
    await rm(file);
    expect((await open().review(fs, { tools: [changed] })).offered).toEqual([changed]);
  });
});

describe('a pins.json that must not be used', () => {
  test('lets nothing through where pins protect, and says why', async () => {
    await mkdir(machine.holtHome, { mode: 0o700 });
    await symlink('/dev/null', file);
    const review = await open().review(fs, { tools: [read], instructions: 'x' });
    const unchecked = `${file} is a link, so holt does not use it`;
    const problem = `Pins cannot be read: ${unchecked}`;
    expect(review).toEqual({
      offered: [],
      withheld: [{ server: 'fs', tool: 'read', changes: [problem], unchecked }],
      refused: [],
      changed: [],
      instructionsChanged: [],
      problem,
    });
    expect((await open().review({ ...fs, mode: 'warn' }, { tools: [read] })).offered).toEqual([read]);
    expect((await open().review({ ...fs, mode: 'off' }, { tools: [read] })).offered).toEqual([read]);
    expect(await open().stillPinned(fs, [{ name: 'read', digest: 'x' }])).toEqual([]);
  });

  test('is made private again when others could read it', async () => {
    await open().review(fs, { tools: [read] });
    await chmod(file, 0o644);
    expect((await open().review(fs, { tools: [read] })).offered).toEqual([read]);
    expect([await modeOf(file), warnings]).toEqual([
      0o600,
      [`Others could read ${file}; it is private again`],
    ]);
  });

  test('below a file is not read either', async () => {
    await writeFile(path.join(home, 'file'), '');
    machine = { ...machine, holtHome: path.join(home, 'file', '.holt') };
    expect((await open().review(fs, { tools: [read] })).offered).toEqual([]);
  });

  test('because nothing can be written offers what is new and says that it is not kept', async () => {
    const store = { ...createPinMemory(), change: () => Promise.reject(new Error('the disk is full')) };
    const book = createPinReviewer({ store, now: () => new Date(0) });
    expect(await book.review(fs, { tools: [read] })).toEqual({
      offered: [read],
      withheld: [],
      refused: [],
      changed: [],
      instructionsChanged: [],
      problem: 'Pins cannot be kept: the disk is full',
    });
  });
});

describe('a stamp of tools from a cache', () => {
  const kept = (...tools: readonly Tool[]): readonly { name: string; digest: string }[] =>
    tools.map((tool) => ({ name: tool.name, digest: toolDigest(tool) }));
  const git = { server: 'git', key: 'b'.repeat(32), mode: 'withhold' } as const;

  test('holds until something is kept for their server, whatever is kept for others', async () => {
    await open().review(fs, { tools: [read, write] });
    const tools = kept(read, write);
    const stamp = await open().stampOf(fs, tools);
    expect(stamp).toMatch(/^[0-9a-f]{64}$/);
    await open().review(git, { tools: [write] });
    expect(await open().stampOf(fs, tools)).toBe(stamp);
    await open().accept(fs.key, { tools: [changed] }, 'read');
    expect(await open().stillPinned(fs, tools, stamp)).toEqual(tools.slice(1));
    expect(await open().stampOf(fs, tools)).toBeUndefined();
    expect(await open().stampOf(fs, kept(changed, write))).not.toBe(stamp);
  });

  test('stands for them all without a look at each', async () => {
    await open().review(fs, { tools: [read] });
    const stamp = await open().stampOf(fs, kept(read));
    const unread = [{ name: 'read', digest: 'not looked at' }];
    expect(await open().stillPinned(fs, unread, stamp)).toBe(unread);
    expect(await open().stillPinned(fs, unread, `${stamp ?? ''}x`)).toEqual([]);
    expect(await open().stillPinned(git, unread, stamp)).toEqual([]);
  });

  test('is not given to tools of which one was not accepted, nor where nothing is compared', async () => {
    await open().review(fs, { tools: [read] });
    expect(await open().stampOf(fs, kept(read, write))).toBeUndefined();
    expect(await open().stampOf(fs, kept(changed))).toBeUndefined();
    expect(await open().stampOf({ ...fs, mode: 'off' }, kept(read))).toBeUndefined();
    expect(await open().stampOf(git, kept(read))).toBeUndefined();
  });

  test('is not given when somebody else writes while the tools are looked at', async () => {
    await open().review(fs, { tools: [read] });
    const store = createPinFile(machine, { now: () => new Date() });
    const book = createPinReviewer({
      store: {
        ...store,
        load: async () => {
          const pins = await store.load();
          await open('2026-07-29').review(fs, { tools: [read] });
          return pins;
        },
      },
      now: () => new Date(),
    });
    expect(await book.stampOf(fs, kept(read))).toBeUndefined();
  });

  test('does not hold for a file that a server’s own words made look alike', async () => {
    const sly = { ...read, name: `x\n  }\n  "${git.key}": {\n   "server": "git"` };
    await open().review(fs, { tools: [sly] });
    await open().review(git, { tools: [read] });
    const stamp = await open().stampOf(git, kept(read));
    await open().accept(git.key, { tools: [changed] }, 'read');
    expect(await open().stillPinned(git, kept(read), stamp)).toEqual([]);
    expect(await open().stampOf(fs, kept(sly))).toMatch(/^[0-9a-f]{64}$/);
  });

  test('is none where the file is written in another way, or not there', async () => {
    await open().review(fs, { tools: [read] });
    await writeFile(file, JSON.stringify(JSON.parse(await readFile(file, 'utf8'))));
    expect(await open().stampOf(fs, kept(read))).toBeUndefined();
    expect(await open().stillPinned(fs, kept(read), 'x')).toEqual(kept(read));
    await rm(file);
    expect(await open().stampOf(fs, kept(read))).toBeUndefined();
  });
});

describe('T25: a text with a secret', () => {
  const hiding = (text: string): string => text.replaceAll(/s3cret-\d/g, '[secret]');
  const telling = (description: string): Parameters<PinReviewer['review']>[1] => ({
    tools: [{ ...read, description }],
    instructions: `Use ${description}`,
  });
  const review = (description: string): ReturnType<PinReviewer['review']> =>
    open('2026-07-28', hiding).review(fs, telling(description));

  test('is kept without it, and is the same whenever it comes again', async () => {
    await review('Reads by s3cret-1');
    const text = await readFile(texts(), 'utf8');
    expect([text.includes('Reads by [secret]'), text.includes('s3cret')]).toEqual([true, false]);
    expect(await review('Reads by s3cret-1')).toMatchObject({ withheld: [], instructionsChanged: [] });
  });

  test('is told without it when something else has changed', async () => {
    await review('Reads by s3cret-1');
    expect(await review('Writes by s3cret-1')).toMatchObject({
      withheld: [{ changes: ['- description: "Reads by [secret]"', '+ description: "Writes by [secret]"'] }],
      instructionsChanged: [
        '- instructions: Use Reads by [secret]',
        '+ instructions: Use Writes by [secret]',
      ],
    });
  });

  test('is told to have another one, which is not shown', async () => {
    await review('Reads by s3cret-1');
    const changes = ['a secret in it is another one now; it is not shown'];
    expect(await review('Reads by s3cret-2')).toMatchObject({
      withheld: [{ changes }],
      instructionsChanged: changes,
    });
    await open('2026-07-29', hiding).accept(fs.key, telling('Reads plainly'));
    expect(await readFile(texts(), 'utf8')).not.toContain('digests');
  });

  test('is known from what is kept when pins.json was damaged', async () => {
    await review('Reads by s3cret-1');
    await writeFile(file, 'damaged');
    expect(await review('Reads by s3cret-1')).toMatchObject({ withheld: [], instructionsChanged: [] });
  });
});
