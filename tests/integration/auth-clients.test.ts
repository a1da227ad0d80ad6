/** As whom holt logs in: a client that was registered serves what it was registered for, and gives way where it does not. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { Host } from '../../src/host/host.ts';
import type { RegisteredClient, StoredTokens } from '../../src/kernel/credentials.ts';
import type { Interaction } from '../../src/kernel/interaction.ts';
import { createCredentialMemory } from '../../src/secrets/credential-stores.ts';
import { startAuth, type AuthFixture } from '../support/auth-fixture.ts';
import { nextEvent, openHostFixture, type HostFixture } from '../support/host-fixture.ts';

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
const forPages = ['authorization_code', 'refresh_token'];
const connected = { status: 'connected' };

let provider: AuthFixture;
let fixture: HostFixture;
beforeAll(async () => {
  fixture = await openHostFixture();
  provider = await startAuth('odd-provider', { device: { interval: 0.01 } });
});
afterAll(async () => {
  await fixture[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

interface Person {
  readonly host: Host;
  /** The client that is stored. */
  client(): Promise<RegisteredClient | undefined>;
  /** The clients that asked at this place, and what was asked for at the registration, since the person came. */
  seen(event: string): Promise<readonly unknown[]>;
}

interface Start {
  readonly client?: RegisteredClient;
  readonly tokens?: StoredTokens;
  readonly script?: object;
  readonly oauth?: object;
  readonly interaction?: Interaction;
}

async function person({ client, tokens, script = {}, oauth, interaction }: Start): Promise<Person> {
  const credentials = createCredentialMemory();
  const url = `${provider.url}/mcp`;
  if (client !== undefined) {
    const login = tokens === undefined ? {} : { tokens };
    await credentials.set('mcp:odd', { serverUrl: url, issuer: provider.url, client, ...login });
  }
  await provider.post('/script', script);
  const before = (await provider.log()).length;
  const host = await fixture.open({
    servers: { odd: { type: 'http', url, ...(oauth === undefined ? {} : { oauth }) } },
    stores: { credentials },
    interaction: { showDeviceCode: () => undefined, ...interaction },
  });
  return {
    host,
    client: async () => (await credentials.get('mcp:odd'))?.client,
    seen: async (name) =>
      (await provider.log())
        .slice(before)
        .filter(({ event }) => event === name)
        .map(({ params }) => params['client_id'] ?? params['grant_types']),
  };
}

const refusal = (error: string): object => ({ status: 400, json: { error } });

describe('a device code is requested', () => {
  test('by a client that was registered for it, which serves the browser as well', async () => {
    const { host, client, seen } = await person({ client: { id: 'pages', grants: forPages } });
    expect(await host.authenticate('odd', { flow: 'device' })).toEqual(connected);
    const grants = [...forPages, deviceGrant];
    const kept = await client();
    expect([kept?.grants, await seen('POST /register')]).toEqual([grants, [grants]]);
    expect(await seen('POST /device')).toEqual([kept?.id]);
    const { authorizationUrl } = await host.startAuth('odd');
    expect(new URL(authorizationUrl).searchParams.get('client_id')).toBe(kept?.id);
  });

  test.each(['invalid_request', 'unauthorized_client', 'invalid_client'])(
    'by a new client after %s, where the record of an older one does not say what it is for',
    async (error) => {
      const script = { 'POST /device': [refusal(error)] };
      const { host, client, seen } = await person({ client: { id: 'old' }, script });
      expect(await host.authenticate('odd', { flow: 'device' })).toEqual(connected);
      expect(await seen('POST /device')).toEqual(['old', (await client())?.id]);
    },
  );

  test('by the client of an older record where that is taken', async () => {
    const { host, client, seen } = await person({ client: { id: 'old' } });
    expect(await host.authenticate('odd', { flow: 'device' })).toEqual(connected);
    expect([await client(), await seen('POST /register')]).toEqual([{ id: 'old' }, []]);
  });

  test('by one new client at most, and the old one stays where that fails too', async () => {
    const script = { 'POST /device': [{ ...refusal('unauthorized_client'), repeat: true }] };
    const { host, client, seen } = await person({ client: { id: 'old' }, script });
    await expect(host.authenticate('odd', { flow: 'device' })).rejects.toMatchObject({
      message: 'OAuth authentication failed: unauthorized_client',
    });
    expect([await client(), (await seen('POST /register')).length]).toEqual([{ id: 'old' }, 1]);
  });

  test.each([
    [
      'unauthorized_client',
      'See that the login server allows the client of oauth.clientId this way of logging in, or use holt auth --no-browser odd.',
    ],
    ['invalid_client', 'Correct oauth.clientId, and oauth.clientSecret if it has one, in its definition.'],
  ])('by the client of the entry alone: %s says what to do', async (error, remedy) => {
    const script = { 'POST /device': [refusal(error)] };
    const start = { client: { id: 'old' }, script, oauth: { clientId: 'mine' } };
    const { host, seen } = await person(start);
    await expect(host.authenticate('odd', { flow: 'device' })).rejects.toMatchObject({
      code: 'auth-failed',
      message: `OAuth authentication failed: ${error}`,
      remedy,
    });
    expect([await seen('POST /device'), await seen('POST /register')]).toEqual([['mine'], []]);
  });

  test('by no client that is registered for redirects only: without a display the address is shown', async () => {
    const script = { 'POST /register': [refusal('invalid_client_metadata')] };
    const { host, seen } = await person({ client: { id: 'pages', grants: forPages }, script });
    const shown = nextEvent(host, 'mcp.browser.open.failed');
    const login = host.authenticate('odd');
    const { headers } = await fetch((await shown).url, { redirect: 'manual' });
    await fetch(headers.get('location') ?? '');
    expect([await login, await seen('POST /device')]).toEqual([connected, []]);
  });
});

