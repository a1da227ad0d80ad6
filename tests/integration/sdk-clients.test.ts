/** holt needs no SDK client for itself; a program gets real ones, on the connections that are open. */

import { pathToFileURL } from 'node:url';

import { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { HostParts } from '../../src/host/environment.ts';
import type { Host } from '../../src/host/host.ts';
import { createSdkClients } from '../../src/host/sdk-clients.ts';
import { clientOf, openHostFixture, type HostFixture } from '../support/host-fixture.ts';
import { startFixture } from '../support/remote-fixture.ts';

let fixture: HostFixture;
beforeAll(async () => {
  fixture = await openHostFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const without: HostParts = {
  sdkClients: (parts) => createSdkClients(parts, () => Promise.reject(new Error('Cannot find package'))),
};

async function connected(serverName: string, ...args: string[]): Promise<Host> {
  const host = await fixture.open({ servers: { it: fixture.program(serverName, ...args) } });
  await host.connect();
  return host;
}

describe('requests from servers are answered by the host', () => {
  test.each([
    ['without an SDK client', false],
    ['also beside an SDK client', true],
  ] as const)('%s', async (_, isWanted) => {
    const servers = { it: fixture.program('asks-questions', 'stateful') };
    const host = await fixture.open({ servers, policy: { default: 'allow' } });
    await host.connect();
    if (isWanted) await clientOf(host, 'it');
    const { text } = await host.call('mcp__it__ask', { method: 'roots/list', params: {} });
    expect(JSON.parse(text)).toMatchObject({ roots: [{ uri: pathToFileURL(fixture.home).href }] });
    await host.close();
  });

  test('before the server answers its first list', async () => {
    const servers = { it: fixture.program('asks-questions', 'stateful', 'first') };
    const host = await fixture.open({ servers });
    expect(await host.connect('it')).toEqual({ status: 'connected' });
    await host.close();
  });
});

test.each(['stateful', 'stateless'])('resources are read without an SDK client: %s', async (era) => {
  const host = await fixture.open({ servers: { it: fixture.program('has-resources', era) } }, without);
  const [first] = await host.resources();
  expect(await host.readResource('it', first?.uri ?? '')).toHaveProperty('contents');
  await host.close();
});

describe('host.clients()', () => {
  test.each(['stateful', 'stateless'] as const)(
    'returns real clients that know what was negotiated, without a second process: %s',
    async (era) => {
      const processes = fixture.running();
      const host = await connected('has-resources', era);
      const client = await clientOf(host, 'it');
      expect(client).toBeInstanceOf(Client);
      const { protocol, serverInfo } = host.report()['it'] ?? {};
      expect([
        client.getServerVersion(),
        client.getServerCapabilities(),
        client.getProtocolEra(),
        client.getNegotiatedProtocolVersion(),
      ]).toEqual([
        serverInfo,
        expect.objectContaining({ resources: expect.anything() }),
        era === 'stateless' ? 'modern' : 'legacy',
        protocol,
      ]);
      expect((await client.listResources()).resources).not.toEqual([]);
      expect(fixture.running() - processes).toBe(1);
      await host.close();
    },
  );

  test('returns the same client until the server disconnects', async () => {
    const host = await connected('has-resources', 'stateful');
    const client = await clientOf(host, 'it');
    expect(await clientOf(host, 'it')).toBe(client);
    await host.disconnect('it');
    await expect(client.listResources()).rejects.toThrow(/not connected|closed/i);
    expect(await host.clients()).toEqual({});
    await host.connect('it');
    const next = await clientOf(host, 'it');
    expect(next).not.toBe(client);
    expect((await next.listResources()).resources).not.toEqual([]);
    await host.close();
  });

  test('closing a client leaves its server connected', async () => {
    const host = await connected('has-resources', 'stateful');
    const client = await clientOf(host, 'it');
    await client.close();
    expect(host.status()).toEqual({ it: { status: 'connected' } });
    expect(await host.resources({ wait: 'cached' })).not.toEqual([]);
    expect((await (await clientOf(host, 'it')).listResources()).resources).not.toEqual([]);
    await host.close();
  });

  test.each([
    ['legacy-http', 'http'],
    ['stateless-http', 'http'],
    ['ws', 'ws'],
    ['sse-only', 'sse'],
  ] as const)('work on the connection of a remote server: %s', async (name, type) => {
    await using remote = await startFixture(name);
    const host = await fixture.open({ servers: { there: { type, url: remote.url } } });
    await host.connect();
    const client = await clientOf(host, 'there');
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toContain('echo');
    expect(await client.callTool({ name: 'echo', arguments: { text: 'hi' } })).toHaveProperty('content');
    await host.close();
  });

  test('rejects with the command that installs the SDK if it is missing', async () => {
    const host = await fixture.open(
      { servers: { it: fixture.program('has-resources', 'stateful') } },
      without,
    );
    expect(await host.clients()).toEqual({});
    await host.connect();
    await expect(host.clients()).rejects.toMatchObject({
      code: 'usage-invalid',
      message:
        'host.clients() needs the package @modelcontextprotocol/client. Install it with npm install @modelcontextprotocol/client.',
      remedy: 'Run npm install @modelcontextprotocol/client.',
    });
    await host.close();
  });

  test('a client checks results against the tool’s own schema, as holt does', async () => {
    const host = await connected('sends-content', 'stateful');
    const client = await clientOf(host, 'it');
    const { tools } = await client.listTools();
    const call = async (name: string): Promise<unknown> => {
      const toolDefinition = tools.find((tool) => tool.name === name);
      if (toolDefinition === undefined) throw new Error('not listed');
      return client.callTool({ name, arguments: {} }, { toolDefinition });
    };
    await expect(call('data')).resolves.toMatchObject({ structuredContent: { n: 5 } });
    await expect(call('wrong_data')).rejects.toThrow(/n: expected number/);
    await host.close();
  });

  test('two hosts’ and holt’s own requests with the same numbers do not get mixed up', async () => {
    const host = await connected('has-resources', 'stateful');
    const client = await clientOf(host, 'it');
    const [first] = await host.resources();
    const uri = first?.uri ?? '';
    const own = host.readResource('it', uri);
    const theirs = client.readResource({ uri });
    expect((await own).contents).toEqual((await theirs).contents);
    await host.close();
  });
});
