import { afterEach, describe, expect, test } from 'vitest';

import { createFakeClock } from '../../tests/support/fake-clock.ts';
import { connectTo, type FakeConnectionOptions } from '../../tests/support/fake-connection.ts';
import {
  createFakeServer,
  fakeTool,
  statefulServer,
  statelessServer,
  type FakeServer,
} from '../../tests/support/fake-server.ts';
import { HoltError } from '../kernel/errors.ts';
import { NetworkFailure } from '../network/network-failure.ts';
import { TransportFailure } from '../transports/server-transport.ts';

const open: { disconnect(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((connection) => connection.disconnect()));
});

function connected(server: FakeServer, options: FakeConnectionOptions = {}) {
  const clock = createFakeClock();
  const world = connectTo(server, { clock, ...options });
  open.push(world.connection);
  return { clock, ...world };
}

const offer = () => ({ tools: [fakeTool('a')] });
const callA = { name: 'a', arguments: {} };

describe('a server that dies', () => {
  test('is started again after half a second, and its calls work again', async () => {
    const server = createFakeServer(statefulServer(offer));
    const { clock, connection } = connected(server);
    await connection.connect();
    server.transports[0]?.exit(1);
    expect(connection.status()).toEqual({
      status: 'connecting',
      phase: 'cleaning_up',
      retryAt: '1970-01-01T00:00:00.500Z',
    });
    await clock.advance(499);
    expect(server.transports).toHaveLength(1);
    await clock.advance(1);
    expect([server.transports.length, connection.status()]).toEqual([2, { status: 'connected' }]);
    const again = connection.use((session, request) => session.call('tools/call', callA, request));
    expect(await again).toMatchObject({ content: [{ type: 'text', text: 'done' }] });
  });

  test('F19: is given up after five tries in five minutes, with the last lines of its stderr', async () => {
    const stateful = statefulServer(offer);
    const server = createFakeServer((asked, transport) => {
      transport.stderr = Array.from({ length: 30 }, (_, line) => `line ${line + 1}`).join('\n');
      // It comes up and dies as soon as it is used.
      if (asked.method === 'tools/list') queueMicrotask(() => setImmediate(() => transport.exit(3)));
      return stateful(asked, transport);
    });
    const { clock, connection } = connected(server);
    await connection.connect();
    await clock.advance(60_000);
    expect(server.transports).toHaveLength(6);
    const status = connection.status();
    expect(status).toEqual({
      status: 'failed',
      error: expect.stringMatching(/keeps failing.*\nline 11\n[^]*line 30$/s),
    });
    const refused = await connection.ready().catch((error: unknown) => error);
    expect(refused).toMatchObject({
      code: 'connection-lost',
      message: status.status === 'failed' ? status.error : '',
      remedy: 'connect("fake") starts it again.',
    });
    await clock.advance(3_600_000);
    expect(server.transports).toHaveLength(6);
    expect(await connection.connect()).toEqual({ status: 'connected' });
  });

  test('fails the calls in flight at once, each with connection-lost', async () => {
    const stateful = statefulServer(offer);
    const server = createFakeServer((asked, transport) =>
      asked.method === 'tools/call' ? 'silence' : stateful(asked, transport),
    );
    const { connection, steps } = connected(server);
    await connection.connect();
    const calls = Array.from({ length: 10 }, () =>
      connection
        .use((session, request) => session.call('tools/call', callA, request))
        .catch((error: unknown) => error),
    );
    await new Promise((resolve) => setImmediate(resolve));
    expect(steps().at(-1)).toBe('ready>executing');
    server.transports[0]?.exit(9);
    const errors = await Promise.all(calls);
    expect(errors.map((error) => HoltError.is(error) && error.code)).toEqual(
      Array.from({ length: 10 }, () => 'connection-lost'),
    );
    expect(steps().slice(-2)).toEqual(['executing>failed', 'failed>cleaning_up']);
  });

  test('does what is safe to do twice once more, when it is back', async () => {
    const stateful = statefulServer(offer);
    const server = createFakeServer((asked, transport) =>
      asked.method === 'tools/call' && asked.start === 1 ? 'exit' : stateful(asked, transport),
    );
    const { clock, connection } = connected(server);
    await connection.connect();
    const safe = connection.use((session, request) => session.call('tools/call', callA, request), {
      isSafe: true,
    });
    await clock.advance(500);
    expect(await safe).toMatchObject({ content: [{ text: 'done' }] });
    expect(server.methods().filter((method) => method === 'tools/call')).toHaveLength(2);
  });

  test('is not started again once it was disconnected', async () => {
    const server = createFakeServer(statefulServer(offer));
    const { clock, connection } = connected(server);
    await connection.connect();
    server.transports[0]?.exit(1);
    await connection.disconnect();
    await clock.advance(60_000);
    expect([server.transports.length, connection.status()]).toEqual([1, { status: 'idle' }]);
  });

  test('a call during the wait is served when it is over', async () => {
    const server = createFakeServer(statefulServer(offer));
    const { clock, connection } = connected(server);
    await connection.connect();
    server.transports[0]?.exit(1);
    const call = connection.use((session, request) => session.call('tools/call', callA, request));
    await clock.advance(500);
    expect(await call).toMatchObject({ content: [{ text: 'done' }] });
  });
});

