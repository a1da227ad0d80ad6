/** Logins that have ended: what a host and the command say about them, with a real provider and a server that checks tokens. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { Host } from '../../src/host/host.ts';
import type { Interaction } from '../../src/kernel/interaction.ts';
import type { ToolResult } from '../../src/results/tool-result.ts';
import { createCredentialMemory } from '../../src/secrets/credential-stores.ts';
import { browse, startAuth, type AuthFixture } from '../support/auth-fixture.ts';
import { openHostFixture, type HostFixture } from '../support/host-fixture.ts';

let provider: AuthFixture;
let server: AuthFixture;
beforeAll(async () => {
  provider = await startAuth('oidc-provider');
  server = await startAuth('guarded-server', { issuer: provider.url });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

const id = 'mcp:shop';
const connected = { status: 'connected' };
const browser: Interaction = { openUrl: async (url) => (await browse(url)).status === 200 };

interface LoggedIn {
  readonly host: Host;
  readonly store: ReturnType<typeof createCredentialMemory>;
}

async function logIn(fixture: HostFixture): Promise<LoggedIn> {
  const store = createCredentialMemory();
  const host = await fixture.open({
    servers: { shop: { type: 'http', url: server.url } },
    stores: { credentials: store },
    interaction: browser,
  });
  expect(await host.authenticate('shop')).toEqual(connected);
  return { host, store };
}

/** The provider takes the whole login back: access token, refresh token and grant. */
async function revoke({ store }: LoggedIn): Promise<void> {
  const { tokens, client } = (await store.get(id)) ?? {};
  const body = new URLSearchParams({ token: tokens?.refresh ?? '', client_id: client?.id ?? '' });
  expect((await fetch(`${provider.url}/revoke`, { method: 'POST', body })).status).toBe(200);
}

const refreshes = async (): Promise<number> =>
  (await provider.log('token')).filter(({ params }) => params['grant_type'] === 'refresh_token').length;

const call = (host: Host): Promise<ToolResult> => host.call('mcp__shop__whoami', {}, { asked: true });

const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof Error && 'code' in error ? error.code : error),
  );

describe('a refused refresh', () => {
  test('makes the login expired: every call throws auth-required, and the provider is asked once', async () => {
    await using fixture = await openHostFixture();
    const login = await logIn(fixture);
    const { host, store } = login;
    await revoke(login);
    const before = await refreshes();
    const calls = [];
    for (let count = 0; count < 3; count += 1) calls.push(await codeOf(call(host)));
    expect(calls).toEqual(['auth-required', 'auth-required', 'auth-required']);
    expect([host.status()['shop'], await host.getAuthStatus('shop')]).toEqual([
      { status: 'needs_auth' },
      'expired',
    ]);
    expect((await host.logins()).map(({ status, expiresAt }) => [status, expiresAt])).toEqual([
      ['expired', undefined],
    ]);
    expect((await store.get(id))?.client?.id).toEqual(expect.any(String));
    expect([await host.connect('shop'), (await refreshes()) - before]).toEqual([{ status: 'needs_auth' }, 1]);
    await expect(call(host)).rejects.toThrow(
      'Failed to connect to "shop": it needs a new login: the stored one has expired. Log in with holt auth shop.',
    );
  });

  test.each<readonly [string, (host: Host) => Promise<unknown>]>([
    ['a call', call],
    ['a raw call', (host) => host.callRaw('mcp__shop__whoami', {}, { asked: true })],
    ['reading a resource', (host) => host.readResource('shop', 'file:///x')],
    ['following a resource', (host) => host.subscribe('shop', 'file:///x')],
    ['a prompt', (host) => host.prompt('shop', 'hello')],
    [
      'a completion',
      (host) => host.complete('shop', { type: 'ref/prompt', name: 'hello' }, { name: 'a', value: '' }),
    ],
  ])('makes %s throw auth-required each time, also after reconnects', async (_what, use) => {
    await using fixture = await openHostFixture();
    const login = await logIn(fixture);
    const { host } = login;
    await revoke(login);
    const codes = [await codeOf(use(host)), await codeOf(use(host))];
    await host.connect('shop');
    codes.push(await codeOf(use(host)));
    await host.disconnect('shop');
    codes.push(await codeOf(use(host)), await codeOf(use(host)));
    await host.reload();
    codes.push(await codeOf(use(host)));
    expect(codes).toEqual(codes.map(() => 'auth-required'));
  });

  test('makes the lists of the one server throw auth-required each time after a reconnect', async () => {
    await using fixture = await openHostFixture();
    const login = await logIn(fixture);
    const { host } = login;
    await revoke(login);
    const shop = { server: 'shop' };
    const codes = [];
    for (let count = 0; count < 2; count += 1) {
      await host.disconnect('shop');
      codes.push(await codeOf(host.resources(shop)), await codeOf(host.prompts(shop)));
      codes.push(await codeOf(host.resourceTemplates(shop)));
    }
    expect(codes).toEqual(codes.map(() => 'auth-required'));
  });

  test('of many calls in flight fails each of them with auth-required', async () => {
    await using fixture = await openHostFixture();
    const login = await logIn(fixture);
    await revoke(login);
    const calls = Array.from({ length: 5 }, () => codeOf(call(login.host)));
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['auth-required']));
  });

  test('ends with the next login, under the same registration', async () => {
    await using fixture = await openHostFixture();
    const login = await logIn(fixture);
    const { host } = login;
    await revoke(login);
    expect(await codeOf(call(host))).toBe('auth-required');
    const registrations = (await provider.log('registration')).length;
    expect(await host.authenticate('shop')).toEqual(connected);
    expect([await host.getAuthStatus('shop'), (await provider.log('registration')).length]).toEqual([
      'authenticated',
      registrations,
    ]);
    expect((await call(host)).ok).toBe(true);
  });
});
