/** Logins that end before they are finished, or because another one was: nothing of them is stored, and no port stays open. */

import { mkdir, writeFile } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { Host, HostOptions } from '../../src/host/host.ts';
import type { Interaction } from '../../src/kernel/interaction.ts';
import { startAuth, type AuthFixture } from '../support/auth-fixture.ts';
import { freePort } from '../support/free-port.ts';
import { nextEvent, openHostFixture, type HostFixture } from '../support/host-fixture.ts';

let provider: AuthFixture;
beforeAll(async () => {
  provider = await startAuth('odd-provider');
});
afterAll(() => provider[Symbol.asyncDispose]());

const connected = { status: 'connected' };
const loggedOut = 'OAuth authentication failed: the login was cancelled: the user logged out in the meantime';

function entry(callbackPort: number): object {
  return { type: 'http', url: `${provider.url}/mcp`, oauth: { callbackPort } };
}

async function write(fixture: HostFixture, mcpServers: object): Promise<void> {
  await mkdir(path.join(fixture.home, '.holt'), { recursive: true });
  await writeFile(path.join(fixture.home, '.holt', 'mcp.json'), JSON.stringify({ mcpServers }));
}

/** A person's own entries, and a host that has them. */
async function openWith(fixture: HostFixture, mcpServers: object, options: HostOptions = {}): Promise<Host> {
  await write(fixture, mcpServers);
  return fixture.open(options);
}

async function callbackOf(url: string): Promise<string> {
  const { headers } = await fetch(url, { redirect: 'manual' });
  return headers.get('location') ?? '';
}

