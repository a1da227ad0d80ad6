/** What pages of somebody else's can do to the service, tried in a real browser: rebinding, forgery, reading across origins. */

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { openServiceFixture, type ServiceFixture } from '../support/service-fixture.ts';

let api: ServiceFixture;
let evil: Server;
let evilPort = 0;
let browser: Browser;

beforeAll(async () => {
  api = await openServiceFixture();
  evil = createServer((_request, response) => response.end('<!doctype html><title>evil</title>')).listen(
    0,
    '127.0.0.1',
  );
  await new Promise((resolve) => evil.once('listening', resolve));
  evilPort = (evil.address() as AddressInfo).port; // it listens at a port
  browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    // The attacker's names lead to this machine, as after rebinding.
    args: ['--no-sandbox', '--host-resolver-rules=MAP *.test 127.0.0.1'],
  });
});
afterAll(async () => {
  await browser.close();
  evil.close();
  await api[Symbol.asyncDispose]();
});

async function evilPage(): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(`http://evil.test:${evilPort}/`);
  return page;
}

const servers = (): string[] => Object.keys(api.service.host.status());

test('T72: a name of the attacker’s that leads here is not answered, on any path', async () => {
  const page = await browser.newPage();
  for (const path of ['/', '/health', '/mcp', '/openapi.json']) {
    const answer = await page.goto(`http://rebound.test:${api.port}${path}`);
    expect([path, answer?.status()]).toEqual([path, 421]);
  }
  await page.close();
});

test('T72: not even with the token in hand', async () => {
  const page = await browser.newPage();
  await page.goto(`http://rebound.test:${api.port}/health`);
  const status = await page.evaluate(
    async (token) => (await fetch('/mcp', { headers: { authorization: `Bearer ${token}` } })).status,
    api.tokens.trust,
  );
  expect(status).toBe(421);
  await page.close();
});

test('T73: what another page sends changes nothing, whatever its shape', async () => {
  const page = await evilPage();
  const seen: number[] = [];
  page.on('response', (response) => {
    if (response.url().includes(`:${api.port}`)) seen.push(response.status());
  });
  const body = JSON.stringify({ name: 'evil', config: { command: 'evil' } });
  await page.evaluate(
    async ({ url, token, text }) => {
      const tries: RequestInit[] = [
        { method: 'POST', mode: 'no-cors', body: text },
        { method: 'POST', mode: 'no-cors', headers: { 'content-type': 'text/plain' }, body: text },
        { method: 'POST', mode: 'no-cors', body: new URLSearchParams({ name: 'evil' }) },
        { method: 'POST', headers: { 'content-type': 'application/json' }, body: text },
        {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
          body: text,
        },
        { method: 'DELETE' },
        { credentials: 'include' },
      ];
      for (const one of tries) await fetch(`${url}/mcp`, one).catch(() => undefined);
    },
    { url: api.service.url, token: api.tokens.trust, text: body },
  );
  await page.evaluate(`navigator.sendBeacon('${api.service.url}/mcp', 'x')`);
  await page.setContent(
    `<form id="f" method="post" enctype="text/plain" action="${api.service.url}/mcp"><input name="x"></form>`,
  );
  const [sent] = await Promise.all([
    page.waitForResponse((response) => response.url().startsWith(api.service.url)),
    page.evaluate(`document.getElementById('f').submit()`),
  ]);
  expect([403, 415]).toContain(sent.status());
  expect(seen.filter((status) => status < 400)).toEqual([]);
  expect(servers()).toEqual([]);
  await page.close();
});

test('T73: another page cannot read an answer, nor learn that a token is right', async () => {
  const page = await evilPage();
  const outcome = await page.evaluate(
    async ({ url, token }) => {
      const read = async (init: RequestInit): Promise<string> => {
        try {
          return await (await fetch(`${url}/health`, init)).text();
        } catch (error) {
          return String(error);
        }
      };
      return [await read({}), await read({ headers: { authorization: `Bearer ${token}` } })];
    },
    { url: api.service.url, token: api.tokens.trust },
  );
  expect(outcome).toEqual(['TypeError: Failed to fetch', 'TypeError: Failed to fetch']);
  await page.close();
});

test('T76: another page gets neither an event stream nor a socket', async () => {
  const page = await evilPage();
  const outcome = await page.evaluate(
    (url) =>
      Promise.all([
        new Promise((resolve) => {
          const source = new EventSource(`${url}/events`);
          source.onopen = () => resolve('open');
          source.onerror = () => resolve('refused');
        }),
        new Promise((resolve) => {
          const socket = new WebSocket(`${url.replace('http', 'ws')}/events`);
          socket.onopen = () => resolve('open');
          socket.onerror = () => resolve('refused');
        }),
      ]),
    api.service.url,
  );
  expect(outcome).toEqual(['refused', 'refused']);
  await page.close();
});

test('T73: a link on another site opens the page, with its icon and without a breach of its rules', async () => {
  const page = await evilPage();
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  await page.setContent(`<a href="${api.service.url}/">holt</a>`);
  const [answer] = await Promise.all([page.waitForNavigation(), page.click('a')]);
  expect(answer?.status()).toBe(200);
  expect(await page.title()).toBe('holt');
  expect(await page.evaluate(`fetch('/icon.svg').then((icon) => icon.status)`)).toBe(200);
  // No policy for HTML made by scripts can be created.
  const policy = `try { trustedTypes.createPolicy('any', {}); 'created' } catch (error) { error.name }`;
  expect(await page.evaluate(policy)).toBe('TypeError');
  expect(
    complaints.filter((text) => !text.includes('trustedTypes') && !text.includes('TrustedTypePolicy')),
  ).toEqual([]);
  await page.close();

  const other = await evilPage();
  await other.setContent(`<a href="${api.service.url}/health">api</a>`);
  const [refused] = await Promise.all([other.waitForNavigation(), other.click('a')]);
  expect(refused?.status()).toBe(403);
  await other.close();
});

test('T74: the page cannot be framed, stores no cookie, and its own script may exchange the code once', async () => {
  const outer = await evilPage();
  await outer.setContent(`<iframe src="${api.service.url}/"></iframe>`);
  const frame = outer.frames()[1];
  expect(await frame?.content().catch(() => '')).not.toContain('holt is running');
  await outer.close();

  const page = await browser.newPage();
  await page.goto(api.service.link());
  expect(await page.title()).toBe('holt');
  const code = await page.evaluate<string>(`location.hash.replace('#c=', '')`);
  const statuses = await page.evaluate(async (given) => {
    const headers = { 'content-type': 'application/json' };
    const ask = () => fetch('/session', { method: 'POST', headers, body: JSON.stringify({ code: given }) });
    const first = await ask();
    const { token } = (await first.json()) as { token: string };
    const list = await fetch('/mcp', { headers: { authorization: `Bearer ${token}` } });
    return [first.status, list.status, (await ask()).status];
  }, code);
  expect(statuses).toEqual([200, 200, 401]);
  expect(await page.evaluate(`document.cookie`)).toBe('');
  expect(await page.context().cookies()).toEqual([]);
  await page.close();
});
