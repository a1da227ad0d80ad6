import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { serveHttp, serveHttps } from '../../tests/support/http-servers.ts';
import { openRemote, problemOf } from '../../tests/support/networks.ts';
import { startFixture } from '../../tests/support/remote-fixture.ts';
import { createAuthority, type Pair } from '../../tests/support/tls-files.ts';

let folder = '';
let caFile = '';
let pair: Pair;

beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'holt-proxies-'));
  const authority = createAuthority(folder);
  caFile = authority.caFile;
  pair = authority.sign('server.test', -1, 2);
});
afterAll(() => fs.rmSync(folder, { recursive: true }));

const keysOf = ({ certFile, keyFile }: Pair) => ({
  cert: fs.readFileSync(certFile),
  key: fs.readFileSync(keyFile),
});

interface ProxyFacts {
  readonly forwarded: readonly string[];
  readonly tunnels: readonly string[];
  readonly seen: readonly Record<string, string>[];
}

describe('F41: through a proxy', () => {
  test('plain http is forwarded by it, to a name that only it knows', async () => {
    await using server = await serveHttp((request, response) =>
      response.end(`${request.headers.host} ${request.headers['proxy-authorization'] ?? 'none'}`),
    );
    await using proxy = await startFixture('forward-proxy', '0', 'me:hush');
    const env = { HTTP_PROXY: `http://me:hush@127.0.0.1:${proxy.port}` };
    const url = `http://only-the-proxy-knows.example:${server.port}/mcp?a=1`;
    await using remote = openRemote(url, { env });
    expect(await (await remote.fetch(url)).text()).toBe(`only-the-proxy-knows.example:${server.port} none`);
    expect(await proxy.facts<ProxyFacts>()).toMatchObject({ forwarded: [url], tunnels: [] });
  });

  test('https goes through a tunnel, and the proxy sees no header of ours', async () => {
    await using server = await serveHttps(keysOf(pair), (request, response) =>
      response.end(request.headers['x-key']),
    );
    await using proxy = await startFixture('forward-proxy', '0', 'me:hush');
    const env = { https_proxy: `me:hush@127.0.0.1:${proxy.port}` };
    const url = `https://server.test:${server.port}/mcp`;
    await using remote = openRemote(url, { env, options: { caFile } }, { headers: { 'x-key': 'secret' } });
    expect(await (await remote.fetch(url)).text()).toBe('secret');
    expect(await proxy.facts<ProxyFacts>()).toMatchObject({
      forwarded: [],
      tunnels: [`server.test:${server.port}`],
      seen: [],
    });
  });

  test('a WebSocket goes through a tunnel, secure or not', async () => {
    await using server = await serveHttps(keysOf(pair), (_, response) => response.end());
    await using plain = await serveHttp((_, response) => response.end());
    await using proxy = await startFixture('forward-proxy');
    const where = `http://127.0.0.1:${proxy.port}`;
    await using remote = openRemote('wss://server.test', {
      env: { HTTP_PROXY: where, HTTPS_PROXY: where },
      options: { caFile },
    });
    for (const [scheme, port] of [
      ['wss', server.port],
      ['ws', plain.port],
    ] as const) {
      const socket = await remote.dial(
        new URL(`${scheme}://server.test:${port}/`),
        new AbortController().signal,
      );
      socket.destroy();
    }
    expect((await proxy.facts<ProxyFacts>()).tunnels).toEqual([
      `server.test:${server.port}`,
      `server.test:${plain.port}`,
    ]);
  });

  test('NO_PROXY goes around it', async () => {
    await using server = await serveHttp((_, response) => response.end('direct'));
    const env = { HTTP_PROXY: 'http://127.0.0.1:1', NO_PROXY: '.test' };
    await using remote = openRemote('http://a.test', { env });
    expect(await (await remote.fetch(`http://a.test:${server.port}`)).text()).toBe('direct');
  });
});

describe('F41: a proxy that does not work is blamed by its name and its variable, never the server', () => {
  const schemes = ['http', 'https'] as const;

  test.each(schemes)('when it is down, for %s', async (scheme) => {
    const env = { HTTP_PROXY: 'http://me:hush@127.0.0.1:1', https_proxy: 'http://me:hush@127.0.0.1:1' };
    await using remote = openRemote('http://a.test', { env });
    expect(await problemOf(remote.fetch(`${scheme}://server.test/`))).toEqual({
      kind: 'proxy-down',
      proxy: 'http://127.0.0.1:1',
      variable: scheme === 'http' ? 'HTTP_PROXY' : 'https_proxy',
      reason: '127.0.0.1:1 refused the connection',
    });
  });

  test.each(schemes)('when its name is unknown, for %s', async (scheme) => {
    await using remote = openRemote('http://a.test', { options: { proxy: 'http://gone.example:3128' } });
    expect(await problemOf(remote.fetch(`${scheme}://server.test/`))).toMatchObject({
      kind: 'proxy-down',
      proxy: 'http://gone.example:3128',
      variable: 'network.proxy',
      reason: 'the name gone.example:3128 could not be looked up (ENOTFOUND)',
    });
  });

  test.each(schemes)('when it wants a password, for %s', async (scheme) => {
    await using proxy = await startFixture('forward-proxy', '0', 'me:hush');
    const where = `http://127.0.0.1:${proxy.port}`;
    await using remote = openRemote('http://a.test', { env: { HTTP_PROXY: where, HTTPS_PROXY: where } });
    const variable = `${scheme.toUpperCase()}_PROXY`;
    expect(await problemOf(remote.fetch(`${scheme}://server.test/`))).toEqual({
      kind: 'proxy-auth',
      proxy: where,
      variable,
    });
  });

  test('when it does not let us through', async () => {
    await using proxy = await startFixture('forward-proxy');
    const where = `http://127.0.0.1:${proxy.port}`;
    await using remote = openRemote('http://a.test', { env: { HTTPS_PROXY: where } });
    expect(await problemOf(remote.fetch('https://forbidden.test/'))).toEqual({
      kind: 'proxy-refused',
      proxy: where,
      variable: 'HTTPS_PROXY',
      status: 403,
      host: 'forbidden.test',
    });
  });

  test('when it is silent', async () => {
    await using silent = await serveHttp(() => undefined);
    const where = `http://127.0.0.1:${silent.port}`;
    await using remote = openRemote('http://a.test', { env: { HTTPS_PROXY: where }, connectMs: 100 });
    expect(await problemOf(remote.fetch('https://server.test/'))).toMatchObject({
      kind: 'proxy-down',
      proxy: where,
      variable: 'HTTPS_PROXY',
    });
  });

  test('when it closes the door', async () => {
    await using rude = await serveHttp((request) => request.socket.destroy());
    const where = `http://127.0.0.1:${rude.port}`;
    await using remote = openRemote('http://a.test', { env: { HTTP_PROXY: where } });
    expect(await problemOf(remote.fetch('http://server.test/'))).toMatchObject({
      kind: 'proxy-down',
      proxy: where,
      variable: 'HTTP_PROXY',
    });
  });
});
