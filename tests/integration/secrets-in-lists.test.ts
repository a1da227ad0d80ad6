/** T25: a server that repeats its secret in what it lists. Nothing that is shown or kept has it, and everything works. */

import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

import { expect, test } from 'vitest';

import type { Host } from '../../src/host/host.ts';
import { openHostFixture, type HostFixture } from '../support/host-fixture.ts';

const secret = 'kQ7mW2xV9tR4';

function openWith(fixture: HostFixture, ...args: readonly string[]): Promise<Host> {
  const program = { ...fixture.program('leaks-secret', ...args), env: { SECRET: '${MY_SECRET}' } };
  const env = { PATH: process.env['PATH'], HOME: fixture.home, MY_SECRET: secret };
  return fixture.open({ policy: { default: 'allow' }, servers: { s: program }, env });
}

async function keptIn(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return (
    await Promise.all(files.map((file) => readFile(path.join(file.parentPath, file.name), 'utf8')))
  ).join();
}

test('T25: lists, searches and files have none of it, and what they name is still reached', async () => {
  await using fixture = await openHostFixture();
  const host = await openWith(fixture);
  const tools = await host.tools();
  const [resources, templates, prompts] = [
    await host.resources(),
    await host.resourceTemplates(),
    await host.prompts(),
  ];
  expect(
    tools.map(({ title, description, inputSchema }) => [title, description, inputSchema['properties']]),
  ).toEqual([
    [
      'As [secret]',
      'Asks db://ada:[secret]@host/shop ',
      { to: { type: 'string', enum: ['[secret]'], description: 'Mostly [secret]' } },
    ],
  ]);
  expect([resources, templates, prompts]).toEqual([
    [{ server: 's', uri: 'db://ada:[secret]@host/shop', name: 'shop of [secret]' }],
    [{ server: 's', uriTemplate: 'db://ada:[secret]@host/shop/{table}', name: 'tables' }],
    [{ server: 's', name: 'ask_[secret]', description: 'Asks with [secret]', arguments: [] }],
  ]);
  expect(JSON.stringify(await host.searchTools('asks'))).not.toContain(secret);

  expect((await host.call('mcp__s__query', { to: secret })).text).toBe('query true');
  const rows = { contents: [{ uri: 'db://shop', text: 'rows' }] };
  expect(await host.readResource('s', `db://ada:${secret}@host/shop`)).toMatchObject(rows);
  expect(await host.readResource('s', 'db://ada:[secret]@host/shop')).toMatchObject(rows);
  expect(await host.prompt('s', 'ask_[secret]')).toMatchObject({ messages: [{ role: 'user' }] });
  await host.close();

  const kept = await keptIn(path.join(fixture.home, '.holt'));
  expect([kept.includes('Asks db://ada:[secret]@host'), kept.includes(secret)]).toEqual([true, false]);
  // From what was kept, before anything is started.
  const next = await openWith(fixture);
  expect(JSON.parse(JSON.stringify(await next.tools()))).toEqual(JSON.parse(JSON.stringify(tools)));
  expect((await next.call('mcp__s__query', { to: secret })).text).toBe('query true');
  expect(next.withheld()).toEqual([]);
});

test('T25: a tool that is called by it is shown under another name, and called by both', async () => {
  await using fixture = await openHostFixture();
  const host = await openWith(fixture, 'x', 'named');
  const tools = await host.tools();
  expect(tools.map(({ name, tool }) => [name, tool])).toEqual([
    ['mcp__s__query', 'query'],
    ['mcp__s__ask__secret_', 'ask_[secret]'],
  ]);
  const shown = tools.map(({ name }) => name)[1] ?? '';
  expect((await host.call(shown)).text).toBe('named false');
  expect([
    (await host.findTool('s.ask_[secret]')).name,
    (await host.findTool(`s.ask_${secret}`)).name,
  ]).toEqual([shown, shown]);
  await host.close();
  // Its hash is looked up by its name, so it is started again rather than kept in the cache.
  const next = await openWith(fixture, 'x', 'named');
  expect(JSON.stringify(await next.tools())).not.toContain(secret);
});
