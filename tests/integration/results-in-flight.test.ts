/** Large results that arrive together: a host holds only so many that nobody has taken, and what is not read is not lost. */

import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import type { Host } from '../../src/host/host.ts';
import type { ServerConfig } from '../../src/roster/server-config.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { openHostFixture, type HostFixture } from '../support/host-fixture.ts';
import { until } from '../support/processes.ts';
import { startFixture } from '../support/remote-fixture.ts';

const mebibyte = 1 << 20;

type Servers = Readonly<Record<string, ServerConfig>>;

/** A host with small limits, and a gate that results wait at before their callers get them. */
interface Scene extends AsyncDisposable {
  readonly host: Host;
  readonly clock: ReturnType<typeof createFakeClock>;
  /** Results that have reached the gate. */
  readonly arrived: () => number;
  readonly openGate: () => void;
}

async function openScene(
  limits: Readonly<Record<string, number>>,
  servers: (fixture: HostFixture) => Servers,
): Promise<Scene> {
  const fixture = await openHostFixture();
  await mkdir(path.join(fixture.home, '.holt'));
  await writeFile(path.join(fixture.home, '.holt', 'config.json'), JSON.stringify({ limits }));
  const clock = createFakeClock();
  let arrived = 0;
  let openGate = (): void => undefined;
  const gate = new Promise<void>((resolve) => (openGate = resolve));
  const wait = async ({ tool }: { readonly tool: string }): Promise<void> => {
    if (tool !== 'heavy') return;
    arrived += 1;
    await gate;
  };
  const host = await fixture.open(
    { policy: { default: 'allow' }, servers: servers(fixture), hooks: { 'tool.execute.after': wait } },
    { clock, wallNow: () => clock.now() },
  );
  return {
    host,
    clock,
    arrived: () => arrived,
    openGate: () => openGate(),
    [Symbol.asyncDispose]: async () => {
      openGate();
      let isClosed = false;
      const close = async (): Promise<void> => {
        await fixture[Symbol.asyncDispose]();
        isClosed = true;
      };
      const closing = close();
      await until(() => {
        void clock.advance(500);
        return isClosed;
      }, 10_000);
      await closing;
    },
  };
}

const heavy = (host: Host, bytes: number, options?: Parameters<Host['call']>[2]) =>
  host.call('mcp__big__heavy', { bytes }, options);

/** Calls another server until nothing has arrived for `quietMs`, and gives the number of calls. */
async function callOther(host: Host, arrived: () => number, quietMs: number): Promise<number> {
  let [calls, seen, since] = [0, arrived(), performance.now()];
  for (; performance.now() - since < quietMs; calls += 1) {
    expect((await host.call('mcp__other__echo', { text: 'hi' })).text).toBe('hi');
    if (arrived() !== seen) [seen, since] = [arrived(), performance.now()];
  }
  return calls;
}

