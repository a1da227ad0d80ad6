import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { createFakeClock, type FakeClock } from '../../tests/support/fake-clock.ts';
import { HoltError } from '../kernel/errors.ts';
import { openLoopbackServer } from '../platform/listeners/loopback-server.ts';
import { createCallbackListener, type CallbackListener } from './callback-listener.ts';
import { callbackPages } from './callback-pages.ts';

const server = 'secured';
const { received, failed } = callbackPages('holt');
const newState = (): string => randomBytes(32).toString('base64url');

let clock: FakeClock;
let listener: CallbackListener;
let base: string;
beforeEach(async () => {
  clock = createFakeClock();
  listener = createCallbackListener({ clock, openServer: openLoopbackServer, title: 'holt' });
  base = (await listener.open({ server, port: 0, fixed: false })).redirectUri;
});
afterEach(() => listener.close());

async function visit(
  query: Readonly<Record<string, string>> | string,
  init: RequestInit = {},
): Promise<Response> {
  return fetch(`${base}?${new URLSearchParams(query)}`, init);
}

/** How it ended, as a value to compare. */
async function outcomeOf(waiting: Promise<unknown>): Promise<unknown> {
  return waiting.catch((error: unknown) => (HoltError.is(error) ? [error.code, error.message] : error));
}

