/** Providers that answer oddly, or wrongly, or with bad intent: what is refused, before which step, and that an honest login goes through. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { Host, LoginOptions } from '../../src/host/host.ts';
import { HoltError } from '../../src/kernel/errors.ts';
import type { RemoteServerConfig } from '../../src/roster/server-config.ts';
import { startAuth, type AuthFixture, type LogEntry } from '../support/auth-fixture.ts';
import { freePort } from '../support/free-port.ts';
import { clientOf, openHostFixture } from '../support/host-fixture.ts';

interface Setting {
  readonly provider?: object;
  readonly server?: object;
  readonly oauth?: RemoteServerConfig['oauth'];
  readonly login?: LoginOptions;
  /** In place of a browser that goes where it is sent. */
  readonly visit?: (url: string) => Promise<void>;
  /** With the provider still there. */
  readonly after?: (host: Host, provider: AuthFixture) => Promise<void>;
}

interface Attempt {
  readonly outcome: string;
  readonly message: string;
  readonly opened: readonly string[];
  readonly toasts: readonly string[];
  readonly log: readonly LogEntry[];
  readonly steps: readonly string[];
}

/** One login at such a provider, from the first 401 on. */
async function attempt(setting: Setting): Promise<Attempt> {
  await using provider = await startAuth('odd-provider', setting.provider);
  await using server = await startAuth('guarded-server', { issuer: provider.url, ...setting.server });
  await using fixture = await openHostFixture();
  const opened: string[] = [];
  const toasts: string[] = [];
  const openUrl = async (url: string): Promise<boolean> => {
    opened.push(url);
    await (setting.visit ?? visit)(url);
    return true;
  };
  const entry: RemoteServerConfig = {
    type: 'http',
    url: server.url,
    ...(setting.oauth === undefined ? {} : { oauth: setting.oauth }),
  };
  const toast = ({ text }: { readonly text: string }): void => void toasts.push(text);
  const host = await fixture.open({ servers: { odd: entry }, interaction: { openUrl, toast } });
  const { outcome, message } = await outcomeOf(() =>
    host.authenticate('odd', { flow: 'browser', ...setting.login }),
  );
  await setting.after?.(host, provider);
  const log = await provider.log();
  return { outcome, message, opened, toasts, log, steps: log.map(({ event }) => event) };
}

async function outcomeOf(
  work: () => Promise<{ readonly status: string }>,
): Promise<{ readonly outcome: string; readonly message: string }> {
  try {
    const status = await work();
    return { outcome: status.status, message: JSON.stringify(status) };
  } catch (error) {
    if (!HoltError.is(error)) throw error;
    return { outcome: error.code, message: error.message };
  }
}

/** To the provider, and back to whoever listens. */
async function visit(url: string): Promise<void> {
  await fetch(await callbackOf(url));
}

async function callbackOf(url: string): Promise<string> {
  const { headers } = await fetch(url, { redirect: 'manual' });
  return headers.get('location') ?? '';
}

const tokenRequests = ({ log }: Attempt): number => log.filter(({ event }) => event === 'POST /token').length;

describe.concurrent('an honest provider', () => {
  test('is logged in at, step by step', async () => {
    const { outcome, steps } = await attempt({});
    expect([outcome, steps]).toEqual([
      'connected',
      ['GET /.well-known/oauth-authorization-server', 'POST /register', 'GET /authorize', 'POST /token'],
    ]);
  });

  test('is found by OpenID discovery too', async () => {
    expect((await attempt({ provider: { wellKnown: 'oidc' } })).outcome).toBe('connected');
  });

  test.each([
    ['with metadata at its origin', {}],
    ['with nothing but the usual paths', { wellKnown: 'none' }],
  ])('that a server says nothing about is looked for at the server itself, %s', async (_, options) => {
    await using provider = await startAuth('odd-provider', options);
    await using fixture = await openHostFixture();
    const openUrl = (url: string): Promise<boolean> => visit(url).then(() => true);
    const url = `${provider.url}/mcp`;
    const host = await fixture.open({ servers: { odd: { type: 'http', url } }, interaction: { openUrl } });
    expect(await host.authenticate('odd', { flow: 'browser' })).toEqual({ status: 'connected' });
    const sent = (await provider.log('GET /authorize', 'POST /token')).map(
      ({ params }) => params['resource'],
    );
    expect(sent).toEqual([url, url]);
  });

  test.each([
    ['omit', undefined],
    ['https://other.test/api', 'https://other.test/api'],
  ])('gets the resource that the definition says: %s', async (resource, expected) => {
    const { log } = await attempt({ oauth: { resource } });
    // The server may turn such a token down, and then it is renewed once.
    const sent = log.filter(
      ({ event, params }) =>
        event === 'GET /authorize' || (event === 'POST /token' && params['grant_type'] !== 'refresh_token'),
    );
    expect(sent.map((entry) => entry?.params['resource'])).toEqual([expected, expected]);
  });

  test('gets no registration request when a client id is configured', async () => {
    const { outcome, steps } = await attempt({ oauth: { clientId: 'mine', callbackPort: await freePort() } });
    expect([outcome, steps.includes('POST /register')]).toEqual(['connected', false]);
  });
});