describe('calls', () => {
  test('connect an idle server first', async () => {
    const server = createFakeServer(statefulServer(offer));
    const { connection } = connected(server);
    expect(connection.status()).toEqual({ status: 'idle' });
    await connection.use((session, request) => session.call('tools/call', callA, request));
    expect(connection.status()).toEqual({ status: 'connected' });
  });

  test('ready and executing follow their number', async () => {
    const stateful = statefulServer(offer);
    const answers: (() => void)[] = [];
    const server = createFakeServer(async (asked, transport) => {
      if (asked.method === 'tools/call') await new Promise<void>((resolve) => answers.push(resolve));
      return stateful(asked, transport);
    });
    const { connection, steps } = connected(server);
    await connection.connect();
    const before = steps().length;
    const calls = [1, 2].map(() =>
      connection.use((session, request) => session.call('tools/call', callA, request)),
    );
    await new Promise((resolve) => setImmediate(resolve));
    expect(steps().slice(before)).toEqual(['ready>executing']);
    answers[0]?.();
    await calls[0];
    expect(steps().slice(before)).toEqual(['ready>executing']);
    answers[1]?.();
    await calls[1];
    expect(steps().slice(before)).toEqual(['ready>executing', 'executing>ready']);
  });

  test('F17: one that hangs is called off at the server, which stays connected', async () => {
    const stateful = statefulServer(offer);
    let hangs = true;
    const server = createFakeServer((asked, transport) =>
      asked.method === 'tools/call' && hangs ? 'silence' : stateful(asked, transport),
    );
    const { clock, connection, steps } = connected(server, { timeouts: { idleMs: 1000 } });
    await connection.connect();
    const call = connection
      .use((session, request) => session.call('tools/call', callA, request))
      .catch((error: unknown) => error);
    await clock.advance(1000);
    const error = await call;
    expect(HoltError.is(error, 'call-timeout') && error.details).toEqual({
      server: 'fake',
      limit: 'idle',
      afterMs: 1000,
    });
    expect(server.methods()).toContain('notifications/cancelled');
    expect([connection.status(), steps().at(-1)]).toEqual([{ status: 'connected' }, 'executing>ready']);
    hangs = false;
    expect(
      await connection.use((session, request) => session.call('tools/call', callA, request)),
    ).toMatchObject({
      content: [{ text: 'done' }],
    });
    // It had to show that it lives before it was used again.
    expect(server.methods().filter((method) => method === 'ping')).toHaveLength(1);
    expect(server.transports).toHaveLength(1);
  });

  test('a caller who has had enough gets their own reason back', async () => {
    const stateful = statefulServer(offer);
    const server = createFakeServer((asked, transport) =>
      asked.method === 'tools/call' ? 'silence' : stateful(asked, transport),
    );
    const { connection } = connected(server);
    await connection.connect();
    const user = new AbortController();
    const call = connection.use((session, request) => session.call('tools/call', callA, request), {
      signal: user.signal,
    });
    await new Promise((resolve) => setImmediate(resolve));
    const reason = new Error('enough');
    user.abort(reason);
    await expect(call).rejects.toBe(reason);
  });

  test.each([['a disabled server', { enabled: false }, 'server-disabled']] as const)(
    'on %s are refused with its reason',
    async (_, change, code) => {
      const server = createFakeServer(statefulServer(offer));
      const { connection, entry } = connected(server);
      connection.update({ ...entry, definition: { ...entry.definition, ...change } });
      expect(await connection.connect()).toEqual({ status: 'disabled' });
      const error = await connection.use(() => Promise.resolve(1)).catch((thrown: unknown) => thrown);
      expect(HoltError.is(error) && error.code).toBe(code);
      expect(server.transports).toHaveLength(0);
    },
  );
});

