/** A program is greeted without the SDK's client. Whoever comes later, the program or a person, finds a client all the same. */

import { pathToFileURL } from 'node:url';

import { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';

import type { HostParts } from '../../src/host/world.ts';
import { openHostWorld, type HostWorld } from '../support/host-world.ts';

const late: HostParts = { tuning: { lateClients: true } };
let world: HostWorld;
beforeAll(async () => {
  world = await openHostWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

test.each([
  ['made when it is needed', late, 0],
  ['made beforehand', {}, 1],
] as const)('a program that asks is answered by a client that was %s', async (_, parts, made) => {
  const servers = { it: world.program('asks-questions', 'stateful') };
  const host = await world.open({ servers, policy: { default: 'allow' } }, parts);
  await host.connect();
  const clients = Object.values(host.clients());
  expect([clients.length, clients.every((client) => client instanceof Client)]).toEqual([made, true]);
  const { text } = await host.call('mcp__it__ask', { method: 'roots/list', params: {} });
  expect(JSON.parse(text)).toMatchObject({ roots: [{ uri: pathToFileURL(world.home).href }] });
  await host.close();
});

test.each([
  ['late', late],
  ['at once', {}],
] as const)(
  'a program that asks before it answers its first list is answered: clients made %s',
  async (_, parts) => {
    const servers = { it: world.program('asks-questions', 'stateful', 'first') };
    const host = await world.open({ servers }, parts);
    expect(await host.connect('it')).toEqual({ status: 'connected' });
    await host.close();
  },
);

test.each(['stateful', 'stateless'])(
  'what only a client can do is done by one made for it: %s',
  async (era) => {
    const host = await world.open({ servers: { it: world.program('has-resources', era) } }, late);
    const [first] = await host.resources();
    expect(await host.readResource('it', first?.uri ?? '')).toHaveProperty('contents');
    await host.close();
  },
);

test('a client checks results against the tool’s own schema, as holt does', async () => {
  const servers = { it: world.program('sends-content', 'stateful') };
  const host = await world.open({ servers });
  await host.connect();
  const client = host.clients()['it'];
  const tools = (await client?.listTools())?.tools ?? [];
  const call = async (name: string): Promise<unknown> => {
    const toolDefinition = tools.find((tool) => tool.name === name);
    if (toolDefinition === undefined) throw new Error('not listed');
    return client?.callTool({ name, arguments: {} }, { toolDefinition });
  };
  await expect(call('data')).resolves.toMatchObject({ structuredContent: { n: 5 } });
  await expect(call('wrong_data')).rejects.toThrow(/n: expected number/);
  await host.close();
});