describe.concurrent('refused before the person is sent anywhere', () => {
  const foreign = 'https://attacker.test';
  test.each([
    ['T43: no word of PKCE', { metadata: { code_challenge_methods_supported: null } }],
    ['T43: PKCE without S256', { metadata: { code_challenge_methods_supported: ['plain'] } }],
    ['T36: metadata of another issuer', { metadata: { issuer: foreign } }],
    ['T36: an issuer that is only nearly the same', { metadata: { issuer: '{issuer}/' } }],
    ['T47: a token endpoint without TLS', { metadata: { token_endpoint: 'http://attacker.test/token' } }],
    ['T47: a login page without TLS', { metadata: { authorization_endpoint: 'http://attacker.test/a' } }],
    ['T32: a login page that is a script', { metadata: { authorization_endpoint: 'javascript:alert(1)//' } }],
    ['T32: a login page that is a file', { metadata: { authorization_endpoint: 'file:///etc/passwd' } }],
    ['metadata without a login page', { metadata: { authorization_endpoint: null } }],
    ['metadata without a token endpoint', { metadata: { token_endpoint: null } }],
    ['metadata without end', { script: metadataIs({ json: {}, bytes: 3_000_000, repeat: true }) }],
    ['metadata that is a page', { script: metadataIs({ text: '<h1>hello</h1>', repeat: true }) }],
    [
      'T35: metadata that is somewhere else',
      { script: metadataIs({ status: 302, headers: { location: `${foreign}/x` }, repeat: true }) },
    ],
    ['metadata behind a fault', { script: metadataIs({ status: 500, repeat: true }) }],
  ])('%s', async (_, provider) => {
    const tried = await attempt({ provider });
    expect([tried.outcome, tried.opened, tokenRequests(tried)]).toEqual([
      expect.stringMatching(/^auth-/),
      [],
      0,
    ]);
  });

  test('T36: metadata of another resource', async () => {
    const tried = await attempt({ server: { resource: 'https://other.test/mcp' } });
    expect([tried.outcome, tried.opened, tried.steps]).toEqual(['auth-failed', [], []]);
  });

  test('T43: the person’s own word lets a provider in that forgets to mention PKCE', async () => {
    const provider = { metadata: { code_challenge_methods_supported: null } };
    expect((await attempt({ provider, oauth: { pkce: 'unadvertised' } })).outcome).toBe('connected');
  });

  test.each([
    ['has no registration', { metadata: { registration_endpoint: null } }],
    ['refuses it', { script: { 'POST /register': [{ status: 403, text: '<h1>no</h1>', repeat: true }] } }],
    [
      'refuses our callback',
      {
        script: {
          'POST /register': [{ status: 400, json: { error: 'invalid_redirect_uri' }, repeat: true }],
        },
      },
    ],
  ])('a provider that %s: a client has to be registered by hand', async (_, provider) => {
    const tried = await attempt({ provider });
    expect(tried.opened).toEqual([]);
    expect(tried.message).toContain('"odd" requires a pre-registered client id: set oauth.clientId');
    expect(['client-registration-needed', 'needs_client_registration']).toContain(tried.outcome);
  });

  test('T38: a configured secret is sent only to the issuer it is configured for', async () => {
    const oauth = { clientId: 'mine', clientSecret: 'canary-secret', issuer: 'https://mine.test' };
    const tried = await attempt({ oauth });
    expect([tried.outcome, tried.opened, tokenRequests(tried)]).toEqual(['auth-failed', [], 0]);
  });
});

