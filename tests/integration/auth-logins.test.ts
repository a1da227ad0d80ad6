/** Logging in from the library: what a host offers, tells and refuses, with a real provider and a server that checks tokens. */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { Host, HostOptions, LoginFlow, LoginOptions } from '../../src/host/host.ts';
import type { Interaction } from '../../src/kernel/interaction.ts';
import { createCredentialMemory } from '../../src/secrets/credential-stores.ts';
import { startAuth, type AuthFixture } from '../support/auth-fixture.ts';
import { nextEvent, openHostFixture, type HostFixture } from '../support/host-fixture.ts';
import { serveHttp } from '../support/http-servers.ts';
import { startFixture } from '../support/remote-fixture.ts';

let provider: AuthFixture;
let server: AuthFixture;
beforeAll(async () => {
  provider = await startAuth('odd-provider', { device: { interval: 1 } });
  server = await startAuth('guarded-server', { issuer: provider.url });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

async function callbackOf(url: string): Promise<string> {
  const { headers } = await fetch(url, { redirect: 'manual' });
  return headers.get('location') ?? '';
}

/** With the right state: a code, an error, and a code whose issuer is missing though the provider promised one. */
function foreignAnswers(genuine: string): readonly string[] {
  const change = (fields: Readonly<Record<string, string | undefined>>): string => {
    const url = new URL(genuine);
    for (const [name, value] of Object.entries(fields)) {
      if (value === undefined) url.searchParams.delete(name);
      else url.searchParams.set(name, value);
    }
    return url.href;
  };
  const iss = 'https://attacker.test';
  return [
    change({ iss }),
    change({ iss, code: undefined, error: 'call 555-1234' }),
    change({ iss: undefined }),
  ];
}

const browser: Interaction = {
  openUrl: async (url) => {
    await fetch(await callbackOf(url));
    return true;
  },
};

function open(fixture: HostFixture, options: HostOptions = {}): Promise<Host> {
  return fixture.open({ servers: { odd: { type: 'http', url: server.url } }, ...options });
}

const connected = { status: 'connected' };

describe('a login that its caller finishes', () => {
  test('is begun with an address and a state, and finished with the address that the browser ended at', async () => {
    await using fixture = await openHostFixture();
    const host = await open(fixture);
    const { authorizationUrl, state } = await host.startAuth('odd', { scope: 'mcp:read' });
    const query = new URL(authorizationUrl).searchParams;
    expect([query.get('state'), query.get('scope')]).toEqual([state, 'mcp:read']);
    expect(await host.getAuthStatus('odd')).toBe('not_authenticated');
    expect(await host.finishAuth('odd', await callbackOf(authorizationUrl))).toEqual(connected);
    expect([await host.getAuthStatus('odd'), await host.hasStoredTokens('odd')]).toEqual([
      'authenticated',
      true,
    ]);
  });

  test('is finished in another process by code, state and issuer', async () => {
    await using fixture = await openHostFixture();
    const first = await open(fixture);
    const { authorizationUrl, state } = await first.startAuth('odd');
    await first.close();
    const answer = new URL(await callbackOf(authorizationUrl)).searchParams;
    const second = await open(fixture);
    const given = { code: answer.get('code') ?? '', state, iss: answer.get('iss') ?? '' };
    expect(await second.finishAuth('odd', given)).toEqual(connected);
    const file = await readFile(path.join(fixture.home, '.holt', 'credentials.json'), 'utf8');
    expect(file).not.toContain('codeVerifier');
  });

  test('completes when the browser reaches the callback listener', async () => {
    await using fixture = await openHostFixture();
    const host = await open(fixture);
    const completed = nextEvent(host, 'mcp.auth.completed');
    const { authorizationUrl } = await host.startAuth('odd');
    await fetch(await callbackOf(authorizationUrl));
    expect(await completed).toMatchObject({ server: 'odd' });
    expect(await host.connect('odd')).toEqual(connected);
  });

  test('T39: is not finished by an answer with another state, nor by one without', async () => {
    await using fixture = await openHostFixture();
    const host = await open(fixture);
    const { authorizationUrl } = await host.startAuth('odd');
    const callback = new URL(await callbackOf(authorizationUrl));
    callback.searchParams.set('state', 'x'.repeat(43));
    await expect(host.finishAuth('odd', callback.href)).rejects.toMatchObject({ code: 'auth-failed' });
    await expect(host.finishAuth('odd', 'just-a-code')).rejects.toThrow('the answer has no state');
  });

  test('T125: an answer in another issuer’s name is refused without its text, and the login is finished by the genuine one', async () => {
    await using fixture = await openHostFixture();
    const host = await open(fixture);
    const before = (await provider.log('POST /token')).length;
    const { authorizationUrl } = await host.startAuth('odd');
    const genuine = await callbackOf(authorizationUrl);
    for (const foreign of foreignAnswers(genuine)) {
      await expect(host.finishAuth('odd', foreign)).rejects.toMatchObject({
        code: 'auth-failed',
        message:
          'OAuth authentication failed: the answer came from another issuer than the one that was asked',
      });
    }
    expect((await provider.log('POST /token')).length).toBe(before);
    expect(await host.finishAuth('odd', genuine)).toEqual(connected);
  });
});

describe('without a login', () => {
  test('status, event and toast report it, and no browser opens', async () => {
    await using fixture = await openHostFixture();
    const toasts: string[] = [];
    const opened: string[] = [];
    const interaction: Interaction = {
      toast: ({ text }) => void toasts.push(text),
      openUrl: (url) => Promise.resolve(opened.push(url) > 0),
    };
    const host = await open(fixture, { interaction });
    const required = nextEvent(host, 'mcp.auth.required');
    expect(await host.connect('odd')).toEqual({ status: 'needs_auth' });
    expect(await required).toMatchObject({
      server: 'odd',
      status: 'needs_auth',
      message: 'MCP Authentication Required: odd',
    });
    expect([toasts, opened]).toEqual([['MCP Authentication Required: odd'], []]);
  });

  test('a provider without client registration has its own status with a remedy', async () => {
    await using closed = await startAuth('odd-provider', { metadata: { registration_endpoint: null } });
    await using guarded = await startAuth('guarded-server', { issuer: closed.url });
    await using fixture = await openHostFixture();
    const toasts: string[] = [];
    const interaction: Interaction = { toast: ({ text }) => void toasts.push(text) };
    const host = await open(fixture, { servers: { odd: { type: 'http', url: guarded.url } }, interaction });
    expect(await host.connect('odd')).toEqual({
      status: 'needs_client_registration',
      error: `"odd" requires a pre-registered client id: set oauth.clientId to a client that is registered at ${closed.url}`,
    });
    expect(toasts).toEqual(['odd: server requires a pre-registered client id']);
  });

  test('a refused registration makes it that status too, in the provider’s words, until one is accepted', async () => {
    const refusal = { error: 'invalid_redirect_uri', error_description: 'Only apps of our partners' };
    const script = { 'POST /register': [{ status: 400, json: refusal }] };
    await using strict = await startAuth('odd-provider', { script });
    await using guarded = await startAuth('guarded-server', { issuer: strict.url });
    await using fixture = await openHostFixture();
    const host = await open(fixture, {
      servers: { odd: { type: 'http', url: guarded.url } },
      interaction: browser,
    });
    expect(await host.connect('odd')).toEqual({ status: 'needs_auth' });
    const words = `"odd" requires a pre-registered client id: set oauth.clientId to a client that is registered at ${strict.url} (it refused the registration: Only apps of our partners (invalid_redirect_uri))`;
    const required = nextEvent(host, 'mcp.auth.required');
    await expect(host.authenticate('odd')).rejects.toMatchObject({
      code: 'client-registration-needed',
      message: words,
    });
    expect((await required).status).toBe('needs_client_registration');
    expect(host.status()['odd']).toEqual({ status: 'needs_client_registration', error: words });
    await expect(host.call('mcp__odd__whoami', {})).rejects.toMatchObject({
      code: 'client-registration-needed',
    });
    expect(await host.authenticate('odd')).toEqual(connected);
  });

  test('a browser that does not open is reported with the address, and the callback still completes the login', async () => {
    await using fixture = await openHostFixture();
    const host = await open(fixture, { interaction: { openUrl: () => Promise.resolve(false) } });
    const failed = nextEvent(host, 'mcp.browser.open.failed');
    const login = host.authenticate('odd');
    const { url, mcpName } = await failed;
    await fetch(await callbackOf(url));
    expect([mcpName, await login]).toEqual(['odd', connected]);
  });

  test('a pasted address ends the login, after others that did not fit', async () => {
    await using fixture = await openHostFixture();
    const pasted = ['nonsense here', 'http://127.0.0.1/cb?code=c&state=wrong'];
    const interaction: Interaction = {
      askCallback: async ({ authorizationUrl }) => pasted.shift() ?? (await callbackOf(authorizationUrl)),
    };
    const host = await open(fixture, { interaction });
    expect(await host.authenticate('odd', { browser: false })).toEqual(connected);
  });

  test('T125: a pasted address in another issuer’s name is refused with the reason and asked for again', async () => {
    await using fixture = await openHostFixture();
    const toasts: string[] = [];
    let pastes: string[] | undefined;
    const interaction: Interaction = {
      toast: ({ text }) => void toasts.push(text),
      askCallback: async ({ authorizationUrl }) => {
        if (pastes === undefined) {
          const genuine = await callbackOf(authorizationUrl);
          pastes = [...foreignAnswers(genuine), genuine];
        }
        return pastes.shift();
      },
    };
    const host = await open(fixture, { interaction });
    expect(await host.authenticate('odd', { browser: false })).toEqual(connected);
    const refusal = `That answer does not name the issuer ${provider.url}. Paste the whole address that your own login ended at.`;
    expect(toasts.filter((text) => text.startsWith('That answer'))).toEqual([refusal, refusal, refusal]);
  });

  test('closing the host ends a login that waits', async () => {
    await using fixture = await openHostFixture();
    const host = await open(fixture);
    const opened = nextEvent(host, 'mcp.browser.open.failed');
    const login = host.authenticate('odd');
    login.catch(() => undefined);
    await opened;
    await host.close();
    await expect(login).rejects.toMatchObject({ message: 'OAuth authentication failed: host closed' });
  });

  test('a caller calls its own login off', async () => {
    await using fixture = await openHostFixture();
    const host = await open(fixture);
    const stop = new AbortController();
    const opened = nextEvent(host, 'mcp.browser.open.failed');
    const login = host.authenticate('odd', { signal: stop.signal });
    login.catch(() => undefined);
    await opened;
    stop.abort(new Error('called off'));
    await expect(login).rejects.toThrow('called off');
    expect(await host.hasStoredTokens('odd')).toBe(false);
  });
});

describe('where nothing can be discovered', () => {
  test('the status says so; the user can enter a token instead', async () => {
    await using bare = await serveHttp((request, response) => {
      const isIn = request.headers.authorization === 'Bearer typed-token-1';
      response.writeHead(isIn ? 404 : request.url === '/mcp' ? 401 : 404).end();
    });
    await using fixture = await openHostFixture();
    const servers = { bare: { type: 'http', url: `${bare.url}/mcp` } } as const;
    const message = `Authentication required for "bare": OAuth endpoints could not be discovered at ${bare.url}/mcp`;
    const silent = await open(fixture, { servers });
    await expect(silent.authenticate('bare')).rejects.toMatchObject({ code: 'auth-unsupported', message });
    const asked: string[] = [];
    const toasts: string[] = [];
    const interaction: Interaction = {
      askSecret: ({ label }) => Promise.resolve(asked.push(label) > 0 ? ' typed-token-1 ' : undefined),
      toast: ({ text }) => void toasts.push(text),
    };
    const host = await open(fixture, { servers, interaction });
    await host.authenticate('bare');
    expect([asked, toasts.includes(message)]).toEqual([['Token for "bare"'], true]);
    expect(await host.getAuthStatus('bare')).toBe('authenticated');
    expect(bare.requests.some(({ headers }) => headers.authorization === 'Bearer typed-token-1')).toBe(true);
  });
});

describe('a program that embeds holt', () => {
  interface Introduced {
    readonly registered: unknown;
    readonly client: unknown;
    readonly title: string;
    readonly page: string;
  }

  /** What the login server, the MCP server and the person get to see. */
  async function introduce(app?: HostOptions['app'], flow?: LoginFlow): Promise<Introduced> {
    await using fixture = await openHostFixture();
    let page = '';
    const openUrl = async (url: string): Promise<boolean> => {
      page = await (await fetch(await callbackOf(url))).text();
      return true;
    };
    const host = await open(fixture, {
      servers: { odd: { type: 'http', url: server.url } },
      interaction: { openUrl, ...(flow === 'device' ? { showDeviceCode: () => undefined } : {}) },
      app,
    });
    expect(await host.authenticate('odd', { flow })).toEqual(connected);
    const facts: unknown = await (await fetch(new URL('/facts', server.url))).json();
    const { client_name: name, client_uri: url } =
      (await provider.log('POST /register')).at(-1)?.params ?? {};
    return {
      registered: [name, url],
      client: (facts as { readonly client: unknown }).client, // what the fixture notes
      title: /<title>(.*)<\/title>/.exec(page)?.[1] ?? '',
      page: /<main>(.*)<\/main>/.exec(page)?.[1] ?? '',
    };
  }

  test('is named to the login server, to the MCP server and on the page, whose text is the same', async () => {
    const app = { name: 'Acme <Agent>', version: '7.1.0', url: 'https://acme.example/agent' };
    expect(await introduce(app)).toEqual({
      registered: ['Acme <Agent>', 'https://acme.example/agent'],
      client: { name: 'Acme <Agent>', version: '7.1.0' },
      title: 'Acme &lt;Agent&gt;',
      page: '<p>You can close this window</p>',
    });
  });

  test('is named to the login server in a device login too', async () => {
    const app = { name: 'acme', url: 'https://acme.example/agent' };
    expect((await introduce(app, 'device')).registered).toEqual(['acme', 'https://acme.example/agent']);
  });

  test('and gives no URL is registered without holt’s', async () => {
    expect(await introduce({ name: 'acme' })).toMatchObject({
      registered: ['acme', undefined],
      client: { name: 'acme', version: expect.stringMatching(/^\d+\.\d+\.\d+/) },
    });
  });

  test('and gives no name is called holt', async () => {
    expect(await introduce()).toMatchObject({
      registered: ['holt', expect.stringMatching(/^https:/)],
      client: { name: 'holt' },
      title: 'holt',
      page: '<p>You can close this window</p>',
    });
  });
});

describe('a token that a person types', () => {
  const typing = (...tokens: readonly string[]): Interaction => {
    const left = [...tokens];
    return { ...browser, askSecret: () => Promise.resolve(left.shift()) };
  };

  test('and that the server refuses is not stored: the login fails, and none is there', async () => {
    await using fixture = await openHostFixture();
    const host = await open(fixture, { interaction: typing('wrong-token') });
    await expect(host.authenticate('odd', { flow: 'manual' })).rejects.toMatchObject({
      code: 'auth-failed',
      message: 'OAuth authentication failed: "odd" refused the token, so it was not stored',
    });
    expect([await host.getAuthStatus('odd'), await host.logins(), host.status()['odd']]).toEqual([
      'not_authenticated',
      [],
      { status: 'needs_auth' },
    ]);
  });

  test('and that the server refuses leaves an earlier login as it was, and connected', async () => {
    await using fixture = await openHostFixture();
    const host = await open(fixture, { interaction: typing('wrong-token') });
    await host.authenticate('odd', { flow: 'browser' });
    const before = await host.logins();
    await expect(host.authenticate('odd', { flow: 'manual' })).rejects.toMatchObject({ code: 'auth-failed' });
    expect([await host.logins(), host.status()['odd']]).toEqual([before, connected]);
  });

  test('and that works is stored, also when "Bearer" was copied with it', async () => {
    await using fixture = await openHostFixture();
    const stores = { credentials: createCredentialMemory() };
    const first = await open(fixture, { interaction: browser, stores });
    await first.authenticate('odd');
    const access = (await stores.credentials.get('mcp:odd'))?.tokens?.access ?? '';
    await using other = await openHostFixture();
    const host = await open(other, { interaction: typing(`Bearer ${access}`) });
    expect(await host.authenticate('odd', { flow: 'manual' })).toEqual(connected);
    expect(await host.getAuthStatus('odd')).toBe('authenticated');
  });

  test('with a blank in it is refused before it is sent', async () => {
    await using fixture = await openHostFixture();
    const host = await open(fixture, { interaction: typing('two words') });
    const seen = (await server.requests()).length;
    await expect(host.authenticate('odd', { flow: 'manual' })).rejects.toMatchObject({
      remedy: 'Copy the token again, without line breaks.',
    });
    expect((await server.requests()).length).toBe(seen);
  });
});

describe('no login is offered', () => {
  test('for a program, in these words', async () => {
    await using fixture = await openHostFixture();
    const host = await open(fixture, { servers: { fs: fixture.program('echo') } });
    const words = '"fs" is a stdio server; it takes credentials from its environment, not from OAuth.';
    await expect(host.authenticate('fs')).rejects.toMatchObject({ code: 'auth-unsupported', message: words });
    await expect(host.startAuth('fs')).rejects.toThrow(words);
  });

  const nothing = { removed: false, revoked: false };
  const refused = { access: 'old', refused: 'invalid_grant' };
  test.each<readonly [string, readonly unknown[]]>([
    ['fs', [false, false, 'not_authenticated', nothing]],
    ['nobody', [false, false, 'not_authenticated', nothing]],
    ['odd@nobody', [false, false, 'not_authenticated', nothing]],
    ['constructor', [false, false, 'not_authenticated', nothing]],
    ['closed', [false, false, 'not_authenticated', nothing]],
    ['odd', [true, false, 'not_authenticated', nothing]],
    ['off', [true, false, 'not_authenticated', nothing]],
    ['in', [true, true, 'authenticated', { removed: true, revoked: false }]],
    ['past', [true, true, 'expired', { removed: true, revoked: false }]],
    // A login outlives its server.
    ['gone', [false, true, 'expired', { removed: true, revoked: false }]],
  ])('for %s, about which every function answers without throwing', async (name, answers) => {
    await using fixture = await openHostFixture();
    const credentials = createCredentialMemory();
    await credentials.set('mcp:in', { serverUrl: `${server.url}?in`, tokens: { access: 'new' } });
    await credentials.set('mcp:past', { serverUrl: `${server.url}?past`, tokens: refused });
    await credentials.set('mcp:gone', { serverUrl: `${server.url}?gone`, tokens: refused });
    const host = await open(fixture, {
      stores: { credentials },
      servers: {
        fs: fixture.program('echo'),
        odd: { type: 'http', url: server.url },
        closed: { type: 'http', url: server.url, oauth: false },
        off: { type: 'http', url: server.url, enabled: false },
        in: { type: 'http', url: `${server.url}?in` },
        past: { type: 'http', url: `${server.url}?past` },
      },
    });
    expect([
      host.supportsOAuth(name),
      await host.hasStoredTokens(name),
      await host.getAuthStatus(name),
      await host.removeAuth(name),
    ]).toEqual(answers);
    expect([
      await host.hasStoredTokens(name),
      await host.getAuthStatus(name),
      await host.removeAuth(name),
    ]).toEqual([false, 'not_authenticated', nothing]);
  });

  test('where the entry says no, which a refused connection and call name, with what to change', async () => {
    await using fixture = await openHostFixture();
    const host = await open(fixture, { servers: { odd: { type: 'http', url: server.url, oauth: false } } });
    expect(host.supportsOAuth('odd')).toBe(false);
    const toChange = 'To log in, remove oauth: false from its definition.';
    const remedy = `Its definition forbids logging in. ${toChange}`;
    await expect(host.authenticate('odd')).rejects.toMatchObject({
      code: 'auth-unsupported',
      message: 'Cannot log in to "odd": its definition forbids logging in (oauth: false).',
      remedy: toChange,
    });
    expect(await host.connect('odd')).toEqual({ status: 'needs_auth' });
    expect(host.report()['odd']).toMatchObject({ code: 'auth-required', remedy });
    await expect(host.call('mcp__odd__whoami', {})).rejects.toMatchObject({
      code: 'auth-required',
      message: `Failed to connect to "odd": the server asks for a login. ${remedy}`,
    });
  });

  test('by a server that answers without one: startAuth and authenticate say so', async () => {
    await using plain = await startFixture('stateless-http');
    await using fixture = await openHostFixture();
    const host = await open(fixture, { servers: { open: { type: 'http', url: plain.url } } });
    const refusal = {
      code: 'auth-unsupported',
      message: '"open" needs no login: it answers without a login.',
    };
    await expect(host.startAuth('open')).rejects.toMatchObject(refusal);
    await expect(host.authenticate('open')).rejects.toMatchObject(refusal);
  });

  test('where the entry sends a header of its own, which would win over the login', async () => {
    await using fixture = await openHostFixture();
    const stores = { credentials: createCredentialMemory() };
    const headers = { authorization: 'Bearer of-its-own' };
    const host = await open(fixture, {
      servers: { odd: { type: 'http', url: server.url, headers } },
      interaction: browser,
      stores,
    });
    const refusal = {
      code: 'auth-unsupported',
      message:
        'Logging in to "odd" would change nothing: the header "authorization" that is configured in its definition is sent in place of any login',
      remedy: 'Take the header out of its definition to log in, or correct it there.',
    };
    await expect(host.authenticate('odd')).rejects.toMatchObject(refusal);
    await expect(host.startAuth('odd')).rejects.toMatchObject(refusal);
    expect(await stores.credentials.list()).toEqual([]);
  });
});

describe('simultaneous calls of authenticate', () => {
  const startBoth = async (host: Host, options: LoginOptions): Promise<readonly unknown[]> =>
    Promise.all([host.authenticate('odd'), host.authenticate('odd', options)]);

  test('share one flow, and both resolve with its result', async () => {
    await using fixture = await openHostFixture();
    let opened = 0;
    const openUrl: Interaction['openUrl'] = async (url) => {
      opened += 1;
      return browser.openUrl?.(url, '') ?? false;
    };
    const host = await open(fixture, { interaction: { openUrl } });
    const before = (await provider.log('POST /register', 'POST /token')).length;
    expect(await startBoth(host, {})).toEqual([connected, connected]);
    const asked = (await provider.log('POST /register', 'POST /token')).slice(before);
    expect([opened, asked.map(({ event }) => event)]).toEqual([1, ['POST /register', 'POST /token']]);
  });

  test('run on when one of them is aborted, and end with the last of them', async () => {
    await using fixture = await openHostFixture();
    const host = await open(fixture);
    const stops = [new AbortController(), new AbortController()];
    const opened = nextEvent(host, 'mcp.browser.open.failed');
    const [first, second] = stops.map(({ signal }) =>
      host.authenticate('odd', { signal }).catch((error: unknown) => error),
    );
    const callback = await callbackOf((await opened).url);
    stops[0]?.abort(new Error('first has left'));
    expect(await first).toEqual(new Error('first has left'));
    stops[1]?.abort(new Error('second has left'));
    expect(await second).toEqual(new Error('second has left'));
    await expect(fetch(callback)).rejects.toThrow('fetch failed');
    expect(await host.hasStoredTokens('odd')).toBe(false);
  });
});

test('a login that a program names and that is not stored is reported once, with the name of the server', async () => {
  await using fixture = await openHostFixture();
  const shown: string[] = [];
  const auth = { type: 'oauth', credentialId: 'mcp:gone' } as const;
  const host = await open(fixture, {
    servers: { prog: { ...fixture.program('echo'), auth } },
    stores: { credentials: createCredentialMemory() },
    interaction: { toast: ({ text }) => void shown.push(text) },
  });
  const warned = nextEvent(host, 'mcp.warning');
  expect(await host.connect('prog')).toEqual(connected);
  const message =
    '"prog" names the login "mcp:gone", which is not stored; it is started without. holt auth list shows those there are.';
  expect(await warned).toMatchObject({ server: 'prog', code: 'credential-missing', message });
  await host.disconnect('prog');
  expect(await host.connect('prog')).toEqual(connected);
  expect(shown).toEqual([message]);
});

test.each([
  ['was not renewed', { access: 'old', refresh: 'r', refused: 'invalid_grant' }],
  ['is past its end', { access: 'old', expiresAt: 1 }],
])(
  'a login that a program names and that %s is told as expired, with the server to log in to',
  async (_, tokens) => {
    await using fixture = await openHostFixture();
    const credentials = createCredentialMemory();
    await credentials.set('mcp:odd', { serverUrl: server.url, issuer: provider.url, tokens });
    const auth = { type: 'oauth', credentialId: 'mcp:odd' } as const;
    const host = await open(fixture, {
      servers: { prog: { ...fixture.program('echo'), auth } },
      stores: { credentials },
    });
    const warned = nextEvent(host, 'mcp.warning');
    expect(await host.connect('prog')).toEqual(connected);
    expect(await warned).toMatchObject({
      server: 'prog',
      code: 'credential-expired',
      message: '"prog" names the login "mcp:odd", which has expired. Log in again with holt auth odd.',
    });
  },
);

test('a login that a remote server names and that has expired is not reported as missing', async () => {
  await using fixture = await openHostFixture();
  const credentials = createCredentialMemory();
  const tokens = { access: 'old', refused: 'invalid_grant' };
  await credentials.set('mcp:odd', { serverUrl: server.url, issuer: provider.url, tokens });
  const auth = { type: 'oauth', credentialId: 'mcp:odd' } as const;
  const host = await open(fixture, {
    servers: { other: { type: 'http', url: server.url, auth } },
    stores: { credentials },
  });
  const warnings: string[] = [];
  host.on('mcp.warning', ({ code }) => void warnings.push(code));
  await expect(host.call('mcp__other__whoami', {})).rejects.toThrow('the stored one has expired');
  expect(warnings).toEqual([]);
});

describe('a stored login', () => {
  test('gives way to a header that the entry has itself', async () => {
    await using fixture = await openHostFixture();
    const stores = { credentials: createCredentialMemory() };
    const first = await open(fixture, { stores, interaction: browser });
    await first.authenticate('odd');
    await first.close();
    const headers = { authorization: 'Bearer of-its-own' };
    const own = { type: 'http', url: server.url, headers } as const;
    const host = await open(fixture, { stores, servers: { odd: own } });
    expect(await host.connect('odd')).toEqual({ status: 'needs_auth' });
    expect((await server.requests()).at(-1)?.authorization).toBe('Bearer of-its-own');
  });

  test('is used by an entry of another name that names it, on the same URL', async () => {
    await using fixture = await openHostFixture();
    const stores = { credentials: createCredentialMemory() };
    const first = await open(fixture, { stores, interaction: browser });
    await first.authenticate('odd');
    const auth = { type: 'oauth', credentialId: 'mcp:odd' };
    const other = { url: server.url, auth };
    await mkdir(path.join(fixture.home, '.holt'), { recursive: true });
    await writeFile(
      path.join(fixture.home, '.holt', 'mcp.json'),
      JSON.stringify({
        mcpServers: { other, gone: { ...other, auth: { ...auth, credentialId: 'mcp:gone' } } },
      }),
    );
    const host = await fixture.open({ stores });
    expect(await host.connect('other')).toEqual(connected);
    const warned = nextEvent(host, 'mcp.warning');
    expect(await host.connect('gone')).toEqual({ status: 'needs_auth' });
    expect(await warned).toMatchObject({ server: 'gone', code: 'credential-missing' });
  });

  test('is listed without anything that could be used, and forgotten with its revocation', async () => {
    await using fixture = await openHostFixture();
    const host = await open(fixture, { interaction: browser });
    await host.authenticate('odd');
    const [login] = await host.logins();
    expect(login).toMatchObject({
      id: 'mcp:odd',
      server: 'odd',
      url: server.url,
      issuer: provider.url,
      status: 'authenticated',
      backend: 'file',
    });
    const revoked = (await provider.log('POST /revoke')).length;
    expect(await host.removeAuth('odd')).toEqual({ removed: true, revoked: true });
    expect((await provider.log('POST /revoke')).length).toBeGreaterThan(revoked);
    expect([await host.getAuthStatus('odd'), host.status()['odd']]).toEqual([
      'not_authenticated',
      { status: 'idle' },
    ]);
    const registrations = (await provider.log('POST /register')).length;
    expect(await host.authenticate('odd')).toEqual(connected);
    expect((await provider.log('POST /register')).length).toBe(registrations);
  });

  test('of the user is sent to a server defined in the project only after approval', async () => {
    await using fixture = await openHostFixture();
    const stores = { credentials: createCredentialMemory() };
    const first = await open(fixture, { stores, interaction: browser });
    await first.authenticate('odd');
    await first.close();
    const project = path.join(fixture.home, 'project');
    await mkdir(path.join(project, '.git'), { recursive: true });
    await writeFile(
      path.join(project, '.mcp.json'),
      JSON.stringify({ mcpServers: { odd: { type: 'http', url: server.url } } }),
    );
    const confirmTrust = (): Promise<'allow'> => Promise.resolve('allow');
    const connectWith = async (interaction: Interaction): Promise<string> => {
      const host = await fixture.open({
        cwd: project,
        stores,
        interaction: { confirmTrust, ...interaction },
      });
      return (await host.connect('odd')).status;
    };
    const asked: string[] = [];
    const answering = (answer: 'deny' | 'once' | 'always'): Interaction => ({
      askPermission: ({ reason }) => Promise.resolve(asked.push(reason) > 0 ? answer : 'deny'),
    });
    expect(await connectWith({})).toBe('needs_auth');
    expect(await connectWith(answering('deny'))).toBe('needs_auth');
    expect(await connectWith(answering('once'))).toBe('connected');
    expect(await connectWith({})).toBe('needs_auth');
    // A question that was cancelled is no answer: the next time it is asked again.
    let told: () => void = () => undefined;
    const isAsked = new Promise<void>((resolve) => (told = resolve));
    const answers: NonNullable<Interaction['askPermission']>[] = [
      (_, signal) =>
        new Promise((resolve) => {
          signal?.addEventListener('abort', () => resolve('deny'), { once: true });
          told();
        }),
      () => Promise.resolve('once'),
    ];
    const askPermission: Interaction['askPermission'] = async (...asking) =>
      (await answers.shift()?.(...asking)) ?? 'deny';
    const host = await fixture.open({ cwd: project, stores, interaction: { confirmTrust, askPermission } });
    const connecting = host.connect('odd');
    await isAsked;
    await host.disable('odd');
    await connecting;
    await host.enable('odd');
    expect(await host.connect('odd')).toEqual(connected);
    expect(await connectWith(answering('always'))).toBe('connected');
    expect(await connectWith({})).toBe('connected');
    expect(asked).toHaveLength(3);
  });

  test('T47: is not sent over plain http to another machine', async () => {
    await using fixture = await openHostFixture();
    const credentials = createCredentialMemory();
    const serverUrl = 'http://192.0.2.1:9/mcp';
    await credentials.set('mcp:far', { serverUrl, tokens: { access: 'hush-hush' } });
    const host = await open(fixture, {
      stores: { credentials },
      servers: { far: { type: 'http', url: serverUrl } },
    });
    expect(await host.connect('far')).toEqual({
      status: 'failed',
      error: expect.stringContaining('192.0.2.1:9 is reached over plain http, where others can read a login'),
    });
  });
});
