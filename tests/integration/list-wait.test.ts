/** Lists while servers hang, fail or are slow: how long they wait, what they say is missing, and what they never do. */

import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';

import { expect, test } from 'vitest';

import { toAiTools } from '../../src/bridges/ai-sdk.ts';
import { runBuiltInTool } from '../../src/calls/built-in-calls.ts';
import type { Host } from '../../src/host/host.ts';
import { runSearchTool } from '../../src/calls/search-tools.ts';
import type { HostEventName } from '../../src/kernel/events.ts';
import { nextEvent, nextStatus, openHostFixture } from '../support/host-fixture.ts';
import { openServiceFixture } from '../support/service-fixture.ts';
import { serverFolder } from '../support/stdio-fixture.ts';

const allowed = { policy: { default: 'allow' } } as const;

async function timed<Value>(work: Promise<Value>): Promise<{ readonly value: Value; readonly ms: number }> {
  const startedAt = performance.now();
  const value = await work;
  return { value, ms: performance.now() - startedAt };
}

function count(host: Host, ...names: readonly HostEventName[]): () => readonly number[] {
  const counts = names.map(() => 0);
  names.forEach((name, at) => host.on(name, () => (counts[at] = (counts[at] ?? 0) + 1)));
  return () => [...counts];
}

const slowText = (server: string, kind: string): string =>
  `${server} did not answer within 2 s (phase connecting). Run holt ${kind} ${server} to wait for it.`;

test('one server that never answers holds up a list for two seconds, once, and is named', async () => {
  await using fixture = await openHostFixture();
  const servers = { good: fixture.program('has-resources'), hangs: fixture.program('never-responds') };
  const host = await fixture.open({ ...allowed, servers });
  const warnings: string[] = [];
  host.on('mcp.warning', ({ code, message }) => code === 'server-slow' && warnings.push(message));
  const tools = await timed(host.tools());
  expect(tools.value.map(({ name }) => name)).toEqual(['mcp__good__touch', 'mcp__good__followers']);
  expect(tools.ms).toBeGreaterThan(1900);
  expect(tools.ms).toBeLessThan(3000);
  expect(host.listErrors('tools')).toEqual({ hangs: slowText('hangs', 'tools') });
  const others = await timed(
    Promise.all([
      host.resources(),
      host.resourceTemplates(),
      host.prompts(),
      host.searchTools('touch'),
      toAiTools(host),
      runBuiltInTool(host, 'list_mcp_resources', {}),
      runSearchTool(host, 'search_tools', { query: 'nothing like that' }),
      host.findTool('good.nothing').catch((error: unknown) => error),
      host.findTool('unknown_tool').catch((error: unknown) => error),
    ]),
  );
  expect(others.ms).toBeLessThan(1000);
  const [resources, templates, prompts, found, aiTools, listed, searched, ...failed] = others.value;
  expect([resources, templates, prompts, found].map(({ length }) => length)).toEqual([1, 1, 1, 1]);
  expect(Object.keys(aiTools)).toContain('mcp__good__touch');
  const missing = { hangs: slowText('hangs', 'resources') };
  expect(listed).toMatchObject({
    text: `good: one <memo://one>\nMissing: hangs: ${missing.hangs}`,
    structured: { errors: missing },
  });
  expect(searched.text).toContain(`Missing: hangs: ${slowText('hangs', 'tools')}`);
  expect(failed.at(-1)).toMatchObject({
    code: 'tool-not-found',
    remedy: expect.stringContaining('of hangs'),
  });
  expect(warnings).toEqual([slowText('hangs', 'tools')]);
});

test('the service lists what is there, names what is missing, and waits for all when it is asked to', async () => {
  const entryOf = (name: string, ...args: readonly string[]) => ({
    command: process.execPath,
    args: [path.join(serverFolder, `${name}.mjs`), ...args],
  });
  const servers = { good: entryOf('has-resources'), slow: entryOf('slow-start', '2600') };
  await using api = await openServiceFixture({ host: { ...allowed, servers } });
  const ask = (key: 'GET /tools' | 'GET /resources' | 'GET /prompts', query = '') =>
    timed(api.ask(key, { query }));
  const [tools, resources, prompts, settled] = await Promise.all([
    ask('GET /tools'),
    ask('GET /resources'),
    ask('GET /prompts'),
    ask('GET /tools', '?wait=settled'),
  ]);
  for (const { ms } of [tools, resources, prompts]) expect(ms).toBeLessThan(2600);
  expect(tools.value.json).toMatchObject({
    tools: [{ name: 'mcp__good__touch' }, { name: 'mcp__good__followers' }],
    errors: { slow: slowText('slow', 'tools') },
  });
  expect(resources.value.json).toMatchObject({
    resources: [{ server: 'good' }],
    errors: { slow: slowText('slow', 'resources') },
  });
  expect(prompts.value.json).toMatchObject({
    prompts: [{ server: 'good' }],
    errors: { slow: expect.anything() },
  });
  expect(settled.value.json).toMatchObject({ tools: [{}, {}, { name: 'mcp__slow__echo' }], errors: {} });
});