describe('a callback', () => {
  test('with the expected state completes the login, and the page closes itself after two seconds', async () => {
    const state = newState();
    const waiting = listener.wait(state, { server });
    const response = await visit({ state, code: 'the-code', iss: 'https://issuer.example' });
    const body = await response.text();
    expect([response.status, body]).toEqual([200, received.body]);
    expect(body).toContain('setTimeout(()=>close(),2000)');
    expect(await waiting).toEqual({ code: 'the-code', iss: 'https://issuer.example' });
    expect(clock.pending).toBe(0);
  });

  test('without an issuer returns none', async () => {
    const state = newState();
    const waiting = listener.wait(state, { server });
    await visit({ state, code: 'c' });
    expect(await waiting).toEqual({ code: 'c' });
  });

  test.each([
    ['no state', { code: 'c' }, 400, 'Missing state parameter\n'],
    ['an empty state', { state: '', code: 'c' }, 400, 'Missing state parameter\n'],
    ['a state nobody waits for', { state: 'x'.repeat(43), code: 'c' }, 400, 'Invalid state\n'],
    ['an error and no state', { error: 'access_denied' }, 400, 'Missing state parameter\n'],
    ['an error and a wrong state', { error: 'access_denied', state: 'y' }, 400, 'Invalid state\n'],
  ])('with %s is rejected', async (_what, query, status, text) => {
    const response = await visit(query);
    expect([response.status, await response.text()]).toEqual([status, text]);
  });

  test('that is malformed is rejected, and the login stays pending', async () => {
    const state = newState();
    const waiting = listener.wait(state, { server });
    const statuses = [
      (await visit({ state })).status,
      (await visit({ state, code: '' })).status,
      (await visit(`state=${state}&code=a&code=b`)).status,
      (await visit(`state=${state}&state=other&code=a`)).status,
      (await visit(`state=${state}&code=a&iss=x&iss=y`)).status,
      (await visit({ state, code: 'c' }, { method: 'POST' })).status,
      (await visit({ state, code: 'c' }, { method: 'HEAD' })).status,
      (await fetch(`${base}/more?state=${state}&code=c`)).status,
      (await fetch(`${new URL(base).origin}/?state=${state}&code=c`)).status,
    ];
    expect(statuses).toEqual([400, 400, 400, 400, 400, 405, 405, 404, 404]);
    await visit({ state, code: 'genuine' });
    expect(await waiting).toEqual({ code: 'genuine' });
  });

  test('T39: is accepted once, after fifty forged ones that change nothing', async () => {
    const state = newState();
    const waiting = listener.wait(state, { server });
    for (let count = 0; count < 50; count += 1)
      expect((await visit({ state: newState(), code: 'forged' })).status).toBe(400);
    expect((await visit({ state, code: 'genuine' })).status).toBe(200);
    expect(await waiting).toEqual({ code: 'genuine' });
    expect((await visit({ state, code: 'genuine' })).status).toBe(400);
  });

  test('T39: is accepted once when several have the same state', async () => {
    const state = newState();
    const waiting = listener.wait(state, { server });
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) => visit({ state, code: `${index}` })),
    );
    const statuses = responses.map(({ status }) => status);
    expect(statuses.toSorted((left, right) => left - right)).toEqual([
      200,
      ...Array.from({ length: 19 }, () => 400),
    ]);
    expect(await waiting).toEqual({ code: String(statuses.indexOf(200)) });
  });

  test('T40: fifty forged errors change nothing', async () => {
    const state = newState();
    const waiting = listener.wait(state, { server });
    for (let count = 0; count < 50; count += 1) {
      const forged =
        count % 2 === 0 ? { error: 'access_denied' } : { error: 'access_denied', state: newState() };
      expect((await visit(forged)).status).toBe(400);
    }
    await visit({ state, code: 'genuine' });
    expect(await waiting).toEqual({ code: 'genuine' });
  });

  test('T39: requires a state of at least 128 bits that is used once', async () => {
    await expect(listener.wait('x'.repeat(21), { server })).rejects.toThrow('a state is long');
    const state = newState();
    const first = listener.wait(state, { server });
    await expect(listener.wait(state, { server })).rejects.toThrow('used once');
    await visit({ state, code: 'c' });
    expect(await first).toEqual({ code: 'c' });
  });

  test('with an error fails the login with the provider’s text, which is not on the page', async () => {
    const state = newState();
    const waiting = outcomeOf(listener.wait(state, { server }));
    const response = await visit({ state, error: 'access_denied', error_description: 'Ada answers no' });
    expect([response.status, await response.text()]).toEqual([200, failed.body]);
    expect(await waiting).toEqual([
      'auth-failed',
      'OAuth authentication failed: Ada answers no (access_denied)',
    ]);
  });

  test('with a very long error is shortened', async () => {
    const state = newState();
    const waiting = listener.wait(state, { server }).catch((error: unknown) => String(error).length);
    await visit({ state, error: 'x', error_description: 'a'.repeat(5000) });
    expect(await waiting).toBeLessThan(600);
  });

  const isGood = (issuer: string | undefined): boolean => issuer === 'https://good.example';

  test.each([
    ['a code and a foreign issuer', { code: 'stolen', iss: 'https://bad.example' }],
    ['a code and no issuer where one was promised', { code: 'stolen' }],
    [
      'an error and a foreign issuer',
      { error: 'x', error_description: 'call 555-1234', iss: 'https://bad.example' },
    ],
  ])('T125, T36: with the right state, %s, neither ends nor breaks the login', async (_what, foreign) => {
    const state = newState();
    let warnings = 0;
    const waiting = listener.wait(state, { server, isFrom: isGood, onForeign: () => (warnings += 1) });
    for (let count = 0; count < 3; count += 1) {
      const response = await visit({ state, ...foreign });
      expect([response.status, await response.text()]).toEqual([400, 'Invalid issuer\n']);
    }
    expect([clock.pending, warnings]).toEqual([1, 1]);
    const genuine = { code: 'genuine', iss: 'https://good.example' };
    expect((await visit({ state, ...genuine })).status).toBe(200);
    expect(await waiting).toEqual(genuine);
  });

  test('T125: a login that receives only foreign issuers times out as usual and names the reason', async () => {
    const state = newState();
    const waiting = listener.wait(state, { server, isFrom: isGood }).catch((error: unknown) => error);
    await visit({ state, code: 'stolen', iss: 'https://bad.example' });
    await clock.advance(5 * 60_000);
    const error = await waiting;
    expect(HoltError.is(error, 'auth-timeout') && [error.message, error.remedy]).toEqual([
      'OAuth flow timed out. Please try again.',
      'A callback was ignored because it did not name the issuer that was asked. If that was your own login, its provider sends a wrong "iss".',
    ]);
  });

  test('T125: a query over 8 KiB is answered with 414, and one of exactly 8 KiB is accepted', async () => {
    const state = newState();
    const waiting = listener.wait(state, { server });
    const query = (length: number): string => `state=${state}&code=c&more=`.padEnd(length, 'a');
    const long = await fetch(`${base}?${query((8 << 10) + 1)}`);
    expect([long.status, await long.text()]).toEqual([414, 'URI Too Long\n']);
    const denied = await fetch(`${base}?${`error=x&state=${state}`.padEnd(60_000, '&')}`);
    expect([denied.status, clock.pending]).toEqual([414, 1]);
    expect((await fetch(`${base}?${query(8 << 10)}`)).status).toBe(200);
    expect(await waiting).toEqual({ code: 'c' });
  });

  test.each(['code', 'error'])(
    'T44: a page and its headers contain nothing from a request with %s',
    async (kind) => {
      const nasty = `"'><img src=x onerror=alert(1)>\r\nX-Evil: 1`;
      const state = newState();
      const waiting = outcomeOf(listener.wait(state, { server }));
      const response = await visit({
        state,
        [kind]: nasty,
        error_description: nasty,
        iss: nasty,
        more: nasty,
      });
      const page = kind === 'code' ? received : failed;
      expect(await response.text()).toBe(page.body);
      expect(Object.fromEntries(response.headers)).toEqual({
        ...Object.fromEntries(
          Object.entries(page.headers).map(([name, value]) => [name.toLowerCase(), value]),
        ),
        connection: 'close',
        'content-length': String(page.body.length),
        date: expect.any(String),
      });
      await waiting;
    },
  );

  test('T44: pages allow no script and no style but their own, and load nothing', () => {
    for (const page of [received, failed]) {
      const policy = page.headers['Content-Security-Policy'];
      expect(policy).toMatch(
        /^default-src 'none'; style-src 'sha256-[\w+/=]+'; script-src 'sha256-[\w+/=]+'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
      );
      expect(page.body).not.toMatch(/https?:|src=|href=|@import|url\(/);
    }
  });
});

