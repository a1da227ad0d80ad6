import { getEventListeners } from 'node:events';
import net, { type LookupFunction } from 'node:net';
import { gzipSync } from 'node:zlib';

import { describe, expect, test } from 'vitest';

import { openFaultProxy } from '../../tests/fixtures/fault-proxy.mjs';
import { openBlackHole } from '../../tests/support/black-hole.ts';
import { createFakeClock } from '../../tests/support/fake-clock.ts';
import { serveHttp } from '../../tests/support/http-servers.ts';
import { makeNetwork, openRemote, problemOf } from '../../tests/support/networks.ts';

describe('a request', () => {
  test('brings its answer, with the headers of its own origin', async () => {
    await using server = await serveHttp((request, response) => response.end(request.headers['x-key']));
    await using remote = openRemote(server.url, {}, { headers: { 'x-key': 'hush' } });
    const response = await remote.fetch(`${server.url}/mcp`);
    expect([response.status, await response.text(), server.requests[0]?.headers['user-agent']]).toEqual([
      200,
      'hush',
      'holt',
    ]);
  });

  test('to another origin carries none of them', async () => {
    await using other = await serveHttp((request, response) =>
      response.end(String(request.headers['x-key'])),
    );
    await using remote = openRemote('https://own.test', {}, { headers: { 'x-key': 'hush' } });
    expect(await (await remote.fetch(other.url)).text()).toBe('undefined');
  });

  test('keeps what its caller set over what is configured', async () => {
    await using server = await serveHttp((request, response) => response.end(request.headers.authorization));
    await using remote = openRemote(server.url, {}, { headers: { Authorization: 'Bearer configured' } });
    const response = await remote.fetch(server.url, { headers: { authorization: 'Bearer fresh' } });
    expect(await response.text()).toBe('Bearer fresh');
  });

  test('lets go of a long-lived signal when its answer is over', async () => {
    await using server = await serveHttp((_, response) => response.end('done'));
    await using remote = openRemote(server.url);
    const { signal } = new AbortController();
    const warnings: unknown[] = [];
    process.on('warning', (warning) => warnings.push(warning));
    await Promise.all(
      Array.from({ length: 40 }, async () => (await remote.fetch(server.url, { signal })).text()),
    );
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    process.removeAllListeners('warning');
    expect(warnings).toEqual([]);
  });

  test('is given up by its own signal, by the hook beside it, and by closing', async () => {
    await using server = await serveHttp(() => undefined);
    await using remote = openRemote(server.url);
    const own = new AbortController();
    const first = remote
      .fetch(server.url, { signal: own.signal })
      .catch((error: unknown) => (error as Error).name); // errors only
    const ends: unknown[] = [];
    const onEnd = (failure: unknown): void => void ends.push(failure);
    const second = problemOf(
      remote.fetch(server.url, {}, { onEnd, onAbortable: (abort) => setImmediate(abort) }),
    );
    const third = problemOf(remote.fetch(server.url));
    own.abort();
    expect([await first, (await second).kind, ends.length]).toEqual(['AbortError', 'lost', 1]);
    await remote.close();
    expect(await third).toMatchObject({ kind: 'lost' });
  });
});

describe('the size of an answer', () => {
  const big = 'x'.repeat(5000);
  const limited = { messageBytes: 1000 };

  test.each([
    [
      'announced',
      (body: string) => ({ body: Buffer.from(body), headers: { 'content-length': String(body.length) } }),
    ],
    ['not announced', (body: string) => ({ body: Buffer.from(body), headers: {} })],
    ['compressed', (body: string) => ({ body: gzipSync(body), headers: { 'content-encoding': 'gzip' } })],
  ])('is limited when %s', async (_, make) => {
    const { body, headers } = make(big);
    await using server = await serveHttp((__, response) => {
      response.writeHead(200, headers);
      response.end(body);
    });
    await using remote = openRemote(server.url, {}, limited);
    const read = async (): Promise<string> => await (await remote.fetch(server.url)).text();
    expect(await problemOf(read())).toEqual({ kind: 'too-large', limitBytes: 1000 });
  });

  test('is per event in a stream', async () => {
    await using server = await serveHttp((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end('data: 1\n\n'.repeat(1000));
    });
    await using remote = openRemote(server.url, {}, limited);
    expect(await (await remote.fetch(server.url)).text()).toHaveLength(9000);
  });
});