test('a list of one server and `settled` wait until it has settled, and a late server arrives as an event', async () => {
  await using fixture = await openHostFixture();
  const servers = { good: fixture.program('named-tools', 'x'), slow: fixture.program('slow-start', '2600') };
  const host = await fixture.open({ ...allowed, servers });
  const late = nextEvent(host, 'mcp.tools.changed', ({ server }) => server === 'slow');
  const lists = [host.tools(), host.tools({ server: 'slow' }), host.tools({ wait: 'settled' })];
  const names = (await Promise.all(lists)).map((tools) => tools.map(({ name }) => name));
  expect(names).toEqual([['mcp__good__x'], ['mcp__slow__echo'], ['mcp__good__x', 'mcp__slow__echo']]);
  await late;
  expect(host.listErrors('tools')).toEqual({});
});

test('while no server has entries a list waits on, until the first one has', async () => {
  await using fixture = await openHostFixture();
  const servers = { slow: fixture.program('slow-start', '2200'), hangs: fixture.program('never-responds') };
  const host = await fixture.open({ ...allowed, servers });
  const { value, ms } = await timed(host.tools());
  expect(value.map(({ name }) => name)).toEqual(['mcp__slow__echo']);
  expect(ms).toBeGreaterThan(2200);
  expect(ms).toBeLessThan(6000);
});

test('a list starts no server that failed, and asks for no login again', async () => {
  await using fixture = await openHostFixture();
  const guarded = createServer((_request, response) => response.writeHead(401).end());
  await new Promise<void>((resolve) => guarded.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(guarded.address() as AddressInfo).port}/mcp`; // it listens on TCP
  const servers = {
    good: fixture.program('has-resources'),
    dead: fixture.program('exits-immediately', '3', fixture.startsFile),
    login: { url },
  };
  const host = await fixture.open({ ...allowed, servers });
  const counts = count(host, 'mcp.status.changed', 'mcp.auth.required', 'mcp.resources.changed');
  await host.resources();
  const before = counts();
  expect([await fixture.starts(), before.slice(1)]).toEqual([1, [1, 1]]);
  for (let round = 0; round < 10; round += 1) {
    await host.resources();
    await host.prompts();
    await host.tools({ wait: 'settled' });
    await runBuiltInTool(host, 'list_mcp_resources', {});
  }
  expect(counts()).toEqual(before);
  expect(await fixture.starts()).toBe(1);
  expect(Object.keys(host.listErrors('resources'))).toEqual(['dead', 'login']);
  guarded.close();
});

test('a listener that lists again on every change stops, also with a cached server that is down', async () => {
  await using fixture = await openHostFixture();
  const file = path.join(fixture.home, 'tools.json');
  await writeFile(file, JSON.stringify([{ name: 'one', inputSchema: { type: 'object' } }]));
  const servers = { down: fixture.program('tools-from-file', file), good: fixture.program('has-resources') };
  const first = await fixture.open({ ...allowed, servers });
  await first.tools();
  await first.close();
  await writeFile(file, 'not JSON: it ends at its start');
  const host = await fixture.open({ ...allowed, servers });
  const counts = count(host, 'mcp.tools.changed', 'mcp.resources.changed');
  for (const name of ['mcp.tools.changed', 'mcp.resources.changed'] as const)
    host.on(name, () => {
      void Promise.all([host.tools({ wait: 'settled' }), host.resources(), host.prompts()]);
    });
  const failed = nextStatus(host, 'down', 'failed');
  expect((await host.tools()).map(({ name }) => name)).toContain('mcp__down__one');
  await failed;
  for (let round = 0; round < 5; round += 1) {
    await host.tools({ wait: 'settled' });
    await host.resources();
  }
  // The remembered tool is gone, once; the resources of the other one came, once.
  expect(counts()).toEqual([1, 1]);
});

test('a list of resources or prompts that failed is reported as failed, and nothing else of the server is', async () => {
  await using fixture = await openHostFixture();
  const host = await fixture.open({ ...allowed, servers: { s: fixture.program('fails-to-list') } });
  expect(await host.resources()).toEqual([]);
  const resources = {
    s: 'Failed to get resources: the server answered with an error: the database is locked (-32603)',
  };
  expect(host.listErrors('resources')).toEqual(resources);
  expect(host.listErrors('prompts')).toEqual({
    s: 'Failed to get prompts: the server answered with an error: the database is locked (-32603)',
  });
  expect([host.listErrors('tools'), host.status()]).toEqual([{}, { s: { status: 'connected' } }]);
  expect(await runBuiltInTool(host, 'list_mcp_resources', {})).toMatchObject({
    text: `Missing: s: ${resources.s}`,
    structured: { errors: resources },
  });
});
