/** A program is greeted without the SDK's client. Whoever comes later, the program or a person, finds a client all the same. */

import { pathToFileURL } from 'node:url';

import { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { clientOf, openHostWorld, type HostWorld } from '../support/host-world.ts';

let world: HostWorld;
beforeAll(async () => {
  world = await openHostWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

test.each([
  ['before it asks', true],
  ['by nobody', false],
] as const)('a program that asks is answered: its client was wanted %s', async (_, wanted) => {
  const servers = { it: world.program('asks-questions', 'stateful') };
  const host = await world.open({ servers, policy: { default: 'allow' } });
  await host.connect();
  if (wanted) expect(Object.keys(host.clients())).toEqual(['it']);
  const { text } = await host.call('mcp__it__ask', { method: 'roots/list', params: {} });
  expect(JSON.parse(text)).toMatchObject({ roots: [{ uri: pathToFileURL(world.home).href }] });
  await host.close();
});

test('a program that asks before it answers its first list is answered', async () => {
  const servers = { it: world.program('asks-questions', 'stateful', 'first') };
  const host = await world.open({ servers });
  expect(await host.connect('it')).toEqual({ status: 'connected' });
  await host.close();
});

test.each(['stateful', 'stateless'])(
  'what only a client can do is done by one made for it: %s',
  async (era) => {
    const host = await world.open({ servers: { it: world.program('has-resources', era) } });
    const [first] = await host.resources();
    expect(await host.readResource('it', first?.uri ?? '')).toHaveProperty('contents');
    await host.close();
  },
);

test.each(['stateful', 'stateless'] as const)(
  'clients() answers at once, before the SDK is loaded: %s',
  async (era) => {
    const host = await world.open({ servers: { it: world.program('has-resources', era) } });
    await host.connect();
    const client = clientOf(host, 'it');
    const told = (): unknown[] => [
      client.getServerVersion()?.name,
      client.getServerCapabilities(),
      client.getProtocolEra(),
      client.getNegotiatedProtocolVersion(),
      client.getInstructions(),
      client.getDiscoverResult()?.supportedVersions,
    ];
    const early = told();
    expect(client instanceof Client).toBe(false);
    expect((await client.listResources()).resources).not.toEqual([]);
    expect(client instanceof Client).toBe(true);
    expect(told()).toEqual(early);
    expect(early.slice(1, 3)).toEqual([
      expect.objectContaining({ resources: expect.anything() }),
      era === 'stateless' ? 'modern' : 'legacy',
    ]);
    expect(clientOf(host, 'it')).toBe(client);
    await host.close();
  },
);

test('the same client works on after its server was started anew', async () => {
  const host = await world.open({ servers: { it: world.program('has-resources', 'stateful') } });
  await host.connect();
  const client = clientOf(host, 'it');
  await host.disconnect('it');
  await expect(client.listResources()).rejects.toThrow(/not connected|closed/i);
  expect(host.clients()).toEqual({});
  await host.connect('it');
  expect((await client.listResources()).resources).not.toEqual([]);
  expect(clientOf(host, 'it')).toBe(client);
  await host.close();
});

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