describe('F35: an answer that breaks', () => {
  test.each([
    ['is reset', { resetAfterBytes: 400 }],
    ['ends too early', { endAfterBytes: 400 }],
  ])('and %s is told as lost', async (_, fault) => {
    await using server = await serveHttp((__, response) => response.end('x'.repeat(1000)));
    await using proxy = await openFaultProxy(server.port, fault);
    const url = `http://127.0.0.1:${proxy.port}`;
    await using remote = openRemote(url);
    const ends: unknown[] = [];
    const read = async (): Promise<string> =>
      await (await remote.fetch(url, {}, { onEnd: (failure) => ends.push(failure?.problem.kind) })).text();
    await expect(read()).rejects.toThrow('terminated');
    expect(ends).toEqual(['lost']);
  });

  test('before its first byte is lost too', async () => {
    await using server = await serveHttp((request) => request.socket.destroy());
    await using remote = openRemote(server.url);
    expect(await problemOf(remote.fetch(server.url))).toMatchObject({
      kind: 'lost',
      host: `127.0.0.1:${server.port}`,
    });
  });

  test('that comes in single bytes is whole', async () => {
    await using server = await serveHttp((_, response) => response.end('hellö'));
    await using proxy = await openFaultProxy(server.port, { dripBytes: 1, latencyMs: 1 });
    const url = `http://127.0.0.1:${proxy.port}`;
    await using remote = openRemote(url);
    expect(await (await remote.fetch(url)).text()).toBe('hellö');
  });
});

describe('T35: a redirect', () => {
  const statuses = [301, 302, 303, 307, 308];

  test.each(statuses)(
    '%i to another origin is refused, and the bearer is never seen there',
    async (status) => {
      await using other = await serveHttp((_, response) => response.end());
      await using server = await serveHttp((_, response) =>
        response.writeHead(status, { location: `${other.url}/inside` }).end(),
      );
      await using remote = openRemote(server.url, {}, { headers: { authorization: 'Bearer hush' } });
      for (const method of ['GET', 'POST', 'DELETE']) {
        const problem = await problemOf(remote.fetch(server.url, { method }));
        expect(problem).toEqual({
          kind: 'redirect-refused',
          to: `${other.url}/inside`,
          reason: 'it leaves the origin',
        });
      }
      expect(other.requests).toEqual([]);
    },
  );

  test.each(statuses)(
    '%i within the origin is followed by a GET, up to three times, and by no POST',
    async (status) => {
      await using server = await serveHttp((request, response) => {
        const hop = Number(new URL(request.url ?? '', 'http://x').searchParams.get('hop'));
        if (hop === 0) response.end('there');
        else response.writeHead(status, { location: `/mcp?hop=${hop - 1}` }).end();
      });
      await using remote = openRemote(server.url, {}, { headers: { authorization: 'Bearer own' } });
      expect(await (await remote.fetch(`${server.url}/mcp?hop=3`)).text()).toBe('there');
      expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(
        Array(4).fill('Bearer own'),
      );
      expect(await problemOf(remote.fetch(`${server.url}/mcp?hop=4`))).toMatchObject({
        reason: 'more than 3 in a row',
      });
      expect(
        await problemOf(remote.fetch(`${server.url}/mcp?hop=1`, { method: 'POST', body: '{}' })),
      ).toMatchObject({ reason: 'a POST is never sent on' });
    },
  );
});

