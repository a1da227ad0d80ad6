/** What a host does with servers somewhere else: three transports, two eras, and sessions that are forgotten. */

import http from 'node:http';
import type { AddressInfo } from 'node:net';

import { describe, expect, test } from 'vitest';

import { HoltError } from '../../src/kernel/errors.ts';
import { clientOf, nextStatus, openHostFixture } from '../support/host-fixture.ts';
import { startFixture } from '../support/remote-fixture.ts';

const echo = { name: 'echo', arguments: { text: 'over there' } };

describe('a remote server', () => {
  test.each([
    ['legacy-http', 'http', 'stateful'],
    ['stateless-http', 'http', 'stateless'],
    ['ws', 'ws', 'stateless'],
    ['sse-only', 'sse', 'stateful'],
  ] as const)(
    '%s is spoken to in its own way, the second time without a question',
    async (name, type, era) => {
      await using fixture = await openHostFixture();
      await using remote = await startFixture(name);
      for (const round of [1, 2]) {
        const host = await fixture.open({ servers: { there: { type, url: remote.url } } });
        expect([round, await host.connect('there')]).toEqual([round, { status: 'connected' }]);
        expect([
          host.report()['there']?.era,
          JSON.stringify(await (await clientOf(host, 'there')).callTool(echo)),
        ]).toEqual([era, expect.stringContaining('over there')]);
        await host.close();
      }
      const { discover } = await remote.facts<{ discover?: number }>();
      if (name === 'stateless-http') expect(discover).toBe(1);
    },
  );

  test('that only speaks the older transport is found by falling back, once, and remembered', async () => {
    await using fixture = await openHostFixture();
    await using remote = await startFixture('sse-only');
    for (const refused of [2, 2]) {
      const host = await fixture.open({ servers: { there: { type: 'http', url: remote.url } } });
      expect(await host.connect('there')).toEqual({ status: 'connected' });
      await host.close();
      expect((await remote.facts<{ refused: number }>()).refused).toBe(refused);
    }
  });

  test('that is not there says so', async () => {
    await using fixture = await openHostFixture();
    const gone = await startFixture('legacy-http');
    await gone.kill();
    const host = await fixture.open({ servers: { there: { type: 'http', url: gone.url } } });
    expect(await host.connect('there')).toEqual({
      status: 'failed',
      error: expect.stringMatching(/^Failed to connect to "there": .*refused/),
    });
  });

  test.each([
    [401, { status: 'needs_auth' }],
    [
      404,
      {
        status: 'failed',
        error: expect.stringMatching(/^Failed to connect to "there": Streamable HTTP: .*404.*; SSE: .*404/),
      },
    ],
    [500, { status: 'failed', error: expect.stringMatching(/500/) }],
  ])('that answers %i to everything has a status of its own', async (code, status) => {
    await using fixture = await openHostFixture();
    await using server = await refusing(code);
    const host = await fixture.open({ servers: { there: { type: 'http', url: server.url } } });
    expect(await host.connect('there')).toEqual(status);
  });

  test('F38: that sends Retry-After gets no request before that time', async () => {
    await using fixture = await openHostFixture();
    await using server = await refusing(503, { 'retry-after': '1' });
    const host = await fixture.open({ servers: { there: { type: 'http', url: server.url } } });
    const settled = await host.connect('there');
    expect(settled).toEqual({ status: 'connecting', phase: expect.any(String), retryAt: expect.any(String) });
    const asked = server.times.length;
    await new Promise((resolve) => server.onNext(resolve));
    expect((server.times[asked] ?? 0) - (server.times[asked - 1] ?? 0)).toBeGreaterThanOrEqual(1000);
  });

  test('F37: that forgets its sessions is initialized once more for all callers', async () => {
    await using fixture = await openHostFixture();
    await using remote = await startFixture('session-expires');
    const { host, supervisor } = await fixture.openWithin({
      servers: { there: { type: 'http', url: remote.url } },
    });
    await host.connect('there');
    const connection = supervisor.connections.get('there');
    if (connection === undefined) throw new Error('there is no such server');
    const call = (isSafe: boolean): Promise<unknown> =>
      connection
        .use((session, request) => session.call('tools/call', echo, request), { isSafe })
        .catch((error: unknown) => error);
    await connection.use((session, request) =>
      session.call('tools/call', { name: 'forget', arguments: {} }, request),
    );
    const results = await Promise.all(Array.from({ length: 50 }, (_, at) => call(at % 2 === 0)));
    const words = results.map((result) =>
      HoltError.is(result) ? result.code : JSON.stringify(result).includes('over there'),
    );
    expect(new Set(words.filter((_, at) => at % 2 === 0))).toEqual(new Set([true]));
    expect(
      words
        .filter((_, at) => at % 2 === 1)
        .every((word) => word === true || word === 'session-lost' || word === 'connection-lost'),
    ).toBe(true);
    expect((await remote.facts<{ initialize: number }>()).initialize).toBe(2);
    expect(JSON.stringify(await call(false))).toContain('over there');
  });

  test('that goes down and comes up again is reconnected', async () => {
    await using fixture = await openHostFixture();
    const first = await startFixture('sse-only');
    const host = await fixture.open(
      { servers: { there: { type: 'sse', url: first.url } } },
      // A few tries must last until it is back, however slow the machine.
      { backoff: { firstMs: 250 } },
    );
    await host.connect('there');
    const lost = nextStatus(host, 'there', 'connecting');
    await first.kill();
    await lost;
    const back = nextStatus(host, 'there', 'connected');
    await using _ = await startFixture('sse-only', String(first.port));
    await back;
    expect(JSON.stringify(await (await clientOf(host, 'there')).callTool(echo))).toContain('over there');
  });
});

async function refusing(status: number, headers: Record<string, string> = {}) {
  const times: number[] = [];
  let onNext: (() => void) | undefined;
  const server = http.createServer((request, response) => {
    request.resume();
    times.push(performance.now());
    response.writeHead(status, headers).end();
    onNext?.();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    times,
    onNext: (then: (value?: unknown) => void) => {
      onNext = () => then();
    },
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
