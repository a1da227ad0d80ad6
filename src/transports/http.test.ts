import type { ServerResponse } from 'node:http';

import { describe, expect, test } from 'vitest';

import { openFaultProxy } from '../../tests/fixtures/fault-proxy.mjs';
import { createFakeClock } from '../../tests/support/fake-clock.ts';
import { serveHttp } from '../../tests/support/http-servers.ts';
import { connectRemote, failureOf, openRemoteTransport } from '../../tests/support/remote-clients.ts';
import { startFixture } from '../../tests/support/remote-fixture.ts';
import type { Clock } from '../platform/clock.ts';
import { shouldFallBackToSse } from './failure-kinds.ts';
import type { ServerTransport } from './server-transport.ts';

interface Facts {
  readonly initialize: number;
  readonly discover: number;
  readonly gets: number;
  readonly deletes: number;
  readonly cancelled: number;
  readonly closedEarly: number;
  readonly hanging: number;
  readonly refused: number;
  readonly headers: Readonly<Record<string, string>>;
}

describe('Streamable HTTP', () => {
  test('speaks to a session server of the older era, and says farewell', async () => {
    await using server = await startFixture('legacy-http');
    const remote = await connectRemote(server.url, { headers: { 'X-Key': 'hush' } });
    await remote.transport.opened;
    expect([remote.client.getProtocolEra(), await remote.call('echo', { text: 'hi' })]).toEqual([
      'legacy',
      'hi',
    ]);
    const { headers } = await server.facts<Facts>();
    expect([headers['x-key'], headers['x-holt-ticket']]).toEqual(['hush', undefined]);
    expect([remote.transport.stderrTail(20), remote.transport.processId, remote.transport.end]).toEqual([
      '',
      undefined,
      undefined,
    ]);
    await remote.client.close();
    expect([remote.transport.end, remote.errors]).toEqual([{ reason: 'closed by holt' }, []]);
    expect(await server.facts<Facts>()).toMatchObject({ initialize: 1, gets: 1, deletes: 1 });
  });

  test('speaks to a stateless server with one question', async () => {
    await using server = await startFixture('stateless-http');
    await using remote = await connectRemote(server.url);
    expect([remote.client.getProtocolEra(), await remote.call('echo', { text: 'hi' })]).toEqual([
      'modern',
      'hi',
    ]);
    expect(await server.facts<Facts>()).toMatchObject({ discover: 1, initialize: 0 });
  });

  test('hears of changes on the stream of the older era', async () => {
    await using server = await startFixture('legacy-http');
    await using remote = await connectRemote(server.url);
    const changed = new Promise<string>((resolve) =>
      remote.client.setNotificationHandler('notifications/tools/list_changed', ({ method }) =>
        resolve(method),
      ),
    );
    while ((await server.facts<Facts>()).gets === 0);
    await remote.call('change');
    expect(await changed).toBe('notifications/tools/list_changed');
  });

  test('lets go of a call that was given up, in both eras', async () => {
    for (const [name, fact] of [
      ['legacy-http', 'cancelled'],
      ['stateless-http', 'closedEarly'],
    ] as const) {
      await using server = await startFixture(name);
      await using remote = await connectRemote(server.url);
      const giveUp = new AbortController();
      const call = failureOf(remote.call('hang', {}, { signal: giveUp.signal }));
      while ((await server.facts<Facts>()).hanging === 0);
      giveUp.abort();
      await call;
      while ((await server.facts<Facts>())[fact] === 0);
      expect([await remote.call('echo', { text: 'on' }), remote.errors]).toEqual(['on', []]);
    }
  });

  test('ends a probe at once when it is closed', async () => {
    await using server = await serveHttp(() => undefined);
    const transport = await openRemoteTransport(server.url);
    const sending = failureOf(
      transport.send({ jsonrpc: '2.0', id: 'probe', method: 'server/discover' }),
      transport,
    );
    await transport.start();
    await transport.close();
    expect((await sending).message).toBe('the connection was closed: by holt');
    await expect(transport.opened).rejects.toThrow('the connection was closed: by holt');
  });

  test('makes no noise with two hundred calls at once', async () => {
    await using server = await startFixture('legacy-http');
    await using remote = await connectRemote(server.url);
    const warnings: unknown[] = [];
    const listen = (warning: Error): void => void warnings.push(warning.message);
    process.on('warning', listen);
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => remote.call('echo', { text: index })),
    );
    process.off('warning', listen);
    expect([answers, warnings]).toEqual([Array.from({ length: 200 }, (_, index) => String(index)), []]);
  });

  test('an answer that is too large costs its call, not the connection', async () => {
    await using server = await startFixture('legacy-http');
    await using remote = await connectRemote(server.url, { messageBytes: 10_000 });
    expect(await remote.failureOf(remote.call('echo', { text: 'x'.repeat(20_000) }))).toMatchObject({
      kind: 'too-large',
    });
    expect(await remote.call('echo', { text: 'on' })).toBe('on');
  });

  test.each([
    [400, true],
    [404, true],
    [405, true],
    [401, false],
    [403, false],
    [429, false],
    [500, false],
    [503, false],
  ])('falls back to SSE after %i: %s', async (status, falls) => {
    await using server = await serveHttp((_, response) => response.writeHead(status).end('no'));
    const failure = await failureOf(connectRemote(`${server.url}/mcp`));
    expect(shouldFallBackToSse(failure)).toBe(falls);
  });

  test('F38: a busy server is told with the time it asks for', async () => {
    await using server = await serveHttp((_, response) =>
      response.writeHead(429, { 'retry-after': '30' }).end(),
    );
    expect(await failureOf(connectRemote(`${server.url}/mcp`))).toMatchObject({
      kind: 'rate-limited',
      retryAfterMs: 30_000,
      retryAt: '1970-01-01T00:00:30.000Z',
    });
  });

  test('T35: a POST that is redirected fails with the place it was sent to, and no token goes there', async () => {
    await using other = await serveHttp((_, response) => response.end());
    await using server = await serveHttp((_, response) =>
      response.writeHead(307, { location: `${other.url}/mcp` }).end(),
    );
    const failure = await failureOf(connectRemote(`${server.url}/mcp`, { token: 'hush' }));
    expect(failure).toMatchObject({
      kind: 'redirect-refused',
      message: `the server redirects to ${other.url}/mcp, which is not followed: it leaves the origin`,
    });
    expect(other.requests).toEqual([]);
  });
});

