/** Calls whose arguments or results take long to check: other work goes on, and the time of the call holds. */

import { afterAll, beforeAll, expect, test } from 'vitest';

import type { Host } from '../../src/host/host.ts';
import { clientOf, openHostFixture, type HostFixture } from '../support/host-fixture.ts';
import { stallRatio } from '../support/longest-stall.ts';

const values = Array.from({ length: 40_000 }, (_, at) => ({ a: at, b: at % 7 }));
const text = JSON.stringify({ values });

let fixture: HostFixture;
let host: Host;
beforeAll(async () => {
  fixture = await openHostFixture();
  const servers = { slow: fixture.program('slow-schema-check'), other: fixture.program('echo') };
  host = await fixture.open({ policy: { default: 'allow' }, servers });
  await host.connect();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const name = (tool: string): string => `mcp__slow__${tool}`;

test('T115: a result of 40,000 objects that are each to be unique is checked, and other work continues', async () => {
  const { meta, structured } = await host.call(name('twins'));
  expect([meta, structured]).toEqual([undefined, { values }]);

  // Reading the message is in it, too.
  expect(await stallRatio(text, () => host.call(name('twins')))).toBeLessThan(5);
});

test.each<readonly [string, object]>([
  ['maze', {}],
  ['takes_maze', { values }],
])('T115: the time of a call of %s ends it while its values are still checked', async (tool, args) => {
  const call = (timeoutMs: number): Promise<unknown> =>
    host.call(name(tool), { ...args }, { timeoutMs }).catch((error: unknown) => String(error));
  // The first call warms up: the next one would take less than a part of its time anyway.
  await call(60_000);
  const startedAt = performance.now();
  const unhurried = await call(60_000);
  const wholeMs = performance.now() - startedAt;
  expect(JSON.stringify(unhurried)).toContain('too much work');

  expect(await call(wholeMs / 4)).toMatchObject({ ok: false, error: { code: 'call-timeout' } });
});

test('T115: a result that comes through the SDK’s client is checked with pauses as well', async () => {
  const client = await clientOf(host, 'slow');
  const { tools } = await client.listTools();
  const toolDefinition = tools.find((tool) => tool.name === 'twins');
  if (toolDefinition === undefined) throw new Error('the server has another list');
  const call = () => client.callTool({ name: 'twins' }, { toolDefinition });
  expect((await call()).structuredContent).toEqual({ values });

  expect(await stallRatio(text, call)).toBeLessThan(5);
  const wrong = { ...toolDefinition, outputSchema: { type: 'object' as const, maxProperties: 0 } };
  await expect(client.callTool({ name: 'twins' }, { toolDefinition: wrong })).rejects.toThrow(
    "Structured content does not match the tool's output schema: (root): expected at most 0 properties",
  );
});
