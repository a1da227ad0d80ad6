/** What a running host writes to files with `save`, and takes out of them again. */

import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import type { Host, HostOptions, SaveTarget } from '../../src/host/host.ts';
import { openHost } from '../../src/host/library-host.ts';
import { readMachine } from '../../src/platform/machine-facts.ts';
import { realFiles } from '../../src/platform/files/files.ts';
import { findTarget } from '../../src/editing/writers.ts';

let folder: string;
let hosts: Host[];
let home: string;
let cwd: string;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(path.join(os.tmpdir(), 'holt-saved-')));
  [home, cwd] = [path.join(folder, 'home'), path.join(folder, 'shop')];
  await mkdir(home);
  await mkdir(path.join(cwd, '.git'), { recursive: true });
  hosts = [];
});
afterEach(async () => {
  await Promise.all(hosts.map((host) => host.close()));
  await rm(folder, { recursive: true, force: true });
});

async function open(options: HostOptions = {}): Promise<Host> {
  const host = await openHost({ home, cwd, ...options });
  hosts.push(host);
  return host;
}

function fileOf({ agent = 'holt', scope = 'user' }: SaveTarget): string {
  const machine = readMachine({ home, cwd, env: {} });
  return findTarget(agent as 'holt', scope, { machine, files: realFiles }).file;
}

const textOf = (save: SaveTarget): Promise<string> => readFile(fileOf(save), 'utf8');
const names = (host: Host): readonly string[] => host.definitions().map(({ name }) => name);
const config = { command: 'no-such-program', args: ['--for', 'otter-7'], env: { MODE: 'b' } };

const targets: readonly SaveTarget[] = [
  {},
  { scope: 'project' },
  { scope: 'local' },
  { agent: 'claude-code' },
  { agent: 'claude-code', scope: 'project' },
  { agent: 'claude-code', scope: 'local' },
  { agent: 'cursor' },
  { agent: 'cursor', scope: 'project' },
  { agent: 'codex' },
  { agent: 'goose' },
  { agent: 'opencode', scope: 'project' },
  { agent: 'windsurf' },
];

describe('T126: what add with save wrote, the others with save change', () => {
  test.each(targets)('%j: remove removes it', async (save) => {
    const host = await open();
    await host.add('files', config, { save });
    expect(await textOf(save)).toContain('otter-7');
    await host.remove('files', { save });
    expect(await textOf(save)).not.toContain('otter-7');
    expect(names(host)).toEqual([]);
    await host.reload();
    expect(names(host)).toEqual([]);
  });

  test.each(targets)('%j: it is switched off and on, and removed', async (save) => {
    const host = await open();
    await host.add('files', config, { save });
    expect(await host.disable('files', { save })).toEqual({ status: 'disabled' });
    const other = await open();
    expect(other.definitions()).toMatchObject([{ name: 'files', enabled: false }]);
    expect(await host.enable('files', { save })).toEqual({ status: 'idle' });
    await other.reload();
    expect(other.definitions()).toMatchObject([{ name: 'files', enabled: true }]);
    await host.add('files', { command: 'again-8' }, { save });
    await host.remove('files', { save: {} });
    expect(await textOf(save)).not.toMatch(/otter-7|again-8/);
    expect(names(host)).toEqual([]);
  });

  test('also where the host itself does not read that agent’s files', async () => {
    const host = await open({ agents: [] });
    const save = { agent: 'cursor' };
    await host.add('files', config, { save });
    await host.remove('files', { save });
    expect(await textOf(save)).not.toContain('otter-7');
  });

  test('in every file that it was written to, when none is named', async () => {
    const host = await open();
    const places: readonly SaveTarget[] = [{ agent: 'cursor' }, { agent: 'codex' }];
    for (const save of places) await host.add('files', config, { save });
    await host.remove('files', { save: {} });
    for (const save of places) expect(await textOf(save)).not.toContain('otter-7');
  });

  test('and only in the named one, when one is', async () => {
    const host = await open();
    const [first, second] = [{ agent: 'cursor' }, { agent: 'codex' }];
    for (const save of [first, second]) await host.add('files', config, { save });
    await host.remove('files', { save: first });
    expect(await textOf(first)).not.toContain('otter-7');
    expect(await textOf(second)).toContain('otter-7');
  });

  test('without save it leaves the file and the running host only', async () => {
    const host = await open();
    await host.add('files', config, { save: {} });
    await host.remove('files');
    expect([names(host), (await textOf({})).includes('otter-7')]).toEqual([[], true]);
  });
});

describe('T126: two hosts', () => {
  test('one removes what the other has just written, without reading files in between', async () => {
    const [first, second] = [await open(), await open()];
    await first.add('files', config, { save: {} });
    await second.remove('files', { save: {} });
    expect([await textOf({}), names(second)]).toEqual([expect.not.stringContaining('otter-7'), []]);

    // What the first one added runs there until it is removed, which the other one’s removal does not prevent.
    expect(names(first)).toEqual(['files']);
    await first.remove('files', { save: {} });
    expect(names(first)).toEqual([]);
  });

  test('what one removed and the other writes again is there again', async () => {
    const [first, second] = [await open(), await open()];
    await first.add('files', config, { save: {} });
    await second.remove('files', { save: {} });
    await first.remove('files', { save: {} });
    await first.add('files', config, { save: {} });
    await second.reload();
    expect(names(second)).toEqual(['files']);
  });

  test('both remove it, one after the other', async () => {
    const first = await open();
    await first.add('files', config, { save: {} });
    const second = await open();
    await Promise.all([first.remove('files', { save: {} }), second.remove('files', { save: {} })]).catch(
      (error: { code?: string }) => expect(error.code).toBe('config-unwritable'),
    );
    expect(await textOf({})).not.toContain('otter-7');
  });
});

test('T126: a server that was never written is refused by name, and nothing is changed', async () => {
  const host = await open();
  await host.add('files', config);
  const file = fileOf({ agent: 'cursor' });
  const text = '{ "mcpServers": { "other": { "command": "x" } } }';
  await mkdir(path.dirname(file));
  await writeFile(file, text);
  await expect(host.remove('files', { save: { agent: 'cursor' } })).rejects.toMatchObject({
    code: 'config-not-ours',
    message: `"files" is not changed: ${file} has no entry of that name`,
    remedy: expect.stringContaining('save'),
  });
  expect([names(host), await readFile(file, 'utf8')]).toEqual([['files', 'other'], text]);
});
