/** Tools whose schemas are nested too deeply to be compared with what was accepted. */

import { afterEach, expect, test } from 'vitest';

import { HoltError } from '../../src/kernel/errors.ts';
import { createSandbox } from '../support/holt-command.ts';
import { openHostFixture, type HostFixture } from '../support/host-fixture.ts';

let fixture: HostFixture | undefined;
afterEach(async () => {
  await fixture?.[Symbol.asyncDispose]();
  fixture = undefined;
});

const reasons = {
  in: 'its inputSchema is nested more than 500 levels deep',
  out: 'its outputSchema is nested more than 500 levels deep',
};

test.each(['off', 'warn', 'withhold', 'strict'] as const)(
  'T128: with pinning %s a tool that is nested too deeply is reported as such, and not as changed',
  async (pinning) => {
    fixture = await openHostFixture();
    const deep = { ...fixture.program('deeply-nested-schemas', '600'), pinning };
    const mutated: string[] = [];
    for (const start of ['first', 'from the cache']) {
      const host = await fixture.open({ policy: { default: 'allow' }, servers: { deep } });
      host.on('mcp.tool.mutated', ({ tool }) => mutated.push(tool));
      await host.connect();
      if (pinning === 'strict') await host.acceptPins('deep');

      const offered = (await host.tools()).map(({ tool }) => tool);
      expect([start, offered, host.withheld(), mutated]).toEqual([start, ['flat'], [], []]);
      const problems = host.problems().filter(({ code }) => code === 'schema-too-deep');
      expect(problems).toMatchObject(
        Object.entries(reasons).map(([tool, reason]) => ({
          server: 'deep',
          message: `the tool "${tool}" of "deep" is left out: ${reason}`,
          remedy: 'Report it to the maintainer of the server: the schema has to be flatter.',
        })),
      );
      const failure: unknown = await host.call('mcp__deep__in').catch((error: unknown) => error);
      expect(HoltError.is(failure) ? [failure.code, failure.message] : failure).toEqual([
        'tool-not-found',
        `The tool mcp__deep__in of "deep" is not offered: ${reasons.in}`,
      ]);
      await host.close();
    }
  },
);

test('T128: a tool that was accepted and is nested too deeply now is left out until it is flat again', async () => {
  fixture = await openHostFixture();
  const offeredAt = async (levels: string): Promise<readonly string[]> => {
    const deep = fixture?.program('deeply-nested-schemas', levels);
    const servers = deep === undefined ? {} : { deep };
    const host = await fixture?.open({ policy: { default: 'allow' }, pinning: 'withhold', servers });
    await host?.connect();
    const offered = (await host?.tools())?.map(({ tool }) => tool) ?? [];
    const held = host?.withheld().map(({ tool }) => tool) ?? [];
    await host?.close();
    return [...offered, ...held.map((tool) => `${tool} withheld`)];
  };
  expect(await offeredAt('3')).toEqual(['in', 'out', 'flat']);
  expect(await offeredAt('600')).toEqual(['flat']);
  expect(await offeredAt('3')).toEqual(['in', 'out', 'flat']);
});

test('T128: the command line says why a tool that is nested too deeply is not there', async () => {
  fixture = await openHostFixture();
  await using sandbox = await createSandbox();
  const deep = fixture.program('deeply-nested-schemas', '600');
  await sandbox.write('~/.holt/mcp.json', JSON.stringify({ mcpServers: { deep } }));

  const call = await sandbox.holt('call', 'deep.in');
  expect(call.stderr).toContain(reasons.in);
  expect(call.stderr).not.toContain('pin accept');
  const diff = await sandbox.holt('pin', 'diff');
  expect(diff.stdout).toContain(`the tool "in" of "deep" is left out: ${reasons.in}`);
  expect(diff.stdout).toContain('No tool has changed.');
});