describe('F34: a connection whose other end has vanished', () => {
  test.each(['legacy-http', 'stateless-http'])(
    'fails a call at its timeout and serves the next on a new socket (%s)',
    async (name) => {
      await using server = await startFixture(name);
      await using proxy = await openFaultProxy(server.port);
      await using remote = await connectRemote(`http://127.0.0.1:${proxy.port}/mcp`);
      await remote.call('echo', { text: 'before' });
      proxy.inject({ blackhole: true });
      const from = performance.now();
      expect(
        await remote.failureOf(remote.call('echo', { text: 'into the dark' }, { timeout: 300 })),
      ).toMatchObject({ kind: 'call-timeout' });
      expect(performance.now() - from).toBeLessThan(1000);
      const before = proxy.connections;
      proxy.inject({});
      const again = performance.now();
      expect(await remote.call('echo', { text: 'after' })).toBe('after');
      expect(performance.now() - again).toBeLessThan(1000);
      expect(proxy.connections).toBeGreaterThan(before);
    },
  );
});

describe('F35: an answer that breaks off', () => {
  test.each(['legacy-http', 'stateless-http'])(
    'ends its call at once and sends it no second time (%s)',
    async (name) => {
      await using server = await startFixture(name);
      await using proxy = await openFaultProxy(server.port);
      await using remote = await connectRemote(`http://127.0.0.1:${proxy.port}/mcp`);
      const call = remote.failureOf(remote.call('hang'));
      await remote.call('echo', { text: 'the other call is on its way' });
      const sent = proxy.requestsAt.length;
      const from = performance.now();
      proxy.cut();
      expect(await call).toMatchObject({ kind: 'connection-lost' });
      expect(performance.now() - from).toBeLessThan(500);
      expect(proxy.requestsAt.length).toBe(sent);
      expect(await remote.call('echo', { text: 'on' })).toBe('on');
    },
  );

  test('politely, without the answer, is no better', async () => {
    await using server = await serveHttp((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(': nothing to say\n\n');
    });
    const transport = await openRemoteTransport(server.url);
    await transport.start();
    expect(await failureOf(transport.send({ jsonrpc: '2.0', id: 1, method: 'ping' }))).toMatchObject({
      kind: 'connection-lost',
      message: 'the stream ended before the answer came',
    });
    await transport.close();
  });

  test('in the middle of JSON is lost too', async () => {
    await using server = await serveHttp((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{"jsonrpc":', () => response.destroy());
    });
    const transport = await openRemoteTransport(server.url);
    await transport.start();
    expect(await failureOf(transport.send({ jsonrpc: '2.0', id: 1, method: 'ping' }))).toMatchObject({
      kind: 'connection-lost',
    });
    await transport.close();
  });
});

/** A server of the older era whose change stream can be resumed: every event has a number, and none is forgotten. */
async function serveResumable(retryMs: number) {
  const log: string[] = [];
  let stream: ServerResponse | undefined;
  const asked: (string | undefined)[] = [];
  const open = (from: number, response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`retry: ${retryMs}\n\n${log.slice(from).join('')}`);
    stream = response;
  };
  const server = await serveHttp((request, response) => {
    if (request.method === 'GET') {
      const last = request.headers['last-event-id'];
      asked.push(String(last));
      return open(last === undefined ? 0 : Number(last), response);
    }
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      if (body === '') return response.writeHead(204).end();
      const { id, method, params } = JSON.parse(body) as {
        id?: number;
        method: string;
        params?: { protocolVersion?: string };
      }; // the client's own messages
      if (id === undefined) return response.writeHead(202).end();
      if (method !== 'initialize') return response.writeHead(400).end();
      const result = {
        protocolVersion: params?.protocolVersion,
        capabilities: { logging: {} },
        serverInfo: { name: 'resumable', version: '1' },
      };
      response
        .writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 's' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
  });
  return {
    server,
    asked,
    tell: (data: number): void => {
      const message = JSON.stringify({
        jsonrpc: '2.0',
        method: 'notifications/message',
        params: { level: 'info', data },
      });
      log.push(`id: ${log.length + 1}\ndata: ${message}\n\n`);
      stream?.write(log.at(-1));
    },
  };
}

