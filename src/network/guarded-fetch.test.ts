import net, { type LookupFunction } from 'node:net';

import { describe, expect, test } from 'vitest';

import { serveHttp } from '../../tests/support/http-servers.ts';
import { makeNetwork, problemOf } from '../../tests/support/networks.ts';
import { realClock } from '../platform/clock.ts';
import {
  createGuardedFetch,
  isSafeScheme,
  type GuardedFetch,
  type GuardedFetchParts,
} from './guarded-fetch.ts';

/** Names and where they lead. `connected` is where sockets would have gone; nothing leaves the machine. */
function watch(names: Readonly<Record<string, readonly string[]>>): {
  readonly connected: string[];
  readonly open: (serverUrl: string, parts?: Partial<GuardedFetchParts>) => GuardedFetch;
} {
  const connected: string[] = [];
  const turns = new Map<string, number>();
  const lookup: LookupFunction = (host, options, answer) => {
    const turn = turns.get(host) ?? 0;
    turns.set(host, turn + 1);
    const all = names[host] ?? ['203.0.113.1'];
    const address = all[turn % all.length] ?? '';
    const family = net.isIP(address);
    if (options.all === true) answer(null, [{ address, family }]);
    else answer(null, address, family);
  };
  const network = makeNetwork({
    lookup,
    connector: (options) => {
      const socket = new net.Socket();
      const fail = (address: string): void => {
        connected.push(address);
        socket.destroy(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));
      };
      const host = options.host ?? '';
      if (net.isIP(host) !== 0) setImmediate(() => fail(host));
      else
        options.lookup?.(host, { all: true }, (error, found) =>
          error === null && Array.isArray(found)
            ? fail(found[0]?.address ?? '')
            : socket.destroy(error ?? undefined),
        );
      return socket;
    },
  });
  return {
    connected,
    open: (serverUrl, parts) =>
      createGuardedFetch({ network, clock: realClock, serverUrl: new URL(serverUrl), ...parts }),
  };
}

const forbidden = [
  'https://169.254.169.254/latest/meta-data',
  'https://10.0.0.8/token',
  'https://127.0.0.1/token',
  'https://127.1/token',
  'https://0x7f000001/token',
  'https://2130706433/token',
  'https://0177.0.0.1/token',
  'https://①②⑦.⓪.⓪.①/token',
  'https://[::ffff:a9fe:a9fe]/token',
  'https://[64:ff9b::7f00:1]/token',
  'https://[2002:7f00:1::]/token',
  'https://0/token',
  'https://localhost./token',
  'https://inside.example/token',
  'http://127.0.0.1:8080/token',
];

describe('a public server', () => {
  test.each(forbidden)('T33: does not lead to %s', async (url) => {
    const { connected, open } = watch({
      'mcp.example': ['93.184.216.34'],
      'inside.example': ['10.0.0.8'],
      localhost: ['127.0.0.1'],
    });
    expect(await problemOf(open('https://mcp.example/mcp').fetch(url))).toMatchObject({
      kind: 'address-refused',
    });
    expect(connected.filter((address) => address !== '93.184.216.34')).toEqual([]);
  });

  test('T34: whose names change their minds between two questions does not lead inside', async () => {
    const { connected, open } = watch({
      'mcp.example': ['93.184.216.34'],
      'login.example': ['93.184.216.34', '127.0.0.1'],
    });
    const { fetch } = open('https://mcp.example/mcp');
    for (let time = 0; time < 200; time += 1)
      await fetch('https://login.example/token').catch(() => undefined);
    expect(new Set(connected)).toEqual(new Set(['93.184.216.34']));
  });

  test('T34: whose own name leads to a private address proves nothing by that alone', async () => {
    const { connected, open } = watch({ 'mcp.example': ['10.0.0.1'], 'inside.example': ['10.0.0.8'] });
    expect(
      await problemOf(open('https://mcp.example/mcp').fetch('https://inside.example/token')),
    ).toMatchObject({
      kind: 'address-refused',
    });
    expect(connected).toEqual(['10.0.0.1']);
  });

  test.each(['http://login.example/token', 'ftp://login.example/', 'https://u:p@login.example/token'])(
    'T47: is not followed to %s',
    async (url) => {
      const { connected, open } = watch({});
      expect(await problemOf(open('https://mcp.example/mcp').fetch(url))).toMatchObject({
        kind: 'address-refused',
      });
      expect(connected).toEqual([]);
    },
  );
});

describe('a server on this machine', () => {
  test('leads to others on it, and to no private network', async () => {
    await using login = await serveHttp((_, response) => response.end('hello'));
    const { open, connected } = watch({});
    const plain = createGuardedFetch({
      network: makeNetwork(),
      clock: realClock,
      serverUrl: new URL('http://127.0.0.1:1/mcp'),
    });
    const response = await plain.fetch(`${login.url}/metadata`);
    expect(await response.text()).toBe('hello');
    await plain.close();
    expect(await problemOf(open('http://127.0.0.1:1/mcp').fetch('https://10.0.0.8/'))).toMatchObject({
      kind: 'address-refused',
    });
    expect(connected).toEqual([]);
  });

  test.each([301, 302, 303, 307, 308])('T35: %s to another origin is not followed', async (status) => {
    await using other = await serveHttp((_, response) => response.end('caught'));
    await using login = await serveHttp((_, response) =>
      response.writeHead(status, { location: `${other.url}/token` }).end(),
    );
    const { fetch, close } = localFetch(login.url);
    expect(await problemOf(fetch(`${login.url}/metadata`))).toMatchObject({ kind: 'redirect-refused' });
    const post = fetch(`${login.url}/token`, { method: 'POST', body: 'code=1' });
    expect(await problemOf(post)).toMatchObject({ kind: 'redirect-refused' });
    expect(other.requests).toEqual([]);
    await close();
  });

  test('gives no answer without end, and none that never comes', async () => {
    await using login = await serveHttp((request, response) => {
      if (request.url === '/big') response.end('x'.repeat(5000));
      else response.writeHead(200).write('{');
    });
    const { fetch, close } = localFetch(login.url, { maxBytes: 1000, timeoutMs: 300 });
    expect(await problemOf(fetch(`${login.url}/big`))).toEqual({ kind: 'too-large', limitBytes: 1000 });
    expect(await problemOf(fetch(`${login.url}/slow`))).toMatchObject({
      kind: 'connect-timeout',
      afterMs: 300,
    });
    await close();
  });
});

function localFetch(url: string, parts: Partial<GuardedFetchParts> = {}): GuardedFetch {
  return createGuardedFetch({ network: makeNetwork(), clock: realClock, serverUrl: new URL(url), ...parts });
}

test.each([
  ['https://a.test/', true],
  ['http://127.0.0.1:1/', true],
  ['http://localhost/', true],
  ['http://[::1]/', true],
  ['http://a.test/', false],
  ['http://localhost.a.test/', false],
  ['file:///x', false],
])('%s carries secrets: %s', (url, expected) => {
  expect(isSafeScheme(new URL(url))).toBe(expected);
});
