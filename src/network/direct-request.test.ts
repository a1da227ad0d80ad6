/** Requests past fetch: whoever reads the answer sees no difference. */

import type { ServerResponse } from 'node:http';
import { deflateSync, gzipSync } from 'node:zlib';

import { describe, expect, test } from 'vitest';

import { serveHttp } from '../../tests/support/http-servers.ts';
import { openRemote, problemOf } from '../../tests/support/networks.ts';

const json = { 'content-type': 'application/json; charset=utf-8' };
const events = { 'content-type': 'text/event-stream' };
const text = '{"grüße":"読む 🙂"}';

type Answer = (response: ServerResponse) => unknown;

describe('an answer is the same as through fetch', () => {
  test.each<readonly [string, Answer]>([
    ['JSON', (response) => response.writeHead(200, json).end(text)],
    ['JSON with a mark at its beginning', (response) => response.writeHead(200, json).end(`\ufeff${text}`)],
    [
      'JSON whose characters are cut in two',
      (response) => {
        const bytes = Buffer.from(text);
        response.writeHead(200, json).write(bytes.subarray(0, 5));
        setImmediate(() => response.end(bytes.subarray(5)));
      },
    ],
    ['no JSON', (response) => response.writeHead(200, json).end('')],
    ['events', (response) => response.writeHead(200, events).end(`data: ${text}\n\n`.repeat(3))],
    [
      'packed JSON',
      (response) =>
        response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end(gzipSync(text.repeat(999))),
    ],
    [
      'packed events',
      (response) =>
        response.writeHead(200, { ...events, 'content-encoding': 'deflate' }).end(deflateSync(text)),
    ],
    ['a refusal', (response) => response.writeHead(500, 'Oh No', json).end(text)],
    ['nothing yet', (response) => response.writeHead(202).end()],
    ['nothing at all', (response) => response.writeHead(204).end()],
    ['a hint before it', (response) => (response.writeProcessing(), response.writeHead(200, json).end(text))],
    [
      'headers that come twice',
      (response) => response.writeHead(200, { ...json, 'www-authenticate': ['Basic', 'Bearer'] }).end('1'),
    ],
  ])('%s', async (_what, answer) => {
    await using server = await serveHttp((_, response) => void answer(response));
    await using remote = openRemote(server.url);
    const seen = [true, false].map(async (direct) => {
      const response = await remote.fetch(
        `${server.url}/mcp?a=b`,
        { method: 'POST', body: text },
        { direct },
      );
      const { status, statusText, ok } = response;
      const headers = [...response.headers].filter(([name]) => name !== 'date');
      return { status, statusText, ok, headers, text: await response.text() };
    });
    const [directly, byFetch] = await Promise.all(seen);
    expect(directly).toEqual(byFetch);
  });
});

describe('a direct request', () => {
  test('sends what was given, and can be read as JSON', async () => {
    await using server = await serveHttp(async (request, response) => {
      const body = Buffer.concat((await request.toArray()) as Buffer[]).toString(); // without an encoding
      const { method, url, headers } = request;
      response.writeHead(200, json).end(JSON.stringify({ method, url, key: headers['x-key'], body }));
    });
    await using remote = openRemote(server.url, {}, { headers: { 'X-Key': 'hush' } });
    const response = await remote.fetch(
      `${server.url}/mcp?a=b`,
      { method: 'POST', body: text },
      { direct: true },
    );
    expect(await response.json()).toEqual({ method: 'POST', url: '/mcp?a=b', key: 'hush', body: text });
  });

  test.each([
    ['gathered', json],
    ['streamed', events],
  ])('whose answer is %s and breaks off tells so, once', async (_what, headers) => {
    await using server = await serveHttp((_, response) => {
      response.writeHead(200, headers).write(text);
      setImmediate(() => response.destroy());
    });
    await using remote = openRemote(server.url);
    const ends: unknown[] = [];
    const onEnd = (failure: unknown): void => void ends.push(failure);
    const response = await remote.fetch(server.url, { method: 'POST', body: '' }, { direct: true, onEnd });
    await expect(response.text()).rejects.toThrow('other side closed');
    expect(ends).toMatchObject([{ problem: { kind: 'lost' } }]);
  });

  test('whose answer is too large is refused', async () => {
    await using server = await serveHttp((_, response) =>
      response.writeHead(200, json).end('x'.repeat(5000)),
    );
    await using remote = openRemote(server.url, {}, { messageBytes: 1000 });
    const read = async (): Promise<string> =>
      (await remote.fetch(server.url, { method: 'POST', body: '' }, { direct: true })).text();
    expect(await problemOf(read())).toEqual({ kind: 'too-large', limitBytes: 1000 });
  });

  test('lets go of its socket when the stream is not wanted any more', async () => {
    let closed: Promise<unknown> | undefined;
    await using server = await serveHttp((_, response) => {
      closed = new Promise((resolve) => response.once('close', () => resolve('closed')));
      response.writeHead(200, events).write('data: 1\n\n');
    });
    await using remote = openRemote(server.url);
    const response = await remote.fetch(server.url, { method: 'POST', body: '' }, { direct: true });
    await response.body?.cancel();
    expect(await closed).toBe('closed');
  });

  test('keeps a fast server waiting for a slow reader', async () => {
    const chunk = Buffer.alloc(1 << 16, 'x');
    let sent = 0;
    await using server = await serveHttp((_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      while (sent < 400 && response.write(chunk)) sent += 1;
      const more = (): void => {
        while (sent < 400 && response.write(chunk)) sent += 1;
        if (sent >= 400) response.end();
      };
      response.on('drain', more);
    });
    await using remote = openRemote(server.url, {}, { messageBytes: 1 << 30 });
    const response = await remote.fetch(server.url, { method: 'POST', body: '' }, { direct: true });
    const reader = response.body?.getReader();
    await reader?.read();
    expect(sent).toBeLessThan(400);
    await reader?.cancel();
  });
});
