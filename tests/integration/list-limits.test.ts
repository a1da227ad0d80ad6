/** Lists of servers that page for ever with huge pages: cut at a number of bytes, reported, and the rest works. */

import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import type { Host } from '../../src/host/host.ts';
import { clientOf, nextEvent, openHostFixture, type HostFixture } from '../support/host-fixture.ts';

const kibibyte = 1024;
const pageBytes = 64 * kibibyte;

async function openWith(limits: Readonly<Record<string, number>>): Promise<HostFixture> {
  const fixture = await openHostFixture();
  await mkdir(path.join(fixture.home, '.holt'));
  await writeFile(path.join(fixture.home, '.holt', 'config.json'), JSON.stringify({ limits }));
  return fixture;
}

const allowed = { policy: { default: 'allow' } } as const;

function lengths(host: Host, server: string): Readonly<Record<string, number>> {
  const lists = Object.entries(host.report()[server]?.lists ?? {}) as [string, readonly unknown[]][];
  return Object.fromEntries(lists.map(([key, list]) => [key, list.length]));
}

const listProblems = (host: Host): readonly string[] =>
  host
    .problems()
    .filter(({ code }) => code === 'list-cut')
    .map(({ message }) => message);

const fifteen = { tools: 15, resources: 15, resourceTemplates: 15, prompts: 15 };
const cutAt = (list: string, why: string): string =>
  `The list of ${list} of "huge" is incomplete: ${why}. 15 entries were kept.`;

describe.each(['stateless', 'stateful'])('a server of the %s era that lists huge pages for ever', (era) => {
  test('T113: has each list cut at limits.listBytes, with a problem for each, and stays usable', async () => {
    await using fixture = await openWith({ listBytes: 16 * pageBytes });
    const host = await fixture.open({
      ...allowed,
      servers: { huge: fixture.program('huge-pages', String(pageBytes), era) },
    });
    expect(await host.connect()).toEqual({ huge: { status: 'connected' } });
    expect(lengths(host, 'huge')).toEqual(fifteen);
    expect(await host.tools()).toHaveLength(15);
    const why = 'it is larger than 1 MiB (limits.listBytes)';
    expect(listProblems(host).toSorted()).toEqual(
      ['prompts', 'resource templates', 'resources', 'tools'].map((list) => cutAt(list, why)),
    );
    // One more page than there was room for.
    expect(await host.call('mcp__huge__pages')).toMatchObject({ ok: true, text: '16' });
  });

  test('T113: is cut at the same place when its lists change, and counted once', async () => {
    // Without room for two lists of everything.
    await using fixture = await openWith({ listBytes: 16 * pageBytes, catalogBytes: 90 * pageBytes });
    const host = await fixture.open({
      ...allowed,
      servers: { huge: fixture.program('huge-pages', String(pageBytes), era) },
    });
    const cuts = { tools: 0, resources: 0, prompts: 0 };
    host.on('mcp.warning', ({ message }) => {
      for (const kind of Object.keys(cuts) as (keyof typeof cuts)[])
        if (message.startsWith(`The list of ${kind} of`)) cuts[kind] += 1;
    });
    await host.connect();
    for (let change = 2; change < 6; change += 1) {
      const cut = Promise.all(
        Object.keys(cuts).map((kind) =>
          nextEvent(host, 'mcp.warning', ({ message }) => message.startsWith(`The list of ${kind} of`)),
        ),
      );
      await host.call('mcp__huge__change');
      await cut;
      expect(Object.values(cuts)).toEqual([change, change, change]);
    }
    expect(lengths(host, 'huge')).toEqual(fifteen);
    expect(listProblems(host)).toHaveLength(4);
  });

  test("T113: has a list cut that an SDK's client reads by itself", async () => {
    await using fixture = await openWith({ listBytes: 16 * pageBytes });
    const host = await fixture.open({
      ...allowed,
      servers: { huge: fixture.program('huge-pages', String(pageBytes), era) },
    });
    await host.connect();
    const warned = nextEvent(host, 'mcp.warning', ({ message }) => message.includes('resources/list'));
    const { resources } = await (await clientOf(host, 'huge')).listResources();
    expect(resources).toHaveLength(16);
    expect(await warned).toMatchObject({
      server: 'huge',
      code: 'list-cut',
      message:
        "A client's resources/list was ended early: the list is larger than 1048576 bytes (limits.listBytes).",
    });
    expect(await host.call('mcp__huge__pages')).toMatchObject({ ok: true });
  });
});

