import { afterEach, describe, expect, test } from 'vitest';

import { connectTo, memoryOnly, type FakeConnectionOptions } from '../../tests/support/fake-connection.ts';
import {
  createFakeServer,
  fakeTool,
  statefulServer,
  statelessServer,
  type FakeOffer,
  type FakeServer,
  type Handler,
} from '../../tests/support/fake-server.ts';

const open: { disconnect(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((connection) => connection.disconnect()));
});

function connected(server: FakeServer, options: FakeConnectionOptions = {}) {
  const world = connectTo(server, options);
  open.push(world.connection);
  return world;
}

const offer: FakeOffer = { tools: [fakeTool('a'), fakeTool('b')] };
const up = [
  'disconnected>connecting',
  'connecting>initializing',
  'initializing>handshaking',
  'handshaking>listing_resources',
  'listing_resources>listing_tools',
  'listing_tools>listing_prompts',
  'listing_prompts>ready',
];

describe('connecting', () => {
  test('walks all phases in their order, also those of lists that are not offered', async () => {
    const server = createFakeServer(statefulServer(() => offer));
    const { connection, steps } = connected(server);
    expect(await connection.connect()).toEqual({ status: 'connected' });
    expect(steps()).toEqual(up);
    expect(server.methods()).toEqual([
      'server/discover',
      'initialize',
      'notifications/initialized',
      'tools/list',
    ]);
    expect(connection.session?.lists.tools.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(connection.report()).toMatchObject({
      era: 'stateful',
      protocol: '2025-11-25',
      serverInfo: { name: 'fake' },
    });
  });

  test('is told as two changes of status: the phases between are events of their own', async () => {
    const { connection, names } = connected(createFakeServer(statefulServer(() => offer)));
    await connection.connect();
    await connection.disconnect();
    expect(names('mcp.status.changed').map(({ status }) => status)).toEqual([
      { status: 'connecting', phase: 'disconnected' },
      { status: 'connected' },
      { status: 'idle' },
    ]);
  });

  test('asks a stateless server once, and for all lists together', async () => {
    const server = createFakeServer(statelessServer(() => ({ ...offer, resources: [], prompts: [] })));
    const { connection, steps } = connected(server);
    expect(await connection.connect()).toEqual({ status: 'connected' });
    expect(steps()).toEqual(up);
    expect(server.methods().slice(0, 5)).toEqual([
      'server/discover',
      'resources/list',
      'resources/templates/list',
      'tools/list',
      'prompts/list',
    ]);
    expect(connection.report()).toMatchObject({ era: 'stateless', protocol: '2026-07-28' });
    expect(server.transports).toHaveLength(1);
  });

  test('is one attempt for all who want it', async () => {
    const server = createFakeServer(statefulServer(() => offer));
    const { connection } = connected(server);
    const all = await Promise.all([connection.connect(), connection.connect(), connection.connect()]);
    expect([all, server.transports.length]).toEqual([
      Array.from({ length: 3 }, () => ({ status: 'connected' })),
      1,
    ]);
    await connection.connect();
    expect(server.transports).toHaveLength(1);
  });

  test('a limit that passes names itself, and what the program said last', async () => {
    const server = createFakeServer(() => 'silence');
    const { connection, steps } = connected(server, {
      timeouts: { phases: { connecting: 60 } },
      tuning: { graceMs: 20 },
    });
    const connecting = connection.connect();
    await new Promise((resolve) => setImmediate(resolve));
    for (const transport of server.transports) transport.stderr = 'warming up';
    expect(await connecting).toEqual({
      status: 'failed',
      error: expect.stringMatching(
        /^Failed to connect to "fake": no answer in phase connecting after 0\.06 s\. Raise phase_timeouts\.connecting .*\nwarming up$/,
      ),
    });
    expect(steps().slice(0, 3)).toEqual([
      'disconnected>connecting',
      'connecting>failed',
      'failed>cleaning_up',
    ]);
  });

  test('startMs covers all phases together', async () => {
    const server = createFakeServer(() => 'silence');
    const { connection } = connected(server, { timeouts: { startMs: 50 } });
    expect(await connection.connect()).toEqual({
      status: 'failed',
      error: expect.stringMatching(/after 0\.05 s\. Raise timeouts\.startMs /),
    });
  });

  test('a program that ends at once is failed with its exit code and its last words', async () => {
    const server = createFakeServer((_, transport) => {
      transport.stderr = 'no such option\nusage: fake';
      return 'exit';
    });
    const { connection } = connected(server);
    const status = await connection.connect();
    expect(status).toEqual({
      status: 'failed',
      error: expect.stringMatching(/^Failed to connect to "fake": it exited with code 1.*\n.*usage: fake$/s),
    });
  });

  test('can be called off, and leaves nothing open', async () => {
    const server = createFakeServer(() => 'silence');
    const { connection, steps } = connected(server);
    const connecting = connection.connect();
    await new Promise((resolve) => setImmediate(resolve));
    await connection.disconnect();
    expect(await connecting).toEqual({ status: 'idle' });
    expect(server.transports.map(({ end }) => end !== undefined)).toEqual([true]);
    expect(steps().at(-1)).toBe('cleaning_up>disconnected');
  });
});

describe('which protocol', () => {
  test('a program that ends at the question is started once more and not asked', async () => {
    const stateful = statefulServer(() => offer);
    const server = createFakeServer((asked, transport) =>
      asked.method === 'server/discover' ? 'exit' : stateful(asked, transport),
    );
    const eras = memoryOnly();
    const { connection } = connected(server, { eras });
    expect(await connection.connect()).toEqual({ status: 'connected' });
    expect(server.asked.map(({ method, start }) => `${start} ${method}`)).toEqual([
      '1 server/discover',
      '2 initialize',
      '2 notifications/initialized',
      '2 tools/list',
    ]);
    expect(eras.recall('fake')).toEqual({ era: 'stateful' });
  });

  test('a program that ignores the question is greeted in the old way', async () => {
    const stateful = statefulServer(() => offer);
    const server = createFakeServer((asked, transport) =>
      asked.method === 'server/discover' ? 'silence' : stateful(asked, transport),
    );
    const { connection } = connected(server, { tuning: { graceMs: 20 } });
    expect(await connection.connect()).toEqual({ status: 'connected' });
    expect(server.transports).toHaveLength(1);
  });

  test.each(['stateful', 'stateless'] as const)(
    'a slow %s server that finds both greetings in its pipe is taken at its word',
    async (era) => {
      const inner: Handler = era === 'stateful' ? statefulServer(() => offer) : statelessServer(() => offer);
      let wake = (): void => undefined;
      const awake = new Promise<void>((resolve) => (wake = resolve));
      const server = createFakeServer(async (asked, transport) => {
        if (asked.method === 'initialize') wake();
        await awake;
        return inner(asked, transport);
      });
      const eras = memoryOnly();
      const { connection } = connected(server, { tuning: { graceMs: 20 }, eras });
      expect(await connection.connect()).toEqual({ status: 'connected' });
      expect([connection.report().era, eras.recall('fake')?.era, server.transports.length]).toEqual([
        era,
        era,
        1,
      ]);
    },
  );

  test('a server that refuses the version it speaks is asked once more, and no oftener', async () => {
    const stateless = statelessServer(() => offer);
    for (const patience of [1, 9]) {
      let refusals = 0;
      const server = createFakeServer((asked, transport) => {
        if (asked.method !== 'server/discover' || (refusals += 1) > patience)
          return stateless(asked, transport);
        return { error: { code: -32_022, message: 'no', data: { supported: ['2026-07-28'] } } };
      });
      const { connection } = connected(server);
      expect((await connection.connect()).status).toBe(patience === 1 ? 'connected' : 'failed');
      expect(server.methods().filter((method) => method === 'server/discover')).toHaveLength(2);
    }
  });

  test('is remembered: the next start pays no question', async () => {
    for (const handler of [statefulServer(() => offer), statelessServer(() => offer)]) {
      const eras = memoryOnly();
      const first = connected(createFakeServer(handler), { eras });
      await first.connection.connect();
      const server = createFakeServer(handler);
      const second = connected(server, { eras });
      expect(await second.connection.connect()).toEqual({ status: 'connected' });
      expect(server.methods()).not.toContain('server/discover');
      expect(second.steps()).toEqual(up);
    }
  });

  test.each([
    ['stateless', 'stateful', statelessServer(() => offer), statefulServer(() => offer)],
    ['stateful', 'stateless', statefulServer(() => offer), statelessServer(() => offer)],
  ])('a wrong memory (%s, now %s) heals in the same connect', async (_, now, before, after) => {
    const eras = memoryOnly();
    await connected(createFakeServer(before), { eras }).connection.connect();
    const server = createFakeServer(after);
    const { connection, steps, names } = connected(server, { eras });
    expect(await connection.connect()).toEqual({ status: 'connected' });
    expect([connection.report().era, eras.recall('fake')?.era, server.transports.length]).toEqual([
      now,
      now,
      1,
    ]);
    expect(server.methods().filter((method) => method === 'server/discover')).toHaveLength(1);
    expect([steps(), names('mcp.warning')]).toEqual([up, []]);
  });

  test('an old server that answers without being greeted is found out all the same', async () => {
    const eras = memoryOnly();
    await connected(createFakeServer(statelessServer(() => offer)), { eras }).connection.connect();
    const stateful = statefulServer(() => offer);
    const server = createFakeServer((asked, transport) =>
      asked.method === 'tools/list' ? { result: { tools: offer.tools ?? [] } } : stateful(asked, transport),
    );
    const { connection } = connected(server, { eras });
    expect(await connection.connect()).toEqual({ status: 'connected' });
    expect(connection.report().era).toBe('stateful');
  });

  test('a new version of a remembered server is asked again for what it offers', async () => {
    const eras = memoryOnly();
    await connected(createFakeServer(statelessServer(() => offer)), { eras }).connection.connect();
    const server = createFakeServer(statelessServer(() => ({ ...offer, prompts: [{ name: 'p' }] }), '2'));
    const { connection } = connected(server, { eras });
    await connection.connect();
    expect(connection.session?.lists.prompts).toEqual([{ name: 'p' }]);
  });

  test('a remembered server that has gone silent is asked after all', async () => {
    const eras = memoryOnly();
    await connected(createFakeServer(statelessServer(() => offer)), { eras }).connection.connect();
    const stateful = statefulServer(() => offer);
    const server = createFakeServer((asked, transport) => {
      const reply = stateful(asked, transport);
      return typeof reply === 'object' && 'error' in reply && asked.method !== 'server/discover'
        ? 'silence'
        : reply;
    });
    const { connection } = connected(server, { eras, tuning: { graceMs: 20 } });
    expect(await connection.connect()).toEqual({ status: 'connected' });
    expect(connection.report().era).toBe('stateful');
  });
});

describe('listing', () => {
  test('a server whose tools cannot be listed is closed and failed', async () => {
    const stateful = statefulServer(() => offer);
    const server = createFakeServer((asked, transport) =>
      asked.method === 'tools/list'
        ? { error: { code: -32_603, message: 'database locked' } }
        : stateful(asked, transport),
    );
    const { connection, steps } = connected(server);
    expect(await connection.connect()).toEqual({
      status: 'failed',
      error: expect.stringMatching(/^Failed to get tools: .*database locked/),
    });
    await connection.disconnect();
    expect(server.transports[0]?.end).toBeDefined();
    expect(steps().slice(-4)).toEqual([
      'listing_resources>listing_tools',
      'listing_tools>failed',
      'failed>cleaning_up',
      'cleaning_up>disconnected',
    ]);
  });

  test('tools that do not come in time say which limit passed', async () => {
    const stateful = statefulServer(() => offer);
    const server = createFakeServer((asked, transport) =>
      asked.method === 'tools/list' ? 'silence' : stateful(asked, transport),
    );
    const { connection } = connected(server, { timeouts: { phases: { listing_tools: 40 } } });
    expect(await connection.connect()).toEqual({
      status: 'failed',
      error: expect.stringMatching(
        /^Failed to get tools: no answer in phase listing_tools after 0\.04 s\. Raise phase_timeouts\.listing_tools /,
      ),
    });
  });

  test.each(['resources', 'prompts'] as const)(
    '%s that fail cost a warning and an empty list',
    async (kind) => {
      const stateful = statefulServer(() => ({ ...offer, resources: [], prompts: [] }));
      const server = createFakeServer((asked, transport) =>
        asked.method === `${kind}/list`
          ? { error: { code: -32_603, message: 'no' } }
          : stateful(asked, transport),
      );
      const { connection, names } = connected(server);
      expect(await connection.connect()).toEqual({ status: 'connected' });
      expect(connection.session?.lists[kind]).toEqual([]);
      expect(names('mcp.warning')).toEqual([
        { server: 'fake', code: 'list-failed', message: expect.stringContaining(`Failed to get ${kind}: `) },
      ]);
    },
  );

  test('resources that never come cost their limit, not the connection', async () => {
    const stateful = statefulServer(() => ({ ...offer, resources: [] }));
    const server = createFakeServer((asked, transport) =>
      asked.method === 'resources/list' ? 'silence' : stateful(asked, transport),
    );
    const { connection, names } = connected(server, { timeouts: { phases: { listing_resources: 30 } } });
    expect(await connection.connect()).toEqual({ status: 'connected' });
    expect(names('mcp.warning')).toHaveLength(1);
  });

  test('F56: a list without end is cut, with a warning, and the server works', async () => {
    const stateful = statefulServer(() => offer);
    let page = 0;
    const server = createFakeServer((asked, transport) =>
      asked.method === 'tools/list'
        ? { result: { tools: [fakeTool(`t${(page += 1)}`)], nextCursor: `c${page}` } }
        : stateful(asked, transport),
    );
    const { connection, names } = connected(server, { tuning: { listCaps: { maxPages: 7 } } });
    expect(await connection.connect()).toEqual({ status: 'connected' });
    expect(connection.session?.lists.tools).toHaveLength(7);
    expect(names('mcp.warning')).toEqual([
      {
        server: 'fake',
        code: 'list-cut',
        message:
          'The list of tools of "fake" is incomplete: it has more pages than are read. 7 entries were kept.',
      },
    ]);
  });

  test('of two tools with one name on two pages the first is kept', async () => {
    const stateful = statefulServer(() => offer);
    const server = createFakeServer((asked, transport) =>
      asked.method === 'tools/list'
        ? asked.params['cursor'] === undefined
          ? { result: { tools: [{ ...fakeTool('x'), description: 'first' }], nextCursor: 'n' } }
          : { result: { tools: [{ ...fakeTool('x'), description: 'second' }] } }
        : stateful(asked, transport),
    );
    const { connection, names } = connected(server);
    await connection.connect();
    expect(connection.session?.lists.tools.map(({ description }) => description)).toEqual(['first']);
    expect(names('mcp.warning').map(({ code }) => code)).toEqual(['entry-duplicate']);
  });
});
