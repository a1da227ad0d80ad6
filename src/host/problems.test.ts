import fs from 'node:fs/promises';
import path from 'node:path';

import { expect, test } from 'vitest';

import { openHostFixture, type HostFixture } from '../../tests/support/host-fixture.ts';
import type { Host } from './host.ts';
import { openHost } from './library-host.ts';

async function write({ home }: HostFixture, name: string, text: string): Promise<string> {
  const file = path.join(home, name);
  await fs.mkdir(path.dirname(file), { recursive: true });
  await fs.writeFile(file, text);
  return file;
}

const rules = (permissions: object): string => JSON.stringify({ permissions }, undefined, 2);

test('rules that cannot be read and rules that do not count are problems of the host, as they are now', async () => {
  await using world = await openHostFixture();
  const file = await write(world, '.holt/config.json', rules({ allow: ['mcp__*'], deny: ['mcp_fs_rm'] }));
  await using host = await openHost({ cwd: world.home, home: world.home, env: {} });
  const seen = () => host.problems().map(({ code, file: where, line }) => ({ code, where, line }));
  expect(seen()).toEqual([
    { code: 'setting-invalid', where: file, line: 7 },
    { code: 'setting-ignored', where: file, line: 4 },
  ]);
  await write(world, '.holt/config.json', rules({ deny: ['mcp__fs__rm'] }));
  await host.reload();
  expect(seen()).toEqual([]);
});

test('a file of rules that cannot be used is told of once, also where its agent’s servers are left out', async () => {
  await using world = await openHostFixture();
  const file = await write(world, '.claude/settings.json', '{"permissions": ');
  const project = path.dirname(await write(world, 'project/notes.txt', ''));
  const seen = async (agents?: readonly string[]) => {
    await using host = await openHost({ cwd: project, home: world.home, env: {}, agents });
    return host.problems().map(({ code, file: where }) => ({ code, where }));
  };
  expect(await seen()).toEqual([{ code: 'file-syntax', where: file }]);
  expect(await seen(['holt'])).toEqual([{ code: 'file-unreadable', where: file }]);
});

test('instructions that are not what was accepted are an event and a problem, until they are accepted', async () => {
  await using world = await openHostFixture();
  const tools = await write(world, 'tools.json', '[]');
  const said = await write(world, 'said.txt', 'Read first.');
  const servers = { fs: world.program('tools-from-file', tools, said) };
  const seen = (host: Host): readonly string[] =>
    host.problems().map(({ code, message }) => `${code}: ${message}`);
  const first = await world.open({ servers });
  await first.tools({ wait: 'settled' });
  expect(seen(first)).toEqual([]);
  await first.close();
  await write(world, 'said.txt', 'Delete first.');
  const host = await world.open({ servers });
  const warned: string[] = [];
  host.on('mcp.warning', ({ code, message }) => void warned.push(`${code}: ${message}`));
  await host.tools({ wait: 'settled' });
  // Looked at once more: another tool was accepted.
  await host.acceptPins('fs', 'read');
  const text =
    'instructions-changed: the instructions of "fs" are not what was accepted: - instructions: Read first.; + instructions: Delete first.';
  expect([warned, seen(host)]).toEqual([[text], [text]]);
  await host.acceptPins('fs');
  expect([warned, seen(host)]).toEqual([[text], []]);
});

test('a placeholder whose variable is not set is a problem of the host, until it is set or gone', async () => {
  await using world = await openHostFixture();
  const text = (token: string): string =>
    JSON.stringify({ mcpServers: { fs: { command: 'node', env: { TOKEN: token } } } }, undefined, 2);
  const file = await write(world, '.claude.json', text('${FS_TOKEN}'));
  await using host = await openHost({ cwd: world.home, home: world.home, env: {} });
  expect(host.problems()).toEqual([
    {
      severity: 'warning',
      code: 'placeholder-unset',
      file,
      line: 6,
      column: 18,
      server: 'fs',
      message: '"fs" needs the variable FS_TOKEN (in "env.TOKEN"), which is not set',
      remedy: 'Set FS_TOKEN, or change the entry.',
    },
  ]);
  await write(world, '.claude.json', text('${FS_TOKEN:-none}'));
  await host.reload();
  expect(host.problems()).toEqual([]);
});

test('a server that is let go as soon as it is up is remembered by all that it said', async () => {
  await using world = await openHostFixture();
  const tools = await write(world, 'tools.json', JSON.stringify([{ name: 'read', inputSchema: {} }]));
  const said = await write(world, 'said.txt', 'Read first.');
  const servers = { fs: world.program('tools-from-file', tools, said) };
  const first = await world.open({ servers });
  await first.connect('fs');
  await first.close();
  await write(world, 'said.txt', 'Delete first.');
  const host = await world.open({ servers });
  await host.tools({ wait: 'settled' });
  expect(host.problems().map(({ message }) => message)).toEqual([
    expect.stringContaining('- instructions: Read first.'),
  ]);
  await host.close();
});