describe('waiting', () => {
  test('ends after five minutes', async () => {
    const waiting = outcomeOf(listener.wait(newState(), { server }));
    await clock.advance(299_999);
    expect(clock.pending).toBe(1);
    await clock.advance(1);
    expect(await waiting).toEqual(['auth-timeout', 'OAuth flow timed out. Please try again.']);
  });

  test('ends when it is cancelled, and a later callback is rejected', async () => {
    const state = newState();
    const { signal, abort } = (() => {
      const controller = new AbortController();
      return { signal: controller.signal, abort: () => controller.abort(new Error('enough')) };
    })();
    const waiting = listener.wait(state, { server, signal });
    abort();
    await expect(waiting).rejects.toThrow('enough');
    expect([(await visit({ state, code: 'late' })).status, clock.pending]).toEqual([400, 0]);
  });

  test('ends when the listener is closed', async () => {
    const waiting = outcomeOf(listener.wait(newState(), { server }));
    await listener.close();
    expect(await waiting).toEqual(['auth-failed', 'OAuth authentication failed: the host was closed']);
  });

  test('several logins are distinguished by their states', async () => {
    const states = Array.from({ length: 8 }, newState);
    const waiting = states.map((state) => listener.wait(state, { server }));
    await Promise.all(states.toReversed().map((state, index) => visit({ state, code: `code ${7 - index}` })));
    expect(await Promise.all(waiting)).toEqual(states.map((_, index) => ({ code: `code ${index}` })));
  });
});

describe('the port', () => {
  async function squat(): Promise<{ readonly port: number; free(): void }> {
    const squatter = createServer().listen(0, '127.0.0.1');
    await once(squatter, 'listening');
    return { port: (squatter.address() as AddressInfo).port, free: () => void squatter.close() }; // a TCP server has one
  }

  test('T41: that is fixed and in use is an error that names it', async () => {
    const { port, free } = await squat();
    const error: unknown = await listener
      .open({ server, port, fixed: true })
      .catch((reason: unknown) => reason);
    expect(HoltError.is(error, 'auth-failed') && [error.message, error.remedy]).toEqual([
      `OAuth authentication failed: port ${port} is taken by another program, and the login has to come back to it`,
      `End what uses port ${port}, or set oauth.callbackPort to one that the provider knows too.`,
    ]);
    free();
  });

  test('T41: that is in use is replaced by another one, where any port works', async () => {
    const { port, free } = await squat();
    const { redirectUri } = await listener.open({ server, port, fixed: false });
    expect(new URL(redirectUri)).toMatchObject({ hostname: '127.0.0.1', pathname: '/mcp/oauth/callback' });
    expect(Number(new URL(redirectUri).port)).not.toBe(port);
    free();
  });

  test('is shared by logins that need the same one, and closed when the last one ends', async () => {
    const { port, free } = await squat();
    free();
    const place = { server, port, fixed: true };
    const [first, second] = await Promise.all([
      listener.open(place),
      listener.open({ ...place, path: '/cb' }),
    ]);
    expect([first.redirectUri, second.redirectUri]).toEqual([
      `http://127.0.0.1:${port}/mcp/oauth/callback`,
      `http://127.0.0.1:${port}/cb`,
    ]);
    const statusOf = async (uri: string): Promise<number | string> =>
      fetch(uri).then(
        ({ status }) => status,
        () => 'nobody there',
      );
    await first.release();
    await first.release();
    expect([await statusOf(first.redirectUri), await statusOf(second.redirectUri)]).toEqual([404, 400]);
    const before = performance.now();
    await second.release();
    expect([await statusOf(second.redirectUri), performance.now() - before < 2000]).toEqual([
      'nobody there',
      true,
    ]);
    const again = await listener.open(place);
    expect(await statusOf(again.redirectUri)).toBe(400);
  });

  test('may close as soon as the login has ended: the page has been sent by then', async () => {
    const { redirectUri, release } = await listener.open({ server, port: 0, fixed: false, path: '/again' });
    const state = newState();
    const ended = listener.wait(state, { server }).then(() => Promise.all([release(), listener.close()]));
    const response = await fetch(`${redirectUri}?state=${state}&code=c`);
    expect(await response.text()).toBe(received.body);
    await ended;
  });
});
