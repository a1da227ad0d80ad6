/** Servers people really use: holt connects over every transport they speak, lists what the SDK's own client lists, and leaves nothing. */

import { randomUUID } from 'node:crypto';

import type { Tool } from '@modelcontextprotocol/client';
import { describe, expect, test } from 'vitest';

import { openHost } from '../../dist/index.js';

import { processesWith } from '../support/processes.ts';
import {
  listWithSdk,
  markName,
  plainRemote,
  plainStdio,
  startRemote,
  stdioEntry,
  temporaryFolder,
} from './world.ts';
import { zoo } from './zoo.ts';

describe.each(zoo)('$name', (server) => {
  test('over stdio the tools are those the SDK lists, also with what was remembered, and nothing stays', async () => {
    using folder = temporaryFolder();
    const mark = randomUUID();
    const entry = stdioEntry(server, folder.path, mark);
    const plain = await listWithSdk(plainStdio(entry));
    expect(plain.length).toBeGreaterThan(0);

    expect(await listWithHolt(folder.path, { ...entry })).toEqual(plain);
    expect(await listWithHolt(folder.path, { ...entry })).toEqual(plain);
    expect(processesWith(markName, mark)).toEqual([]);
  });

  test.each(server.remote)(
    'over $transport the tools are those the SDK lists, also with what was remembered',
    async (remote) => {
      using folder = temporaryFolder();
      await using running = await startRemote(server, remote);
      const plain = await listWithSdk(plainRemote(remote, running.url));
      expect(plain.length).toBeGreaterThan(0);

      const entry = { type: remote.transport, url: running.url };
      expect(await listWithHolt(folder.path, entry)).toEqual(plain);
      expect(await listWithHolt(folder.path, entry)).toEqual(plain);
    },
  );
});

async function listWithHolt(home: string, entry: object): Promise<readonly Tool[]> {
  await using host = await openHost({ home, cwd: home, servers: { it: entry } });
  expect(await host.connect('it')).toEqual({ status: 'connected' });
  const client = host.clients()['it'];
  return (await client?.listTools())?.tools ?? [];
}