/** What a browser that comes back gets to see. */
async function comeBack(callback: string): Promise<string> {
  try {
    const response = await fetch(callback);
    const page = await response.text();
    return `${response.status} ${/Invalid state/.exec(page)?.[0] ?? 'page'}`;
  } catch {
    return 'nobody listens';
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

async function untilFree(port: number): Promise<void> {
  while (await answers(port));
}

describe('logging out', () => {
  test('cancels the pending login: its state becomes invalid, nothing is stored, and other logins continue', async () => {
    await using fixture = await openHostFixture();
    const port = await freePort();
    const host = await openWith(fixture, { odd: entry(port), even: entry(port) });
    const odd = await callbackOf((await host.startAuth('odd')).authorizationUrl);
    const even = await callbackOf((await host.startAuth('even')).authorizationUrl);
    expect(await host.removeAuth('odd')).toEqual({ removed: false, revoked: false });
    expect(await comeBack(odd)).toBe('400 Invalid state');
    await expect(host.finishAuth('odd', odd)).rejects.toMatchObject({
      code: 'auth-failed',
      details: { server: 'odd', reason: 'no such login is waiting' },
    });
    const completed = nextEvent(host, 'mcp.auth.completed');
    expect([await comeBack(even), (await completed).server]).toEqual(['200 page', 'even']);
    await untilFree(port);
    expect([await host.hasStoredTokens('odd'), await host.hasStoredTokens('even')]).toEqual([false, true]);
  });

  test('leaves no port open when nothing else waits', async () => {
    await using fixture = await openHostFixture();
    const port = await freePort();
    const host = await openWith(fixture, { odd: entry(port) });
    await host.startAuth('odd');
    const before = await answers(port);
    await host.removeAuth('odd');
    expect([before, await answers(port)]).toEqual([true, false]);
  });

  test('rejects the caller that waits for the browser', async () => {
    await using fixture = await openHostFixture();
    const port = await freePort();
    const host = await openWith(fixture, { odd: entry(port) });
    const opened = nextEvent(host, 'mcp.browser.open.failed');
    const login = host.authenticate('odd').catch((error: unknown) => error);
    const callback = await callbackOf((await opened).url);
    await host.removeAuth('odd');
    expect(await login).toMatchObject({ code: 'auth-failed', message: loggedOut });
    expect([await comeBack(callback), await host.hasStoredTokens('odd')]).toEqual(['nobody listens', false]);
  });

  test('rejects the caller that waits for the tokens', async () => {
    await using fixture = await openHostFixture();
    const host = await openWith(fixture, { odd: entry(await freePort()) });
    const callback = await callbackOf((await host.startAuth('odd')).authorizationUrl);
    const asked = (await provider.log('POST /token')).length;
    await provider.post('/script', { 'POST /token': [{ hang: true }] });
    const login = host.finishAuth('odd', callback).catch((error: unknown) => error);
    while ((await provider.log('POST /token')).length === asked);
    await host.removeAuth('odd');
    expect(await login).toMatchObject({ code: 'auth-failed', message: loggedOut });
    expect(await host.hasStoredTokens('odd')).toBe(false);
  });

  test('in another process cancels it, too', async () => {
    await using fixture = await openHostFixture();
    const first = await openWith(fixture, { odd: entry(await freePort()) });
    const over = nextEvent(first, 'mcp.warning', ({ code }) => code === 'login-failed');
    const callback = await callbackOf((await first.startAuth('odd')).authorizationUrl);
    const second = await fixture.open();
    await second.removeAuth('odd');
    await comeBack(callback);
    expect((await over).message).toBe(loggedOut);
    expect(await first.hasStoredTokens('odd')).toBe(false);
  });
});

describe('a login that waits ends with its server', () => {
  const elsewhere = { odd: { type: 'http', url: 'http://127.0.0.1:9/mcp' } };
  test.each<[string, string, (host: Host, fixture: HostFixture) => Promise<unknown>]>([
    ['is disabled', 'the server was disabled', (host) => host.disable('odd')],
    ['is removed', 'the server was removed', (host) => host.remove('odd')],
    ['is gone from its file', 'the server was removed', (host, fixture) => reloadWith(host, fixture, {})],
    ['has moved', "the server's URL was changed", (host, fixture) => reloadWith(host, fixture, elsewhere)],
  ])('when it %s', async (_, reason, act) => {
    await using fixture = await openHostFixture();
    const port = await freePort();
    const host = await openWith(fixture, { odd: entry(port) });
    await host.startAuth('odd');
    const opened = nextEvent(host, 'mcp.browser.open.failed');
    const login = host.authenticate('odd').catch((error: unknown) => error);
    await opened;
    await act(host, fixture);
    expect(await login).toMatchObject({
      code: 'auth-failed',
      message: `OAuth authentication failed: the login was cancelled: ${reason}`,
    });
    await untilFree(port);
  });

  test('and so does the question for a token', async () => {
    await using fixture = await openHostFixture();
    let told: (signal: AbortSignal | undefined) => void = () => undefined;
    const asked = new Promise<AbortSignal | undefined>((resolve) => (told = resolve));
    const askSecret: Interaction['askSecret'] = (_prompt, signal) =>
      new Promise((resolve) => {
        signal?.addEventListener('abort', () => resolve(undefined), { once: true });
        told(signal);
      });
    const host = await openWith(fixture, { odd: entry(await freePort()) }, { interaction: { askSecret } });
    const login = host.authenticate('odd', { flow: 'manual' }).catch((error: unknown) => error);
    const signal = await asked;
    await host.disable('odd');
    expect(await login).toMatchObject({ code: 'auth-failed' });
    expect(signal?.aborted).toBe(true);
  });

  test('and not with a change that leaves it what it was', async () => {
    await using fixture = await openHostFixture();
    const port = await freePort();
    const host = await openWith(fixture, { odd: entry(port) });
    const { authorizationUrl } = await host.startAuth('odd');
    const completed = nextEvent(host, 'mcp.auth.completed');
    await reloadWith(host, fixture, { odd: { ...entry(port), timeout: 1234 }, more: entry(port) });
    await comeBack(await callbackOf(authorizationUrl));
    expect(await completed).toMatchObject({ server: 'odd' });
  });
});

async function reloadWith(host: Host, fixture: HostFixture, mcpServers: object): Promise<void> {
  await write(fixture, mcpServers);
  await host.reload();
}

describe('of several logins for one server', () => {
  test.each([
    ['first', 0],
    ['second', 1],
  ])('the %s may be finished, which is the end of all of them', async (_, index) => {
    await using fixture = await openHostFixture();
    const port = await freePort();
    const host = await openWith(fixture, { odd: entry(port) });
    const opened = nextEvent(host, 'mcp.browser.open.failed');
    const waiting = host.authenticate('odd');
    await opened;
    const begun = [await host.startAuth('odd'), await host.startAuth('odd')];
    const callbacks = await Promise.all(begun.map(({ authorizationUrl }) => callbackOf(authorizationUrl)));
    expect(await comeBack(callbacks[index] ?? '')).toBe('200 page');
    expect(await waiting).toEqual(connected);
    await untilFree(port);
    expect(await comeBack(callbacks[1 - index] ?? '')).toBe('nobody listens');
    expect([await host.hasStoredTokens('odd'), host.status()['odd']]).toEqual([true, connected]);
  });

  test('the first is finished after the second was refused', async () => {
    await using fixture = await openHostFixture();
    const port = await freePort();
    const host = await openWith(fixture, { odd: entry(port) });
    const refused = nextEvent(host, 'mcp.warning', ({ code }) => code === 'login-failed');
    const first = await host.startAuth('odd');
    const denied = new URL(await callbackOf((await host.startAuth('odd')).authorizationUrl));
    denied.searchParams.delete('code');
    denied.searchParams.set('error', 'access_denied');
    await comeBack(denied.href);
    expect((await refused).message).toBe('OAuth authentication failed: access_denied');
    expect(await host.finishAuth('odd', await callbackOf(first.authorizationUrl))).toEqual(connected);
    expect(await answers(port)).toBe(false);
  });
});

test('a header that the entry brings itself and that is refused is what there is to correct: no login is proposed', async () => {
  await using fixture = await openHostFixture();
  const headers = { Authorization: 'Bearer of-its-own-and-wrong' };
  const host = await openWith(fixture, { odd: { type: 'http', url: `${provider.url}/mcp`, headers } });
  expect(await host.connect('odd')).toEqual({ status: 'needs_auth' });
  const file = path.join(fixture.home, '.holt', 'mcp.json');
  const remedy = `The server refused the header "Authorization" that is configured in ${file}; correct it there.`;
  expect([host.report()['odd']?.remedy, host.listErrors('tools')]).toEqual([remedy, { odd: remedy }]);
  expect((await host.call('odd.anything', {})).error?.message).toBe(
    `Failed to connect to "odd": the server answered with status 401. ${remedy}`,
  );
});