describe('a connection that looks alive', () => {
  test('F45: and does not answer after a call ran out of time is replaced at the next one', async () => {
    const stateful = statefulServer(offer);
    const server = createFakeServer((asked, transport) =>
      asked.start === 1 && (asked.method === 'tools/call' || asked.method === 'ping')
        ? 'silence'
        : stateful(asked, transport),
    );
    const { clock, connection } = connected(server, { timeouts: { idleMs: 1000 } });
    await connection.connect();
    const hung = connection
      .use((session, request) => session.call('tools/call', callA, request))
      .catch((error: unknown) => error);
    await clock.advance(1000);
    await hung;
    const next = connection.use((session, request) => session.call('tools/call', callA, request));
    await clock.advance(1999);
    expect(server.transports).toHaveLength(1);
    await clock.advance(1);
    expect(await next).toMatchObject({ content: [{ text: 'done' }] });
    expect(server.transports).toHaveLength(2);
  });

  test('F44: is looked at once after a sleep, however many calls come, and kept when it answers', async () => {
    const server = createFakeServer(statefulServer(offer));
    const { clock, connection } = connected(server);
    await connection.connect();
    clock.freeze(3_600_000);
    await Promise.all(
      Array.from({ length: 5 }, () =>
        connection.use((session, request) => session.call('tools/call', callA, request)),
      ),
    );
    expect(server.methods().filter((method) => method === 'ping')).toHaveLength(1);
    expect(server.transports).toHaveLength(1);
  });

  test('F44: a stateless one is asked in its own way', async () => {
    const server = createFakeServer(statelessServer(offer));
    const { clock, connection } = connected(server);
    await connection.connect();
    clock.freeze(3_600_000);
    await connection.use((session, request) => session.call('tools/call', callA, request));
    expect(server.methods().filter((method) => method === 'server/discover')).toHaveLength(2);
  });
});

describe('a remote server', () => {
  const lost = () => new TransportFailure({ kind: 'session-lost' });

  test('F37: that has forgotten the session is greeted once for fifty callers', async () => {
    const stateful = statefulServer(offer);
    const server = createFakeServer((asked, transport) => {
      if (asked.method !== 'tools/call' || asked.start > 1) return stateful(asked, transport);
      setImmediate(() => transport.exit(null, { cause: lost() }));
      return 'silence';
    }, false);
    const { connection } = connected(server, { kind: 'http' });
    await connection.connect();
    const calls = Array.from({ length: 50 }, (_, index) =>
      connection
        .use((session, request) => session.call('tools/call', callA, request), {
          isSafe: index % 2 === 0,
        })
        .catch((error: unknown) => error),
    );
    const results = await Promise.all(calls);
    const safe = results.filter((_, index) => index % 2 === 0);
    const unsafe = results.filter((_, index) => index % 2 === 1);
    expect(safe.every((result) => JSON.stringify(result).includes('done'))).toBe(true);
    expect(new Set(unsafe.map((error) => HoltError.is(error) && error.code))).toEqual(
      new Set(['session-lost']),
    );
    expect(server.methods().filter((method) => method === 'initialize')).toHaveLength(2);
    expect(
      await connection.use((session, request) => session.call('tools/call', callA, request)),
    ).toMatchObject({
      content: [{ text: 'done' }],
    });
  });

  test('that forgets every session at once is not greeted in a tight loop', async () => {
    const stateful = statefulServer(offer);
    const server = createFakeServer((asked, transport) => {
      if (asked.method === 'tools/list')
        setImmediate(() => setImmediate(() => transport.exit(null, { cause: lost() })));
      return stateful(asked, transport);
    }, false);
    const { clock, connection } = connected(server, { kind: 'http' });
    await connection.connect();
    await clock.advance(300);
    expect(server.transports.length).toBeLessThanOrEqual(3);
  });

  test('F38: that asks for a wait gets it, and the status says until when', async () => {
    let isBusy = true;
    const stateful = statefulServer(offer);
    const server = createFakeServer((asked, transport) => {
      if (isBusy)
        throw new NetworkFailure({
          kind: 'rate-limited',
          host: 'fake.test',
          status: 429,
          retryAfterMs: 7000,
        });
      return stateful(asked, transport);
    }, false);
    const { clock, connection } = connected(server, { kind: 'http', backoff: { random: () => 0 } });
    expect(await connection.connect()).toEqual({
      status: 'connecting',
      phase: expect.any(String),
      retryAt: '1970-01-01T00:00:07.000Z',
    });
    isBusy = false;
    expect((await connection.connect()).status).toBe('connecting');
    await clock.advance(6999);
    expect(server.transports).toHaveLength(1);
    await clock.advance(1);
    expect(connection.status()).toEqual({ status: 'connected' });
  });

  test('that wants a login is told apart from one that failed', async () => {
    const server = createFakeServer(() => {
      throw new TransportFailure({ kind: 'http-status', status: 401, body: '' });
    }, false);
    const { connection } = connected(server, { kind: 'http' });
    expect(await connection.connect()).toEqual({ status: 'needs_auth' });
  });

  test('that refuses the newer transport is tried with the older one, which is remembered', async () => {
    const stateful = statefulServer(offer);
    const refuse = () => {
      throw new TransportFailure({ kind: 'http-status', status: 405, body: '' });
    };
    const server = createFakeServer(
      (asked, transport) => (asked.start === 1 ? refuse() : stateful(asked, transport)),
      false,
    );
    const { connection, opened, steps } = connected(server, { kind: 'http' });
    expect(await connection.connect()).toEqual({ status: 'connected' });
    expect(opened).toEqual(['http', 'sse']);
    expect(server.asked.map(({ method, start }) => `${start} ${method}`)).toEqual([
      '1 server/discover',
      '1 initialize',
      '2 initialize',
      '2 notifications/initialized',
      '2 tools/list',
    ]);
    expect(steps().at(-1)).toBe('listing_prompts>ready');
    await connection.disconnect();
    await connection.connect();
    expect(opened).toEqual(['http', 'sse', 'sse']);
  });

  test('that speaks neither says so for both, the newer first', async () => {
    const server = createFakeServer(({ start }) => {
      throw new TransportFailure({ kind: 'http-status', status: start === 1 ? 404 : 405, body: '' });
    }, false);
    const { connection } = connected(server, { kind: 'http' });
    expect(await connection.connect()).toEqual({
      status: 'failed',
      error: expect.stringMatching(/^Failed to connect to "fake": Streamable HTTP: .*404.*; SSE: .*405/),
    });
  });

  test.each([401, 403, 429, 500])('is not tried with the older transport after a %i', async (status) => {
    const server = createFakeServer(() => {
      throw new TransportFailure({ kind: 'http-status', status, body: '' });
    }, false);
    const { connection, opened } = connected(server, { kind: 'http' });
    await connection.connect();
    expect(opened).toEqual(['http']);
  });
});