describe.concurrent('refused before a code is sent', () => {
  test.each([
    ['T125, T36: an answer in the name of another', { iss: 'https://attacker.test' }],
    ['T125, T36: an answer in a name that is only nearly the same', { iss: '{issuer}/' }],
    ['T125, T36: an answer without the name that was promised', { iss: null }],
    [
      'T125, T36: a wrong name where none was promised',
      { iss: 'https://attacker.test', metadata: { authorization_response_iss_parameter_supported: null } },
    ],
  ])(
    '%s requests no token, and the login stays pending until the genuine callback arrives',
    async (_, provider) => {
      const pages: string[] = [];
      let early = -1;
      const tried = await attempt({
        provider,
        visit: async (url) => {
          const foreign = new URL(await callbackOf(url));
          for (let count = 0; count < 2; count += 1) pages.push(await (await fetch(foreign)).text());
          const log = (await (await fetch(new URL('/log', url))).json()) as readonly LogEntry[]; // the fixture's own
          early = log.filter(({ event }) => event === 'POST /token').length;
          foreign.searchParams.set('iss', new URL(url).origin);
          await fetch(foreign);
        },
      });
      expect(pages).toEqual(['Invalid issuer\n', 'Invalid issuer\n']);
      expect([tried.outcome, early, tokenRequests(tried)]).toEqual(['connected', 0, 1]);
      const ignored = tried.toasts.filter((text) => text.startsWith('Ignored a callback'));
      const issuer = new URL(tried.opened[0] ?? '').origin;
      expect(ignored).toEqual([
        `Ignored a callback for the login of "odd": it does not name the issuer ${issuer}. The login is still waiting.`,
      ]);
    },
  );

  test('a provider that never promised its name need not give it', async () => {
    const metadata = { authorization_response_iss_parameter_supported: null };
    expect((await attempt({ provider: { iss: null, metadata } })).outcome).toBe('connected');
  });

  test('T39, T40, T42, T44: a hundred forged answers change nothing, the genuine one counts, and only once', async () => {
    const said: (readonly [number, string])[] = [];
    const pages = new Set<string>();
    const tell = async (url: string, headers: Record<string, string> = {}): Promise<void> => {
      const response = await fetch(url, { headers });
      const text = await response.text();
      said.push([response.status, text]);
      if (url.includes('error=')) pages.add(text);
    };
    const tried = await attempt({
      visit: async (url) => {
        const genuine = await callbackOf(url);
        const bare = genuine.split('?')[0] ?? '';
        for (let round = 0; round < 50; round += 1) {
          await tell(`${bare}?code=forged&state=${'x'.repeat(20)}${round}`);
          await tell(`${bare}?error=access_denied&error_description=%22%3E%3Cimg+onerror%3Dx${round}%3E`);
        }
        expect(said.filter(([status]) => status !== 400)).toEqual([]);
        expect(pages.size).toBe(1);
        await tell(genuine);
        await tell(genuine).catch(() => said.push([400, 'nobody listens any more']));
      },
    });
    expect([tried.outcome, said.slice(-2).map(([status]) => status)]).toEqual(['connected', [200, 400]]);
    expect(tokenRequests(tried)).toBe(1);
  });
});

