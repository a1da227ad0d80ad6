/** One decision below every surface: what is denied is out of reach, whichever way it is asked for. */

import path from 'node:path';

import { afterEach, expect, test } from 'vitest';

import { toAnthropicTools } from '../../src/bridges/anthropic.ts';
import type { Host } from '../../src/host/host.ts';
import { runSearchTool } from '../../src/calls/search-tools.ts';
import { HoltError } from '../../src/kernel/errors.ts';
import { createSandbox } from '../support/holt-command.ts';
import { openServiceFixture, type ServiceFixture } from '../support/service-fixture.ts';

const name = 'mcp__art__secret';
const fixture = path.join(import.meta.dirname, '..', 'fixtures', 'servers', 'returns-image.mjs');

let open: ServiceFixture | undefined;
afterEach(async () => {
  await open?.[Symbol.asyncDispose]();
  open = undefined;
});

const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'allowed',
    (error: unknown) => (HoltError.is(error) ? error.code : error),
  );

async function verdicts(host: Host): Promise<readonly unknown[]> {
  const { dispatch, tools } = await toAnthropicTools(host, { builtIn: false });
  const bridged = await dispatch({ id: '1', name, input: {} });
  return [
    await codeOf(host.call(name)),
    await codeOf(host.callRaw(name)),
    await codeOf(runSearchTool(host, 'call_tool', { name, arguments: {} })),
    bridged.is_error === true ? 'refused' : 'allowed',
    tools.some((tool) => tool.name === name) ? 'offered' : 'not offered',
    (await host.explain(name)).decision,
  ];
}

test.each(['mcp__art__secret', 'mcp__art', 'Tool(mcp__art__s*)', 'mcp__*'])(
  'T70: by the rule %s a tool is out of reach of library, bridge, search, service and command line alike',
  async (rule) => {
    const art = { command: process.execPath, args: [fixture] };
    open = await openServiceFixture({
      host: { servers: { art }, policy: { default: 'allow', deny: [rule] } },
    });
    const { host } = open.service;
    await host.connect();

    expect(await verdicts(host)).toEqual([
      'call-denied',
      'call-denied',
      'call-denied',
      'refused',
      'not offered',
      'deny',
    ]);
    expect(await open.ask('POST /tools/:name/call', { name, body: { arguments: {} } })).toMatchObject({
      status: 403,
      json: { error: { code: 'call-denied' } },
    });

    await using sandbox = await createSandbox();
    await sandbox.write('~/.holt/mcp.json', JSON.stringify({ mcpServers: { art } }));
    await sandbox.write('~/.holt/config.json', JSON.stringify({ permissions: { deny: [rule] } }));
    expect(await sandbox.holt('call', 'art.secret')).toMatchObject({ code: 5 });
  },
);

test('T118: a tool whose name ends in a blank is left out everywhere, and a problem names its server', async () => {
  const named = path.join(import.meta.dirname, '..', 'fixtures', 'servers', 'named-tools.mjs');
  const names = ['delete_branch\u00a0', '\u2800delete_branch', 'read'];
  const gh = { command: process.execPath, args: [named, ...names] };
  open = await openServiceFixture({
    host: { servers: { gh }, policy: { default: 'allow', deny: ['mcp__gh__delete_branch'] } },
  });
  const { host } = open.service;
  await host.connect();

  expect((await host.tools()).map(({ tool }) => tool)).toEqual(['read']);
  expect(await codeOf(host.call('mcp__gh__delete_branch_'))).toBe('tool-not-found');
  expect(await codeOf(host.explain('gh.delete_branch\u00a0'))).toBe('tool-not-found');
  expect(host.problems().filter(({ code }) => code === 'offer-refused')).toMatchObject([
    { server: 'gh', message: 'tool "delete_branch⟨U+00A0⟩" left out: its name begins or ends with a blank' },
    { server: 'gh', message: 'tool "⟨U+2800⟩delete_branch" left out: its name begins or ends with a blank' },
  ]);
});