test('T113: one page that is larger than the limit is used as far as it fits', async () => {
  await using fixture = await openWith({ listBytes: 64 * kibibyte });
  const host = await fixture.open({ servers: { many: fixture.program('many-tools', '3000') } });
  expect(await host.connect()).toEqual({ many: { status: 'connected' } });
  const { tools = 0 } = lengths(host, 'many');
  expect(tools).toBeGreaterThan(100);
  expect(tools).toBeLessThan(1000);
  expect(listProblems(host)).toEqual([
    `The list of tools of "many" is incomplete: it is larger than 65536 bytes (limits.listBytes). ${tools} entries were kept.`,
  ]);
});

test('T113: all lists of a host together are cut at limits.catalogBytes, and those that go make room', async () => {
  const listBytes = 16 * pageBytes;
  await using fixture = await openWith({ listBytes, catalogBytes: 80 * pageBytes });
  const huge = fixture.program('huge-pages', String(pageBytes));
  const host = await fixture.open({
    ...allowed,
    servers: { first: huge, huge, other: fixture.program('echo') },
  });
  expect(await host.connect('first')).toEqual({ status: 'connected' });
  expect(lengths(host, 'first')).toEqual(fifteen);
  expect(await host.connect('huge')).toEqual({ status: 'connected' });
  const kept = Object.values(lengths(host, 'huge')).reduce((sum, length) => sum + length, 0);
  expect(kept).toBeLessThanOrEqual(80 - 60 + 4);
  expect(kept).toBeGreaterThan(10);
  expect(listProblems(host)).toContainEqual(
    expect.stringMatching(
      /of "huge" is incomplete: the lists of all servers together are larger than 5 MiB \(limits\.catalogBytes\)/,
    ),
  );
  // However much others list, a server with little is whole.
  expect(await host.connect('other')).toEqual({ status: 'connected' });
  expect(lengths(host, 'other')).toMatchObject({ tools: 3, resources: 1, prompts: 1 });

  await host.disconnect('first');
  await host.disconnect('huge');
  expect(await host.connect('huge')).toEqual({ status: 'connected' });
  expect(lengths(host, 'huge')).toEqual(fifteen);
  await host.remove('huge');
  expect(await host.connect('first')).toEqual({ status: 'connected' });
  expect(lengths(host, 'first')).toEqual(fifteen);
});

test('T113: a list on disk that is larger than the limit is not read back', async () => {
  await using fixture = await openHostFixture();
  const servers = { huge: fixture.program('huge-pages', String(pageBytes)) };
  const caps = { tuning: { listCaps: { maxPages: 20 } } };
  const first = await fixture.open({ servers }, caps);
  await first.connect();
  await first.tools();
  await first.close();
  const folder = path.join(fixture.home, '.holt', 'cache', 'catalog');
  const sizes = await Promise.all(
    (await readdir(folder)).map(async (name) => (await stat(path.join(folder, name))).size),
  );
  expect(Math.max(...sizes)).toBeGreaterThan(20 * pageBytes);
  const cached = await fixture.open({ servers });
  expect(await cached.tools({ wait: 'cached' })).toHaveLength(20);

  await writeFile(
    path.join(fixture.home, '.holt', 'config.json'),
    JSON.stringify({ limits: { listBytes: 18 * pageBytes } }),
  );
  const limited = await fixture.open({ servers });
  expect(await limited.tools({ wait: 'cached' })).toEqual([]);
});
