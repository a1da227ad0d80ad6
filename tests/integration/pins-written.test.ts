/** When pins are written: once for all servers that start together, and before a list offers what they protect. */

import { watch } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';

import type { Tool } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';

import { createPinReviewer, createPinMemory, type PinStore } from '../../src/catalog/pins.ts';
import { nextEvent, openHostFixture, type HostFixture } from '../support/host-fixture.ts';

/** How often the file of pins was replaced. */
async function countWrites({ home }: HostFixture): Promise<{ readonly writes: () => number } & Disposable> {
  const folder = path.join(home, '.holt');
  await mkdir(folder, { mode: 0o700 });
  let writes = 0;
  const watcher = watch(folder, (kind, file) => {
    if (kind === 'rename' && file === 'pins.json') writes += 1;
  });
  return { writes: () => writes, [Symbol.dispose]: () => watcher.close() };
}

const pinsOf = async ({ home }: HostFixture): Promise<unknown[]> => {
  const text = await readFile(path.join(home, '.holt', 'pins.json'), 'utf8');
  const { servers } = JSON.parse(text) as { servers: Record<string, { server: string }> };
  return Object.values(servers).map(({ server }) => server);
};

test.each(['connect', 'tools'] as const)(
  'the first contact with ten servers by %s writes the pins once',
  async (how) => {
    await using fixture = await openHostFixture();
    using counter = await countWrites(fixture);
    const names = Array.from({ length: 10 }, (_, at) => `s${at}`);
    const servers = Object.fromEntries(names.map((name) => [name, fixture.program('named-tools', name)]));
    const host = await fixture.open({ servers, pinning: 'withhold' });
    await (how === 'connect' ? host.connect() : host.tools());
    await host.close();
    expect(new Set(await pinsOf(fixture))).toEqual(new Set(names));
    expect(counter.writes()).toBe(1);
  },
);

test('listed tools are pinned when the list is returned, also while another server hangs', async () => {
  await using fixture = await openHostFixture();
  const servers = { good: fixture.program('named-tools', 'x'), hangs: fixture.program('never-responds') };
  const host = await fixture.open({ servers });
  expect(await host.tools()).toHaveLength(1);
  expect(await pinsOf(fixture)).toEqual(['good']);
});

test('a tool that another process has pinned differently is withheld', async () => {
  await using fixture = await openHostFixture();
  const memory = createPinMemory();
  const other: Tool = { name: 'x', description: 'What it was there', inputSchema: { type: 'object' } };
  const store: PinStore = {
    ...memory,
    change: async (key, edit) => {
      const known = (await memory.load()).servers.has(key);
      const theirs = createPinReviewer({ store: memory, now: () => new Date() });
      if (!known) await theirs.review({ server: 's', key, mode: 'withhold' }, { tools: [other] });
      await memory.change(key, edit);
    },
  };
  const host = await fixture.open({
    servers: { s: fixture.program('named-tools', 'x') },
    pinning: 'withhold',
    stores: { pins: store },
  });
  const changed = nextEvent(host, 'mcp.tool.mutated');
  await host.connect();
  expect(await changed).toMatchObject({ server: 's', tool: 'x', withheld: true });
  expect([await host.tools(), host.withheld()]).toMatchObject([[], [{ server: 's', tool: 'x' }]]);
});
