import { describe, expect, test } from 'vitest';

import { serveHttp } from '../../tests/support/http-servers.ts';
import { connectRemote, failureOf, openRemoteTransport } from '../../tests/support/remote-clients.ts';
import { startFixture } from '../../tests/support/remote-fixture.ts';
import { shouldFallBackToSse } from './failure-kinds.ts';
import { otherHttpKind } from './open-transport.ts';

interface Facts {
  readonly streams: number;
  readonly initialize: number;
  readonly refused: number;
}

const sse = { kind: 'sse' } as const;

describe('HTTP with SSE', () => {
  test('is where a server that knows nothing newer is reached, after it refused', async () => {
    await using server = await startFixture('sse-only');
    const failure = await failureOf(connectRemote(server.url));
    expect([shouldFallBackToSse(failure), otherHttpKind('http'), otherHttpKind('sse')]).toEqual([
      true,
      'sse',
      'http',
    ]);
    await using remote = await connectRemote(server.url, sse);
    await remote.transport.opened;
    expect(await remote.call('echo', { text: 'hi' })).toBe('hi');
    expect((await remote.client.listTools()).tools.map(({ name }) => name)).toEqual([
      'echo',
      'heavy',
      'brackets',
      'drop',
      'hang',
    ]);
    expect(await server.facts<Facts>()).toMatchObject({ streams: 1, initialize: 1 });
  });

  test('F36: a stream that drops ends the connection and every call on it, and is not dialled again', async () => {
    await using server = await startFixture('sse-only');
    const remote = await connectRemote(server.url, sse);
    const hanging = remote.failureOf(remote.call('hang'));
    const dropping = remote.failureOf(remote.call('drop'));
    const from = performance.now();
    expect([(await hanging).kind, (await dropping).kind]).toEqual(['connection-lost', 'connection-lost']);
    expect(performance.now() - from).toBeLessThan(3000);
    await remote.closed;
    expect(remote.transport.end?.cause).toBeDefined();
    expect((await server.facts<Facts>()).streams).toBe(1);
  });

  test('a server that never names its endpoint can be given up', async () => {
    await using server = await serveHttp((_, response) =>
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders(),
    );
    const transport = await openRemoteTransport(server.url, sse);
    const starting = failureOf(transport.start());
    await transport.opened;
    await transport.close();
    expect([(await starting).kind, transport.end]).toEqual(['connection-lost', { reason: 'closed by holt' }]);
  });

  test.each([
    ['before it names its endpoint', 'retry: 1\n\n'],
    ['after it named its endpoint', 'retry: 1\n\nevent: endpoint\ndata: /messages\n\n'],
  ])(
    'T120: a stream that ends %s is not dialled again, however soon the server asks for it',
    async (_, text) => {
      let streams = 0;
      await using server = await serveHttp((request, response) => {
        if (request.method === 'GET') streams += 1;
        response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text);
      });
      const transport = await openRemoteTransport(server.url, sse);
      const closed = new Promise<void>((resolve) => {
        transport.onclose = resolve;
      });
      await transport.start().catch(() => undefined);
      await closed;
      // A request that is answered later than any reconnection that was due in a millisecond.
      await Array.from({ length: 20 }).reduce<Promise<unknown>>(
        (before) => before.then(() => fetch(server.url, { method: 'POST' })),
        Promise.resolve(),
      );
      expect(streams).toBe(1);
    },
  );

  test.each([
    [404, 'not-found'],
    [401, 'needs-auth'],
    [500, 'http-status'],
    [429, 'rate-limited'],
  ])('a stream refused with %i is %s, and asked for once', async (status, kind) => {
    await using server = await serveHttp((_, response) => response.writeHead(status).end());
    expect((await failureOf(connectRemote(server.url, sse))).kind).toBe(kind);
    expect(server.requests).toHaveLength(1);
  });

  test('an endpoint elsewhere is refused', async () => {
    await using other = await serveHttp((_, response) => response.end());
    await using server = await serveHttp((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`event: endpoint\ndata: ${other.url}/steal\n\n`);
    });
    const failure = await failureOf(
      connectRemote(server.url, { ...sse, headers: { authorization: 'Bearer hush' } }),
    );
    expect(failure.message).toContain('Endpoint origin does not match');
    expect(other.requests).toEqual([]);
  });

  test('F37: a post that is answered 404 means that the session is gone', async () => {
    await using server = await serveHttp((request, response) => {
      if (request.method === 'POST') return void response.writeHead(404).end();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('event: endpoint\ndata: /messages\n\n');
    });
    const transport = await openRemoteTransport(server.url, sse);
    const closed = new Promise<void>((resolve) => Object.assign(transport, { onclose: resolve }));
    await transport.start();
    expect(await failureOf(transport.send({ jsonrpc: '2.0', id: 1, method: 'ping' }))).toMatchObject({
      kind: 'session-lost',
    });
    await closed;
  });
});