describe('F36: a change stream that is cut', () => {
  test('is resumed where it broke, after the time the server asks for, and loses nothing', async () => {
    const { server, asked, tell } = await serveResumable(250);
    await using _ = server;
    await using proxy = await openFaultProxy(server.port);
    await using remote = await connectRemote(`http://127.0.0.1:${proxy.port}/mcp`);
    const heard: number[] = [];
    let onHeard = (): void => undefined;
    remote.client.setNotificationHandler('notifications/message', ({ params }) => {
      heard.push(params.data as number); // as told below
      onHeard();
    });
    const until = (count: number): Promise<void> =>
      new Promise((resolve) => {
        onHeard = () => void (heard.length >= count && resolve());
        onHeard();
      });
    const gaps: number[] = [];
    for (let told = 0; told < 1000; told += 1) {
      tell(told);
      if (told % 200 !== 100) continue;
      await until(told + 1);
      const from = performance.now();
      proxy.cut();
      for (let missed = 1; missed <= 20; missed += 1) tell((told += 1));
      await until(told + 1);
      gaps.push(performance.now() - from);
    }
    await until(1000);
    expect(heard).toEqual(Array.from({ length: 1000 }, (__, index) => index));
    expect(asked).toEqual(['undefined', '101', '301', '501', '701', '901']);
    for (const gap of gaps) {
      expect(gap).toBeGreaterThan(240);
      expect(gap).toBeLessThan(1500);
    }
  });

  test('politely and over and over is opened ever more rarely', async () => {
    await using server = await serveHttp((request, response) => {
      if (request.method !== 'GET') return void response.writeHead(202).end();
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end();
    });
    const delays: number[] = [];
    const transport = await new Promise<ServerTransport>((resolve, reject) => {
      // Every wait is over at once, and written down.
      const setTimer: Clock['setTimer'] = (ms, fire) => {
        if (delays.push(ms) === 7) void opening.then(resolve);
        const soon = setImmediate(fire);
        return () => clearImmediate(soon);
      };
      const opening = openRemoteTransport(server.url, { clock: { now: () => 0, setTimer } });
      opening
        .then(async (opened) => {
          await opened.start();
          await opened.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
        })
        .catch(reject);
    });
    await transport.close();
    expect(delays.slice(0, 7)).toEqual([2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  });

  test('for good ends the connection', async () => {
    const server = await startFixture('legacy-http');
    const clock = createFakeClock();
    const remote = await connectRemote(server.url, { clock });
    while ((await server.facts<Facts>()).gets === 0);
    const hanging = remote.failureOf(remote.call('hang'));
    await server.kill();
    expect((await hanging).kind).toBe('connection-lost');
    const ended = remote.closed.then(() => true);
    while (!(await Promise.race([ended, new Promise<boolean>((resolve) => setImmediate(resolve, false))])))
      await clock.advance(500);
    expect(remote.transport.end).toMatchObject({ cause: { problem: { kind: 'refused' } } });
    expect(await remote.failureOf(remote.call('echo'))).toMatchObject({ kind: 'refused' });
  });
});

describe('F37: a session that the server has forgotten', () => {
  test.each(['404', '400'])('ends the connection for all callers at once (%s)', async (status) => {
    await using server = await startFixture('session-expires', '0', status);
    const remote = await connectRemote(server.url);
    await remote.call('forget');
    const from = performance.now();
    const failures = await Promise.all(
      Array.from({ length: 50 }, () => remote.failureOf(remote.call('echo', { text: 'x' }))),
    );
    expect(failures.map(({ kind }) => kind)).toEqual(Array<string>(50).fill('session-lost'));
    expect(failures[0]).toMatchObject({ retry: 'at-once' });
    await remote.closed;
    expect(performance.now() - from).toBeLessThan(1000);
    expect(
      await remote.failureOf(remote.transport.send({ jsonrpc: '2.0', id: 9, method: 'ping' })),
    ).toMatchObject({ kind: 'session-lost' });

    await using again = await connectRemote(server.url);
    expect(await again.call('echo', { text: 'on' })).toBe('on');
    expect((await server.facts<Facts>()).initialize).toBe(2);
  });

  test('is noticed by the change stream too', async () => {
    let sessions = true;
    await using server = await serveHttp((request, response) => {
      if (request.method === 'GET' && !sessions) return void response.writeHead(404).end();
      if (request.method === 'GET') {
        sessions = false;
        return void response.writeHead(200, { 'content-type': 'text/event-stream' }).end('retry: 200\n\n');
      }
      let body = '';
      request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      request.on('end', () => {
        if (body === '') return response.writeHead(204).end();
        if (body === '') return response.writeHead(204).end();
        const { id, method } = JSON.parse(body) as { id?: number; method: string }; // the client's own messages
        if (id === undefined) return response.writeHead(202).end();
        if (method !== 'initialize') return response.writeHead(400).end();
        const result = {
          protocolVersion: '2025-11-25',
          capabilities: {},
          serverInfo: { name: 'forgets', version: '1' },
        };
        response
          .writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 's' })
          .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      });
    });
    const remote = await connectRemote(server.url);
    await remote.closed;
    expect(remote.transport.end).toMatchObject({ cause: { problem: { kind: 'session-lost' } } });
  });
});