describe('F38: a server that asks for time', () => {
  test.each([429, 503])('with %i is left alone until then, by everybody', async (status) => {
    let count = 0;
    await using server = await serveHttp((_, response) => {
      count += 1;
      response.writeHead(count === 1 ? status : 200, { 'retry-after': '10' }).end('now');
    });
    const clock = createFakeClock();
    const network = makeNetwork({ clock });
    const open = () => network.open({ origin: server.url, headers: {}, messageBytes: 1000 });
    const [first, second] = [open(), open()];
    expect(await problemOf(first.fetch(server.url))).toMatchObject({
      kind: 'rate-limited',
      status,
      retryAfterMs: 10_000,
    });
    await clock.advance(9999);
    expect(await problemOf(second.fetch(server.url))).toMatchObject({
      kind: 'rate-limited',
      retryAfterMs: 1,
    });
    expect(count).toBe(1);
    await clock.advance(1);
    expect(await (await second.fetch(server.url)).text()).toBe('now');
    await Promise.all([first.close(), second.close()]);
  });

  test('for ever is left alone for five minutes; without a time the next request may go', async () => {
    let headers: Record<string, string> = { 'retry-after': '999999999' };
    await using server = await serveHttp((_, response) => response.writeHead(429, headers).end());
    const clock = createFakeClock();
    await using remote = openRemote(server.url, { clock });
    expect(await problemOf(remote.fetch(server.url))).toMatchObject({ retryAfterMs: 300_000 });
    await clock.advance(300_000);
    headers = {};
    const problem = { kind: 'rate-limited', host: `127.0.0.1:${server.port}`, status: 429 };
    expect([await problemOf(remote.fetch(server.url)), await problemOf(remote.fetch(server.url))]).toEqual([
      problem,
      problem,
    ]);
    expect(server.requests).toHaveLength(3);
  });
});

describe('F40: a host that cannot be reached', () => {
  test('by name, by port, and in time is told apart', async () => {
    await using remote = openRemote('http://a.test', { connectMs: 100 });
    const unused = await freePort();
    expect(await problemOf(remote.fetch('http://nowhere.example/'))).toEqual({
      kind: 'dns',
      host: 'nowhere.example',
      code: 'ENOTFOUND',
    });
    expect(await problemOf(remote.fetch(`http://a.test:${unused}/`))).toEqual({
      kind: 'refused',
      host: `a.test:${unused}`,
    });
    await using slow = openRemote('http://a.test', { connectMs: 100, lookup: () => undefined });
    expect(await problemOf(slow.fetch('http://slow.test/'))).toEqual({
      kind: 'connect-timeout',
      host: 'slow.test',
      afterMs: 100,
    });
  });

  test('on its first address is reached on the next one', async () => {
    await using server = await serveHttp((_, response) => response.end('here'));
    await using hole = await openBlackHole(server.port);
    const lookup: LookupFunction = (_, __, answer) =>
      answer(null, [
        { address: hole.address, family: net.isIP(hole.address) },
        { address: '127.0.0.1', family: 4 },
      ]);
    await using remote = openRemote('http://two.test', { lookup });
    const from = performance.now();
    expect(await (await remote.fetch(`http://two.test:${server.port}`)).text()).toBe('here');
    const tookMs = performance.now() - from;
    expect(tookMs).toBeLessThan(3000);
    expect(tookMs).toBeGreaterThan(process.platform === 'linux' ? 1400 : 0);
  });

  test('on none of them is given up in time', async () => {
    await using server = await serveHttp((_, response) => response.end('here'));
    await using hole = await openBlackHole(server.port);
    const lookup: LookupFunction = (_, __, answer) =>
      answer(null, [{ address: hole.address, family: net.isIP(hole.address) }]);
    await using remote = openRemote('http://one.test', { lookup, connectMs: 200 });
    const kind = process.platform === 'linux' ? 'connect-timeout' : 'refused';
    expect(await problemOf(remote.fetch(`http://one.test:${server.port}`))).toMatchObject({ kind });
  });

  test('on any address is told once, with the last reason', async () => {
    const unused = await freePort();
    const lookup: LookupFunction = (_, __, answer) =>
      answer(null, [
        { address: '::1', family: 6 },
        { address: '127.0.0.1', family: 4 },
      ]);
    await using remote = openRemote('http://two.test', { lookup });
    expect(await problemOf(remote.fetch(`http://two.test:${unused}`))).toEqual({
      kind: 'refused',
      host: `two.test:${unused}`,
    });
  });
});

async function freePort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as net.AddressInfo; // it listens on a port
  await new Promise((resolve) => server.close(resolve));
  return port;
}
