/** Servers people really use: holt connects over every transport they speak, lists what the SDK's own client lists, and leaves nothing. */

import { randomUUID } from 'node:crypto';

import { describe, expect, test } from 'vitest';

import { openHost } from '../../dist/index.js';

import { processesWith } from '../support/processes.ts';
import {
  listWithSdk,
  markName,
  ownChildren,
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
    const before = ownChildren();

    const seen = { era: server.era, listed: plain, asked: plain };
    expect(await lookWithHolt(folder.path, entry)).toEqual(seen);
    expect(await lookWithHolt(folder.path, entry)).toEqual(seen);
    expect(processesWith(markName, mark)).toEqual([]);
    expect(ownChildren()).toEqual(before);
  });

  test.each(server.remote)(
    'over $transport the tools are those the SDK lists, also with what was remembered',
    async (remote) => {
      using folder = temporaryFolder();
      await using running = await startRemote(server, remote);
      const plain = await listWithSdk(plainRemote(remote, running.url));
      expect(plain.length).toBeGreaterThan(0);
      const before = ownChildren();

      const entry = { type: remote.transport, url: running.url };
      const seen = { era: server.era, listed: plain, asked: plain };
      expect(await lookWithHolt(folder.path, entry)).toEqual(seen);
      expect(await lookWithHolt(folder.path, entry)).toEqual(seen);
      expect(ownChildren()).toEqual(before);
    },
  );
});

/** What holt listed when it connected, and what the client it hands out lists when it is asked. */
async function lookWithHolt(home: string, entry: object): Promise<object> {
  await using host = await openHost({ home, cwd: home, servers: { it: entry } });
  expect(await host.connect('it')).toEqual({ status: 'connected' });
  const report = host.report()['it'];
  const answer = await host.clients()['it']?.listTools();
  return { era: report?.era, listed: report?.lists?.tools, asked: answer?.tools };
}