describe('what changes', () => {
  test.each([
    ['stateful', statefulServer],
    ['stateless', statelessServer],
  ] as const)(
    'a %s server that says its tools changed has just those read again, and only news is told',
    async (_, make) => {
      let tools = [fakeTool('a')];
      const server = createFakeServer(make(() => ({ tools, prompts: [] })));
      const { clock, connection, names } = connected(server);
      await connection.connect();
      const before = server.asked.length;
      for (let count = 0; count < 100; count += 1)
        server.transports[0]?.notify('notifications/tools/list_changed');
      await clock.advance(60);
      expect(names('mcp.tools.changed')).toEqual([]);
      tools = [fakeTool('a'), fakeTool('b')];
      server.transports[0]?.notify('notifications/tools/list_changed');
      await clock.advance(60);
      expect(names('mcp.tools.changed')).toEqual([{ server: 'fake' }]);
      expect(connection.session?.lists.tools.map(({ name }) => name)).toEqual(['a', 'b']);
      expect(
        server
          .methods()
          .slice(before)
          .filter((method) => method.endsWith('/list')),
      ).toEqual(['tools/list', 'tools/list']);
      expect(names('mcp.prompts.changed')).toEqual([]);
    },
  );
});

describe('F54: what is thrown above a transport', () => {
  test('is reported, ends that connection, and leaves the host alone', async () => {
    const server = createFakeServer(statefulServer(offer));
    let isBroken = true;
    const onNotification = (): void => {
      if (isBroken) throw new Error('handler broke');
    };
    const { clock, connection, names } = connected(server, { parts: { onNotification } });
    await connection.connect();
    server.transports[0]?.notify('notifications/message');
    isBroken = false;
    expect(names('mcp.warning')).toEqual([
      { server: 'fake', code: 'handler-failed', message: expect.stringContaining('handler broke') },
    ]);
    expect(connection.status().status).toBe('connecting');
    await clock.advance(500);
    expect(connection.status()).toEqual({ status: 'connected' });
  });
});
