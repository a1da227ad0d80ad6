import { request as httpRequest } from 'node:http';
import { connect, createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { openLoopbackServer, type LoopbackRequest } from './loopback-server.ts';

interface Reply {
  readonly status: number;
  readonly body: string;
}

/** With any Host and method, which fetch would not send. */
function ask(port: number, path: string, options: { host?: string; method?: string } = {}): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const { host = `127.0.0.1:${port}`, method = 'GET' } = options;
    const request = httpRequest({ host: '127.0.0.1', port, path, method, headers: { host } }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      response.once('end', () => resolve({ status: response.statusCode ?? 0, body }));
    });
    request.once('error', reject);
    request.end();
  });
}

const hello = { status: 200, headers: { 'Content-Type': 'text/plain' }, body: 'hello' };

async function canBind(port: number): Promise<boolean> {
  const probe = createServer();
  probe.listen({ host: '127.0.0.1', port });
  const outcome = await Promise.race([
    once(probe, 'listening').then(() => true),
    once(probe, 'error').then(() => false),
  ]);
  probe.close();
  return outcome;
}

describe('the listener', () => {
  test('hands over method, path and query, and sends back what it is given', async () => {
    const seen: LoopbackRequest[] = [];
    const server = await openLoopbackServer(0, (request) => {
      seen.push(request);
      return hello;
    });
    expect(await ask(server.port, '/a/b?x=1&x=2&y=%2F')).toEqual({ status: 200, body: 'hello' });
    expect(seen.map(({ method, path, search }) => [method, path, search])).toEqual([
      ['GET', '/a/b', 'x=1&x=2&y=%2F'],
    ]);
    await server.close();
  });

  test('T42: is bound to 127.0.0.1 and to nothing else', async () => {
    const server = await openLoopbackServer(0, () => hello);
    const hex = server.port.toString(16).toUpperCase().padStart(4, '0');
    const listening = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .map((line) => line.trim().split(/\s+/))
        .filter(([, local, , state]) => state === '0A' && local?.endsWith(`:${hex}`) === true)
        .map(([, local]) => local),
    );
    expect(listening).toEqual([`0100007F:${hex}`]);
    await server.close();
  });

  test.each(['evil.example', 'evil.example:80', '127.0.0.1', '127.0.0.1:1', 'localhost', '[::1]:1'])(
    'T42: refuses a request for the host %j before anybody sees it',
    async (host) => {
      let seen = 0;
      const server = await openLoopbackServer(0, () => {
        seen += 1;
        return hello;
      });
      expect([(await ask(server.port, '/', { host })).status, seen]).toEqual([421, 0]);
      await server.close();
    },
  );

  test('answers for localhost as well', async () => {
    const server = await openLoopbackServer(0, () => hello);
    expect((await ask(server.port, '/', { host: `localhost:${server.port}` })).status).toBe(200);
    await server.close();
  });

  test.each(['http://127.0.0.1/x', '//evil.example/x', '*'])('does not take %s for a path', async (path) => {
    const server = await openLoopbackServer(0, () => hello);
    expect((await ask(server.port, path, { method: path === '*' ? 'OPTIONS' : 'GET' })).status).toBe(421);
    await server.close();
  });

  test('tells when an answer has been sent, and then may be closed without cutting it off', async () => {
    let closed: Promise<void> | undefined;
    const server = await openLoopbackServer(0, () => ({
      ...hello,
      body: 'x'.repeat(100_000),
      onSent: () => (closed = server.close()),
    }));
    expect((await ask(server.port, '/')).body).toHaveLength(100_000);
    await closed;
    expect(await canBind(server.port)).toBe(true);
  });

  test('frees its port at once, even while somebody holds a connection open', async () => {
    const server = await openLoopbackServer(0, () => hello);
    const idle = connect(server.port, '127.0.0.1');
    idle.on('error', () => undefined);
    await once(idle, 'connect');
    const before = performance.now();
    await server.close();
    expect([await canBind(server.port), performance.now() - before < 2000]).toEqual([true, true]);
    idle.destroy();
  });

  test('rejects with the system’s own error when the port is taken', async () => {
    const squatter = createServer().listen(0, '127.0.0.1');
    await once(squatter, 'listening');
    const { port } = squatter.address() as AddressInfo; // a TCP server has one
    await expect(openLoopbackServer(port, () => hello)).rejects.toMatchObject({ code: 'EADDRINUSE' });
    squatter.close();
  });
});