test('a client that the provider’s page rejects is registered again at the next login', async () => {
  const openUrl = async (address: string): Promise<boolean> => {
    const query = new URL(address).searchParams;
    const answer = { error: 'unauthorized_client', state: query.get('state') ?? '', iss: provider.url };
    await fetch(`${query.get('redirect_uri') ?? ''}?${new URLSearchParams(answer).toString()}`);
    return true;
  };
  const { host, client } = await person({ client: { id: 'old' }, interaction: { openUrl } });
  await expect(host.authenticate('odd', { flow: 'browser' })).rejects.toMatchObject({
    message: 'OAuth authentication failed: unauthorized_client',
  });
  expect(await client()).toBeUndefined();
});

test('logging out without a login forgets how holt was registered', async () => {
  const { host, client } = await person({ client: { id: 'old' } });
  await host.authenticate('odd', { flow: 'device' });
  expect([await host.removeAuth('odd'), await client()]).toEqual([
    { removed: true, revoked: true },
    { id: 'old' },
  ]);
  expect([await host.removeAuth('odd'), await host.logins()]).toEqual([
    { removed: false, revoked: false },
    [],
  ]);
});

test('logging out leaves no registration beside a client of the entry: it would pin the issuer', async () => {
  const start = { client: { id: 'old' }, tokens: { access: 'stored' }, oauth: { clientId: 'mine' } };
  const { host } = await person(start);
  expect([await host.removeAuth('odd'), await host.logins()]).toEqual([{ removed: true, revoked: true }, []]);
});

describe('logging out of a login whose endpoints the entry writes itself', () => {
  const oauth = { clientId: 'mine', deviceAuthorizationEndpoint: '/device', tokenEndpoint: '/token' };
  const logIn = async (at: string, issuer: object): Promise<Host> => {
    const places = Object.entries(oauth).map(([key, value]) => [
      key,
      value.startsWith('/') ? `${at}${value}` : value,
    ]);
    const { host } = await person({ oauth: { ...Object.fromEntries(places), ...issuer } });
    expect(await host.authenticate('odd')).toEqual(connected);
    return host;
  };

  test('revokes it where the metadata of its issuer names the endpoint', async () => {
    const host = await logIn(provider.url, {});
    const before = (await provider.log('POST /revoke')).length;
    expect(await host.removeAuth('odd')).toEqual({ removed: true, revoked: true });
    const asked = (await provider.log('POST /revoke')).slice(before);
    expect(asked.map(({ params }) => [params['client_id'], params['token_type_hint']])).toEqual([
      ['mine', 'refresh_token'],
      ['mine', 'access_token'],
    ]);
  });

  test('reports that it was not revoked where there is no such metadata', async () => {
    const host = await logIn(provider.url, { issuer: `${provider.url}/elsewhere` });
    expect(await host.removeAuth('odd')).toEqual({ removed: true, revoked: false });
    expect(await host.hasStoredTokens('odd')).toBe(false);
  });
});

test('without a terminal a missing token is an error that says where to enter it', async () => {
  const { host } = await person({});
  await expect(host.authenticate('odd', { flow: 'manual' })).rejects.toMatchObject({
    code: 'auth-failed',
    message: 'OAuth authentication failed: a token is typed at a terminal, and here is none',
    remedy: expect.stringMatching(/^Run holt auth --manual odd at a terminal\./),
  });
});