describe.concurrent('the callback listener', () => {
  test('T41, F46: when another program has the only registered port, no browser opens', async () => {
    await using squatter = await startAuth('odd-provider');
    const tried = await attempt({
      oauth: { clientId: 'mine', callbackPort: Number(new URL(squatter.url).port) },
    });
    expect([tried.outcome, tried.opened, tokenRequests(tried)]).toEqual(['auth-failed', [], 0]);
    expect(tried.message).toContain(`port ${new URL(squatter.url).port}`);
    expect(await squatter.log()).toEqual([]);
  });

  test('F46: serves two concurrent logins, each with its own callback', async () => {
    await using provider = await startAuth('odd-provider');
    await using one = await startAuth('guarded-server', { issuer: provider.url });
    await using two = await startAuth('guarded-server', { issuer: provider.url });
    await using fixture = await openHostFixture();
    const arrived: string[] = [];
    const openUrl = async (url: string): Promise<boolean> => {
      arrived.push(url);
      if (arrived.length === 2) for (const each of arrived.toReversed()) await visit(each);
      return true;
    };
    const servers = { one: { url: one.url }, two: { url: two.url } };
    const host = await fixture.open({ servers, interaction: { openUrl } });
    expect(
      await Promise.all([
        host.authenticate('one', { flow: 'browser' }),
        host.authenticate('two', { flow: 'browser' }),
      ]),
    ).toEqual([{ status: 'connected' }, { status: 'connected' }]);
    expect((await host.logins()).map(({ server, url }) => [server, url])).toEqual([
      ['one', one.url],
      ['two', two.url],
    ]);
  });
});

describe.concurrent('a token endpoint', () => {
  const answers = (...list: readonly object[]): object => ({ script: { 'POST /token': list } });
  test.each([
    ['that fails', { status: 500, json: {} }],
    ['that answers with a page', { status: 200, text: '<h1>ok</h1>' }],
    ['that answers an error as a page', { status: 502, text: '<h1>bad gateway</h1>' }],
    ['that forgets the token', { json: { token_type: 'Bearer' } }],
    ['that gives a token of another kind', { json: { access_token: 'a', token_type: 'mac' } }],
    ['that knows no such code', { status: 400, json: { error: 'invalid_grant' } }],
    [
      'T35: that sends the code elsewhere',
      { status: 307, headers: { location: 'http://127.0.0.1:1/token' } },
    ],
    ['that answers without end', { json: {}, bytes: 5_000_000 }],
  ])('%s ends the login; the registration stays for the next one', async (_, answer) => {
    let again = { outcome: '', message: '' };
    const tried = await attempt({
      provider: answers(answer),
      after: async (host) => {
        expect(await host.hasStoredTokens('odd')).toBe(false);
        again = await outcomeOf(() => host.authenticate('odd', { flow: 'browser' }));
      },
    });
    expect([tried.outcome, again.outcome]).toEqual(['auth-failed', 'connected']);
    expect(tried.steps.filter((step) => step === 'POST /register')).toHaveLength(1);
  });
});

describe.concurrent('T45: a server that is never satisfied', () => {
  let provider: AuthFixture;
  let server: AuthFixture;
  beforeAll(async () => {
    provider = await startAuth('odd-provider');
    server = await startAuth('guarded-server', {
      issuer: provider.url,
      scope: 'mcp:read',
      tools: { write: 'mcp:write', impossible: 'never granted' },
    });
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
  });

  test('is asked for more when a call needs more, in addition to what there was', async () => {
    await using fixture = await openHostFixture();
    const openUrl = (url: string): Promise<boolean> => visit(url).then(() => true);
    const host = await fixture.open({
      servers: { odd: { type: 'http', url: server.url } },
      interaction: { openUrl },
    });
    expect(await host.authenticate('odd', { flow: 'browser' })).toEqual({ status: 'connected' });
    await expect(callTool(host, 'write')).rejects.toThrow(/scope|auth/i);
    await expect.poll(() => host.status()['odd']?.status).toBe('needs_auth');
    expect(await host.authenticate('odd', { flow: 'browser' })).toEqual({ status: 'connected' });
    expect(await callTool(host, 'write')).toMatchObject({ content: [{ text: 'write done' }] });
    const asked = (await provider.log('GET /authorize')).map(({ params }) =>
      params['scope']?.split(' ').toSorted(),
    );
    expect(asked.slice(-2)).toEqual([['mcp:read'], ['mcp:read', 'mcp:write']]);
  });
});

async function callTool(host: Host, name: string): Promise<unknown> {
  const client = await clientOf(host, 'odd');
  return client.callTool({ name, arguments: {} });
}

function metadataIs(answer: object): object {
  const places = ['oauth-authorization-server', 'openid-configuration'];
  return Object.fromEntries(places.map((place) => [`GET /.well-known/${place}`, [answer]]));
}
