import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { findProgram, searchFolders } from './find-program.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'holt-find-'));
  await mkdir(path.join(folder, 'bin', 'folder'), { recursive: true });
  await mkdir(path.join(folder, 'work'));
  for (const [name, mode] of [
    ['bin/npx', 0o755],
    ['work/npx', 0o755],
    ['bin/text', 0o644],
  ] as const) {
    await writeFile(path.join(folder, name), '#!/bin/sh\n');
    await chmod(path.join(folder, name), mode);
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.skipIf(process.platform === 'win32')('a program on this disk', () => {
  const find = (command: string, PATH: string): string | undefined =>
    findProgram(command, { os: 'linux', env: { PATH }, cwd: path.join(folder, 'work') });

  test('T28: is never taken from the working folder because PATH says so', () => {
    const bin = path.join(folder, 'bin');
    for (const PATH of [`.:${bin}`, `:${bin}`, `${bin}:`, `work:${bin}`, `./:../work:${bin}`])
      expect(find('npx', PATH)).toBe(path.join(bin, 'npx'));
    expect([find('npx', '.'), find('npx', ''), find('npx', ':')]).toEqual([undefined, undefined, undefined]);
  });

  test('is taken from there when the command says so', () => {
    expect([find('./npx', ''), find('../bin/npx', '')]).toEqual([
      path.join(folder, 'work', 'npx'),
      path.join(folder, 'bin', 'npx'),
    ]);
  });

  test('is a file that may be run', () => {
    const bin = path.join(folder, 'bin');
    expect([
      find('text', bin),
      find('folder', bin),
      find('gone', bin),
      find('', bin),
      find('a\0b', bin),
    ]).toEqual([undefined, undefined, undefined, undefined, undefined]);
  });

  test('T26: is called as it is written, blanks and signs and all', () => {
    expect(find('npx; touch x', path.join(folder, 'bin'))).toBeUndefined();
  });
});

describe('a program on Windows', () => {
  const there = new Set([
    'C:\\node\\npx',
    'C:\\node\\npx.CMD',
    'C:\\node\\node.EXE',
    'C:\\work\\x.cmd',
    'C:\\node\\a.cmd.EXE',
  ]);
  const find = (command: string, env: Readonly<Record<string, string>> = {}): string | undefined =>
    findProgram(command, {
      os: 'windows',
      env: { Path: '.;;C:\\node', ...env },
      cwd: 'C:\\work',
      isProgram: (place) => there.has(place),
    });

  test('has one of the endings that run there', () => {
    expect([find('npx'), find('node'), find('x'), find('a.cmd')]).toEqual([
      'C:\\node\\npx.CMD',
      'C:\\node\\node.EXE',
      undefined,
      'C:\\node\\a.cmd.EXE',
    ]);
    expect(find('npx', { PATHEXT: '.EXE' })).toBeUndefined();
  });

  test('is looked for in its folder when it names one', () => {
    expect(find('.\\x.cmd')).toBe('C:\\work\\x.cmd');
  });

  test('is looked for in PATH under any capitals', () => {
    expect(searchFolders({ pAtH: 'C:\\a;b;;D:\\c' }, 'windows')).toEqual(['C:\\a', 'D:\\c']);
  });
});