/** How a server that sends large results is reached, and what ends with it. */
async function openBig(
  form: string,
): Promise<{ readonly config: (fixture: HostFixture) => ServerConfig } & AsyncDisposable> {
  if (form === 'stdio')
    return {
      config: (fixture) => fixture.program('heavy-results'),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  const serverName = { ws: 'ws', sse: 'sse-only' }[form] ?? 'heavy-results-http';
  const server = await startFixture(serverName, '0', form);
  const type = form === 'ws' || form === 'sse' ? ({ type: form } as const) : {};
  return {
    config: () => ({ ...type, url: server.url }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

const forms = ['stdio', 'json', 'events', 'gzip', 'ws', 'sse'] as const;

describe.each(forms)('large results over %s', (form) => {
  test('T122: wait in the server while those before them are not taken, and all arrive in the end', async () => {
    await using big = await openBig(form);
    await using scene = await openScene({ inFlightBytes: 8 * mebibyte }, (fixture) => ({
      big: big.config(fixture),
      other: fixture.program('echo'),
    }));
    const { host, arrived, openGate } = scene;
    await host.connect();
    const before = process.memoryUsage().rss;
    let peak = before;
    const look = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 5);

    const startedAt = performance.now();
    const calls = Array.from({ length: 24 }, async () => (await heavy(host, 3 * mebibyte)).ok);
    await until(() => arrived() > 0, 20_000);
    // Another server's calls are not held up, and what is over the limit does not arrive meanwhile.
    const firstMs = performance.now() - startedAt;
    expect(await callOther(host, arrived, 4 * firstMs)).toBeGreaterThan(10);
    clearInterval(look);
    expect(arrived()).toBeLessThanOrEqual(4);
    // 24 results are 72 MiB, and each of them exists several times while it is read.
    expect((peak - before) / (8 * mebibyte)).toBeLessThan(12);

    openGate();
    expect(await Promise.all(calls)).toEqual(Array.from({ length: 24 }, () => true));
    expect(arrived()).toBe(24);
  });

  test('T122: a result larger than all that may be in flight arrives', async () => {
    await using big = await openBig(form);
    await using scene = await openScene({ inFlightBytes: 64 << 10 }, (fixture) => ({
      big: big.config(fixture),
    }));
    scene.openGate();
    const results = await Promise.all([1, 2, 3].map(() => heavy(scene.host, 2 * mebibyte)));
    expect(results.map(({ ok, content }) => [ok, content[0]])).toEqual(
      [1, 2, 3].map(() => [true, { type: 'text', text: 'x'.repeat(2 * mebibyte) }]),
    );
  });
});

test('T122: a call whose answer is not read ends at its time limit', async () => {
  await using scene = await openScene({ inFlightBytes: 2 * mebibyte }, (fixture) => ({
    big: fixture.program('heavy-results'),
  }));
  const { host, arrived, clock, openGate } = scene;
  await host.connect();
  const patient = [1, 2].map(() => heavy(host, 2 * mebibyte));
  await until(() => arrived() > 0, 10_000);
  const late = heavy(host, 2 * mebibyte, { timeoutMs: 1000 });
  let isOver = false;
  void late.finally(() => (isOver = true));
  await until(() => {
    void clock.advance(100);
    return isOver;
  }, 10_000);
  expect(await late).toMatchObject({ ok: false, error: { code: 'call-timeout' } });
  openGate();
  expect((await Promise.all(patient)).map(({ ok }) => ok)).toEqual([true, true]);
});

test('T122: halves of messages from several servers do not block each other', async () => {
  const names = ['a', 'b', 'c', 'd'];
  await using scene = await openScene({ inFlightBytes: mebibyte }, (fixture) =>
    Object.fromEntries(names.map((name) => [name, fixture.program('heavy-results')])),
  );
  scene.openGate();
  const { host } = scene;
  await host.connect();
  const results = await Promise.all(
    names.flatMap((name) => [1, 2].map(() => host.call(`mcp__${name}__heavy`, { bytes: 4 * mebibyte }))),
  );
  expect(results.map(({ ok }) => ok)).toEqual(Array.from({ length: 8 }, () => true));
});

describe.each(['stateless', 'stateful'])('a program of the %s era', (era) => {
  test.each([
    [
      'T121: that sends much structure in little text',
      { count: 4000 },
      'with more than 10000 structural characters (limits.messageNodes)',
    ],
    [
      'T134: that sends what is nested too deeply',
      { levels: 2500 },
      'that is nested more than 2000 levels deep',
    ],
  ])('%s costs its call, is started again, and answers', async (_, given, reason) => {
    await using scene = await openScene({ messageNodes: 10_000 }, (fixture) => ({
      big: fixture.program('heavy-results', era),
    }));
    const { host } = scene;
    expect(await host.call('mcp__big__brackets', { count: 3000 })).toMatchObject({ ok: true });
    const calls = [host.call('mcp__big__brackets', given)];
    expect(await Promise.all(calls)).toMatchObject([
      {
        ok: false,
        error: {
          code: 'connection-lost',
          message: expect.stringContaining(`sent a message ${reason}`),
        },
      },
    ]);
    const next = host.call('mcp__big__echo', { text: 'still here' });
    let isOver = false;
    void next.finally(() => (isOver = true));
    await until(() => {
      void scene.clock.advance(100);
      return isOver;
    }, 10_000);
    expect(await next).toMatchObject({ ok: true, text: 'still here' });
  });
});
