import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { TLSSocket } from 'node:tls';

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

import { serveHttp, serveHttps } from '../../tests/support/http-servers.ts';
import { openRemote, problemOf } from '../../tests/support/networks.ts';
import { type Authority, createAuthority, type Pair, selfSigned } from '../../tests/support/tls-files.ts';

let folder = '';
let authority: Authority;

beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'holt-tls-'));
  authority = createAuthority(folder);
});
afterAll(() => fs.rmSync(folder, { recursive: true }));

const serve = (pair: Pair, more: object = {}) =>
  serveHttps(
    { cert: fs.readFileSync(pair.certFile), key: fs.readFileSync(pair.keyFile), ...more },
    (_, response) => response.end('safe'),
  );

describe('F42: a certificate that is not in order says which way', () => {
  test.each([
    ['has expired', -20, -1, 'a.test', 'tls-expired'],
    ['is for tomorrow', 1, 20, 'a.test', 'tls-not-yet-valid'],
    ['is for somebody else', -1, 20, 'b.test', 'tls-wrong-host'],
  ])('when it %s', async (_, from, to, name, kind) => {
    await using server = await serve(authority.sign(name, from, to));
    await using remote = openRemote('https://a.test', { options: { caFile: authority.caFile } });
    const names = kind === 'tls-wrong-host' ? { names: 'b.test' } : {};
    const problem = await problemOf(remote.fetch(`https://a.test:${server.port}`));
    expect(problem).toMatchObject({ kind, host: `a.test:${server.port}`, ...names });
  });

  test('when it is self-signed, or by an authority nobody knows', async () => {
    await using own = await serve(selfSigned(folder, 'a.test'));
    await using foreign = await serve(authority.sign('a.test', -1, 20));
    await using remote = openRemote('https://a.test');
    expect(await problemOf(remote.fetch(`https://a.test:${own.port}`))).toMatchObject({
      kind: 'tls-self-signed',
    });
    expect(await problemOf(remote.fetch(`https://a.test:${foreign.port}`))).toMatchObject({
      kind: 'tls-unknown-issuer',
    });
  });

  test('T47: also where the environment says that nothing is to be checked', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    await using own = await serve(selfSigned(folder, 'a.test'));
    await using remote = openRemote('https://a.test');
    const problem = await problemOf(remote.fetch(`https://a.test:${own.port}`));
    vi.unstubAllEnvs();
    expect(problem).toMatchObject({ kind: 'tls-self-signed' });
  });

  test('and a server without TLS is no such case', async () => {
    await using plain = await serveHttp((_, response) => response.end());
    await using remote = openRemote('https://a.test');
    expect(await problemOf(remote.fetch(`https://a.test:${plain.port}`))).toEqual({
      kind: 'tls-not-spoken',
      host: `a.test:${plain.port}`,
    });
  });
});

describe('an authority of our own', () => {
  test.each([
    ['the environment', () => ({ env: { NODE_EXTRA_CA_CERTS: authority.caFile } }), () => ({})],
    ['the settings', () => ({ options: { caFile: authority.caFile } }), () => ({})],
    [
      "the origin's settings",
      (origin: string) => ({ options: { origins: { [origin]: { caFile: authority.caFile } } } }),
      () => ({}),
    ],
    ['the definition', () => ({}), () => ({ tls: { caFile: authority.caFile } })],
  ])('is known from %s', async (_, parts, target) => {
    await using server = await serve(authority.sign('a.test', -1, 20));
    const url = `https://a.test:${server.port}`;
    await using remote = openRemote(url, parts(url), target());
    expect(await (await remote.fetch(url)).text()).toBe('safe');
    const socket = await remote.dial(new URL(url.replace('https', 'wss')), new AbortController().signal);
    socket.destroy();
  });

  test('that cannot be read or is none is named with its file', async () => {
    const empty = path.join(folder, 'empty.pem');
    fs.writeFileSync(empty, 'nothing');
    await using missing = openRemote('https://a.test', {
      options: { caFile: path.join(folder, 'missing.pem') },
    });
    await using none = openRemote('https://a.test', { options: { caFile: empty } });
    await using server = await serve(authority.sign('a.test', -1, 20));
    const url = `https://a.test:${server.port}`;
    expect(await problemOf(missing.fetch(url))).toMatchObject({
      kind: 'tls-file',
      file: path.join(folder, 'missing.pem'),
    });
    expect(await problemOf(none.fetch(url))).toEqual({
      kind: 'tls-file',
      file: empty,
      reason: 'it holds no certificate in PEM form',
    });
  });
});

describe('a client certificate', () => {
  const wanting = () => ({
    requestCert: true,
    rejectUnauthorized: true,
    ca: fs.readFileSync(authority.caFile),
  });

  test('lets us in, from the definition and from the settings; one file may hold both', async () => {
    await using server = await serve(authority.sign('a.test', -1, 20), wanting());
    const url = `https://a.test:${server.port}`;
    const own = authority.sign('client.test', -1, 20);
    const both = path.join(folder, 'both.pem');
    fs.writeFileSync(both, fs.readFileSync(own.certFile, 'utf8') + fs.readFileSync(own.keyFile, 'utf8'));
    await using defined = openRemote(url, { options: { caFile: authority.caFile } }, { tls: own });
    await using settled = openRemote(url, {
      options: { caFile: authority.caFile, origins: { [url]: { certFile: both } } },
    });
    expect([await (await defined.fetch(url)).text(), await (await settled.fetch(url)).text()]).toEqual([
      'safe',
      'safe',
    ]);
  });

  test('that does not go with its key is named', async () => {
    const [first, second] = [authority.sign('one.test', -1, 2), authority.sign('two.test', -1, 2)];
    await using server = await serve(first);
    const url = `https://a.test:${server.port}`;
    await using mixed = openRemote(url, {}, { tls: { certFile: first.certFile, keyFile: second.keyFile } });
    expect(await problemOf(mixed.fetch(url))).toMatchObject({ kind: 'tls-file', file: first.certFile });
  });

  test('of a definition is shown to its own origin only', async () => {
    const keys = authority.sign('a.test', -1, 20);
    const seen: boolean[] = [];
    const options = {
      cert: fs.readFileSync(keys.certFile),
      key: fs.readFileSync(keys.keyFile),
      requestCert: true,
      rejectUnauthorized: false,
    };
    await using server = await serveHttps(options, (request, response) => {
      const socket = request.socket as TLSSocket; // an https server has no others
      seen.push(Object.keys(socket.getPeerCertificate()).length > 0);
      response.end();
    });
    const url = `https://a.test:${server.port}`;
    const own = authority.sign('client.test', -1, 20);
    await using away = openRemote(
      'https://elsewhere.test',
      { options: { caFile: authority.caFile } },
      { tls: own },
    );
    await using home = openRemote(url, { options: { caFile: authority.caFile } }, { tls: own });
    await (await away.fetch(url)).text();
    await (await home.fetch(url)).text();
    expect(seen).toEqual([false, true]);
  });
});
