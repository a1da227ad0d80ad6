/** One decision below every surface: what is denied is out of reach, whichever way it is asked for. */

import path from 'node:path';

import { afterEach, expect, test } from 'vitest';

import { toAnthropicTools } from '../../src/bridges/anthropic.ts';
import type { Host } from '../../src/host/host.ts';
import { runSearchTool } from '../../src/host/search-tools.ts';
import { HoltError } from '../../src/kernel/errors.ts';
import { createSandbox } from '../support/holt-command.ts';
import { openServiceWorld, type ServiceWorld } from '../support/service-world.ts';

const name = 'mcp__art__secret';
const fixture = path.join(import.meta.dirname, '..', 'fixtures', 'servers', 'draws.mjs');

let open: ServiceWorld | undefined;
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
    open = await openServiceWorld({
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
