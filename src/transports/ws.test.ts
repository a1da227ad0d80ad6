import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { serveHttp, serveHttps } from '../../tests/support/http-servers.ts';
import { makeNetwork } from '../../tests/support/networks.ts';
import { openAccount } from '../../tests/support/receive-accounts.ts';
import { connectRemote, failureOf } from '../../tests/support/remote-clients.ts';
import { startFixture } from '../../tests/support/remote-fixture.ts';
import { createAuthority } from '../../tests/support/tls-files.ts';
import { realClock } from '../platform/clock.ts';
import { WsTransport } from './ws.ts';

interface Facts {
  readonly connections: number;
  readonly protocols: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly tunnels: readonly string[];
}

const ws = { kind: 'ws' } as const;
const limits = { messageBytes: 1000, messageNodes: 1000 };

describe('a WebSocket', () => {
  test('carries both eras, with headers and token on the upgrade', async () => {
    await using server = await startFixture('ws');
    const remote = await connectRemote(server.url, {
      ...ws,
      headers: { 'X-Key': 'hush' },
      token: 'tok',
    });
    await remote.transport.opened;
    expect([remote.client.getProtocolEra(), await remote.call('echo', { text: 'hi' })]).toEqual([
      'modern',
      'hi',
    ]);
    const { protocols, headers } = await server.facts<Facts>();
    expect([protocols, headers['x-key'], headers['authorization']]).toEqual([['mcp'], 'hush', 'Bearer tok']);
    await remote.client.close();
    expect([remote.transport.end, remote.warnings]).toEqual([{ reason: 'closed by holt' }, []]);
  });

  test('is open to a definition that writes http', async () => {
    await using server = await startFixture('ws');
    await using remote = await connectRemote(server.url.replace('ws:', 'http:'), ws);
    expect(await remote.call('echo', { text: 'hi' })).toBe('hi');
  });

  test('does without a subprotocol that the server does not name, and says so', async () => {
    await using server = await startFixture('ws', '0', 'no-subprotocol');
    await using remote = await connectRemote(server.url, ws);
    expect([await remote.call('echo', { text: 'hi' }), remote.warnings]).toEqual(['hi', ['no-subprotocol']]);
  });

  test('that the server closes fails its calls at once, with what the server said', async () => {
    await using server = await startFixture('ws');
    const remote = await connectRemote(server.url, ws);
    expect(await remote.failureOf(remote.call('drop'))).toMatchObject({
      kind: 'connection-lost',
      message: 'the connection was closed: having a bad day (1011)',
    });
    await remote.closed;
    expect(remote.transport.end).toMatchObject({ exitCode: 1011 });
    expect((await remote.failureOf(remote.transport.send({ jsonrpc: '2.0', method: 'x' }))).kind).toBe(
      'connection-lost',
    );
  });

  test('ends with a message that is too large', async () => {
    await using server = await startFixture('ws');
    const remote = await connectRemote(server.url, { ...ws, messageBytes: 10_000 });
    expect(await remote.failureOf(remote.call('huge', { bytes: 20_000 }))).toMatchObject({
      kind: 'too-large',
    });
    await remote.closed;
  });

  test('drops what is not JSON, with a warning', async () => {
    await using server = await startFixture('ws');
    await using remote = await connectRemote(server.url, ws);
    expect([await remote.call('noise', { text: 'hi' }), remote.warnings]).toEqual([
      'hi',
      ['unreadable-message'],
    ]);
  });

  test.each([
    ['401', { kind: 'needs-auth' }],
    ['403', { kind: 'forbidden' }],
    ['404', { kind: 'not-found' }],
    ['429', { kind: 'rate-limited', retryAfterMs: 7000 }],
  ])('that is refused with %s says why', async (status, failure) => {
    await using server = await startFixture('ws');
    expect(
      await failureOf(connectRemote(server.url, { ...ws, headers: { 'x-refuse': status } })),
    ).toMatchObject(failure);
  });

  test('T35: is not redirected', async () => {
    await using other = await serveHttp((_, response) => response.end());
    await using server = await serveHttp((_, response) =>
      response.writeHead(302, { location: `${other.url}/inside` }).end(),
    );
    expect(await failureOf(connectRemote(server.url, ws))).toMatchObject({ kind: 'redirect-refused' });
    expect(other.requests).toEqual([]);
  });

  test('to a port where nobody listens, and to a server that is no WebSocket, fails by name', async () => {
    await using server = await serveHttp((_, response) => response.end('hello'));
    expect((await failureOf(connectRemote('ws://127.0.0.1:1', ws))).kind).toBe('refused');
    expect(await failureOf(connectRemote(server.url, ws))).toMatchObject({
      kind: 'http-status',
      httpStatus: 200,
    });
  });

  test('F34: whose other end has vanished is found by a ping', async () => {
    await using server = await startFixture('ws', '0', 'deaf');
    const remote = makeNetwork().open({
      origin: new URL(server.url).origin,
      headers: {},
      messageBytes: 1000,
    });
    const transport = new WsTransport(new URL(server.url), {
      wallNow: Date.now,
      remote,
      clock: realClock,
      random: Math.random,
      headers: {},
      limits,
      account: openAccount(),
      pingMs: 60,
    });
    const closed = new Promise<void>((resolve) => Object.assign(transport, { onclose: resolve }));
    await transport.start();
    await closed;
    expect(transport.end).toMatchObject({
      cause: { problem: { kind: 'lost', code: 'no answer to a ping' } },
    });
  });

  test('that answers pings stays open', async () => {
    await using server = await startFixture('ws');
    const remote = makeNetwork().open({
      origin: new URL(server.url).origin,
      headers: {},
      messageBytes: 1000,
    });
    const transport = new WsTransport(new URL(server.url), {
      wallNow: Date.now,
      remote,
      clock: realClock,
      random: Math.random,
      headers: {},
      limits,
      account: openAccount(),
      // Long enough for a busy machine to answer in time.
      pingMs: 250,
    });
    await transport.start();
    while (transport.end === undefined && (await server.facts<{ readonly pings: number }>()).pings < 3);
    expect(transport.end).toBeUndefined();
    await transport.close();
  });

  test('that is closed while it is being opened opens no more', async () => {
    await using server = await serveHttp(() => undefined);
    const remote = makeNetwork().open({ origin: server.url, headers: {}, messageBytes: 1000 });
    const transport = new WsTransport(new URL(server.url.replace('http', 'ws')), {
      wallNow: Date.now,
      remote,
      clock: realClock,
      random: Math.random,
      headers: {},
      limits,
      account: openAccount(),
    });
    const starting = failureOf(transport.start());
    await transport.close();
    expect([(await starting).kind, transport.end]).toEqual(['connection-lost', { reason: 'closed by holt' }]);
  });
});

describe('a secure WebSocket', () => {
  test('through a proxy, with an authority of our own, reaches its server', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'holt-wss-'));
    const authority = createAuthority(folder);
    const { certFile, keyFile } = authority.sign('server.test', -1, 2);
    await using plain = await startFixture('ws');
    // TLS in front of the plain fixture.
    await using front = await serveHttps(
      { cert: fs.readFileSync(certFile), key: fs.readFileSync(keyFile) },
      (_, response) => response.end(),
      plain.port,
    );
    await using proxy = await startFixture('forward-proxy', '0', 'me:hush');
    const env = { HTTPS_PROXY: `http://me:hush@127.0.0.1:${proxy.port}` };
    await using remote = await connectRemote(`wss://server.test:${front.port}/mcp`, {
      ...ws,
      network: { env },
      tls: { caFile: authority.caFile },
    });
    expect(await remote.call('echo', { text: 'hi' })).toBe('hi');
    expect((await proxy.facts<Facts>()).tunnels).toEqual([`server.test:${front.port}`]);
    fs.rmSync(folder, { recursive: true });
  });
});
