/**
 * Servers people really use: holt connects over every transport they speak, lists what the SDK's own client lists, gets
 * the answer it gets, and leaves nothing.
 */

import { randomUUID } from 'node:crypto';
import fs from 'node:fs';

import { afterAll, describe, expect, test } from 'vitest';

import { processesWith } from '../support/processes.ts';
import {
  observeWithHolt,
  observeWithSdk,
  plainRemote,
  plainStdio,
  type Answer,
  type HoltObservation,
  type Observation,
} from './observations.ts';
import { inFolder, markName, ownChildren, startRemote, stdioEntry, temporaryFolder } from './setup.ts';
import { zoo } from './zoo.ts';
import type { ZooCall, ZooServer } from './zoo-server.ts';

/** What was seen, one line for each server and transport: for the page that tells of it. */
const seen: object[] = [];

afterAll(() => {
  const file = process.env['HOLT_ZOO_RESULTS'];
  if (file !== undefined) fs.writeFileSync(file, JSON.stringify(seen));
});

describe.each(zoo.map((server) => [server.package, server] as const))('%s', (_, server) => {
  test('over stdio tools and answers are those the SDK gets, also with what was remembered, and nothing stays', async () => {
    using folder = temporaryFolder();
    const mark = randomUUID();
    const entry = stdioEntry(server, folder.path, mark);
    const call = inFolder(server.call ?? null, folder.path) ?? undefined;
    const plain = await observeWithSdk(plainStdio(entry), call);
    const before = ownChildren();

    await compare(server, plain, () => observeWithHolt(folder.path, entry, call));
    expect(processesWith(markName, mark)).toEqual([]);
    expect(ownChildren()).toEqual(before);
    note(server, 'stdio', plain);
  });

  test.each(server.remote)(
    'over $transport tools and answers are those the SDK gets, also with what was remembered',
    async (remote) => {
      using folder = temporaryFolder();
      await using running = await startRemote(server, remote, folder.path);
      const call = inFolder(server.call ?? null, folder.path) ?? undefined;
      const plain = await observeWithSdk(plainRemote(remote, running.url), call);
      const before = ownChildren();

      const entry = { type: remote.transport, url: running.url };
      await compare(server, plain, () => observeWithHolt(folder.path, entry, call));
      expect(ownChildren()).toEqual(before);
      note(server, remote.transport, plain);
    },
  );
});

async function compare(
  { era, call }: ZooServer,
  plain: Observation,
  look: () => Promise<HoltObservation>,
): Promise<void> {
  const { protocol, tools, answer } = plain;
  expect(tools.length).toBeGreaterThan(0);
  const wanted = {
    status: { status: 'connected' },
    era,
    protocol,
    listed: tools,
    asked: tools,
    ...(call === undefined || answer === undefined ? {} : { answer: expectedAnswer(call, answer) }),
  };
  expect(await look()).toEqual(wanted);
  expect(await look()).toEqual(wanted);
}

/** holt may say more about a refusal, never less. */
function expectedAnswer(call: ZooCall, { ok, content, structured, refusal }: Answer): object {
  const parts =
    call.answer === 'same'
      ? { content, ...(structured === undefined ? {} : { structured }) }
      : {
          content: content.map(({ type }): unknown => expect.objectContaining({ type })),
          ...(structured === undefined ? {} : { structured: expect.anything() as unknown }),
        };
  return {
    ok,
    ...parts,
    ...(refusal === undefined ? {} : { refusal: expect.stringContaining(refusal) as unknown }),
  };
}

function note(server: ZooServer, transport: string, { protocol, tools, answer }: Observation): void {
  const called =
    server.call === undefined || answer === undefined
      ? {}
      : { tool: server.call.tool, compared: server.call.answer, ok: answer.ok };
  const told = server.remote.some((one) => one.transport === transport && one.failsAtQuestion === true);
  seen.push({ package: server.package, transport, protocol, told, tools: tools.length, ...called });
}
