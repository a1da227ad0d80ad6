/** Logging in on another device, whole: what is printed into a pipe, how often the provider is asked, and how it ends. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import {
  browse,
  configure,
  startAuth,
  startHolt,
  storedLogins,
  type AuthFixture,
  type LogEntry,
} from '../support/auth-fixture.ts';
import { createSandbox } from '../support/holt-command.ts';

const grant = 'urn:ietf:params:oauth:grant-type:device_code';
const clientId = 'holt-device';
const id = 'mcp:secured';

let provider: AuthFixture;
let server: AuthFixture;
beforeAll(async () => {
  const client = {
    client_id: clientId,
    application_type: 'native',
    token_endpoint_auth_method: 'none',
    grant_types: [grant, 'refresh_token'],
    response_types: [],
    redirect_uris: [],
  };
  provider = await startAuth('oidc-provider', { interval: 1, clients: [client] });
  server = await startAuth('guarded-server', { issuer: provider.url });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

const polls = async (from: AuthFixture, event: string): Promise<readonly LogEntry[]> =>
  (await from.log(event)).filter(({ params }) => params['grant_type'] === grant);

describe.concurrent('the device login', () => {
  test.each([
    ['found by discovery', () => ({ clientId })],
    [
      'as the definition says',
      () => ({
        client_id: clientId,
        device_authorization_endpoint: `${provider.url}/device/auth`,
        token_endpoint: `${provider.url}/token`,
      }),
    ],
  ])('%s prints address and code into a pipe and waits for approval', async (_, oauth) => {
    await using person = await createSandbox();
    await configure(person, { secured: { url: server.url, oauth: oauth() } });
    await using running = startHolt(person, ['auth', 'secured', '--device']);
    const [, code = ''] = await running.printed(/Enter code: (\S+)/);
    await browse(`${provider.url}/device?user_code=${code}`);
    expect([await running.exited, running.stderr()]).toEqual([0, '']);
    const lines = running.stdout().split('\n');
    expect(lines.slice(0, 3)).toEqual([
      "Starting OAuth device flow for MCP server 'secured'.",
      `  device endpoint: ${provider.url}/device/auth`,
      `  token endpoint:  ${provider.url}/token`,
    ]);
    expect(lines).toEqual(
      expect.arrayContaining([
        `Visit: ${provider.url}/device`,
        `Enter code: ${code}`,
        'saved credential for mcp:secured to credential store.',
      ]),
    );
    const login = (await storedLogins(person))[id];
    expect([login?.tokens?.refresh, login?.issuer]).toEqual([expect.any(String), expect.any(String)]);
    expect((await person.holt('status', 'secured')).code).toBe(0);
  });

  test('works after a cancelled browser login; a failed reauth preserves the login', async () => {
    await using person = await createSandbox();
    await configure(person, { secured: { url: server.url } });
    await using page = startHolt(person, ['auth', 'secured', '--no-browser']);
    await page.printed(/open this in a browser/);
    page.interrupt();
    expect(await page.exited).toBe(130);
    await using running = startHolt(person, ['auth', 'secured', '--device']);
    const [, code = ''] = await running.printed(/Enter code: (\S+)/);
    await browse(`${provider.url}/device?user_code=${code}`);
    expect([await running.exited, running.stderr()]).toEqual([0, '']);
    const login = (await storedLogins(person))[id];
    await using again = startHolt(person, ['reauth', 'secured', '--device']);
    await again.printed(/Enter code: /);
    again.interrupt();
    expect([await again.exited, (await storedLogins(person))[id]]).toEqual([130, login]);
    const called = await person.holt('call', 'secured.whoami');
    expect([called.code, called.stderr]).toEqual([0, '']);
  });

  test('waits for the provider’s interval, and five seconds longer after each slow_down', async () => {
    const script = {
      'POST /token': [
        { status: 400, json: { error: 'authorization_pending' } },
        { status: 400, json: { error: 'slow_down' } },
      ],
    };
    await using odd = await startAuth('odd-provider', { device: { interval: 1 }, script });
    await using person = await createSandbox();
    await configure(person, { secured: { url: `${odd.url}/mcp`, oauth: explicit(odd) } });
    const { stdout } = await person.holt('auth', 'secured', '--device');
    expect(stdout).toContain('saved credential for mcp:secured to credential store.');
    const [asked] = await odd.log('POST /device');
    const times = [asked, ...(await polls(odd, 'POST /token'))].map((entry) => entry?.at ?? 0);
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    expect(gaps.map((gap, index) => gap >= ([1000, 1000, 6000][index] ?? 0) - 50)).toEqual([
      true,
      true,
      true,
    ]);
    expect(gaps[2]).toBeLessThan(9000);
  });

  test('ends when the code has run out, with nothing stored and no more questions', async () => {
    const device = { interval: 1, expiresIn: 2, yesAfter: 99 };
    await using odd = await startAuth('odd-provider', { device });
    await using person = await createSandbox();
    await configure(person, { secured: { url: `${odd.url}/mcp`, oauth: explicit(odd) } });
    const { code, stderr } = await person.holt('auth', 'secured', '--device');
    expect([code, stderr]).toEqual([7, expect.stringContaining('OAuth flow timed out. Please try again.')]);
    expect((await storedLogins(person))[id]?.tokens).toBeUndefined();
    expect((await polls(odd, 'POST /token')).length).toBeLessThanOrEqual(3);
  });

  test('ends when the person declines', async () => {
    const script = { 'POST /token': [{ status: 400, json: { error: 'access_denied' } }] };
    await using odd = await startAuth('odd-provider', { device: { interval: 1 }, script });
    await using person = await createSandbox();
    await configure(person, { secured: { url: `${odd.url}/mcp`, oauth: explicit(odd) } });
    const { code, stderr } = await person.holt('auth', 'secured', '--device');
    expect([code, stderr]).toEqual([3, expect.stringContaining('OAuth authentication failed')]);
    expect((await storedLogins(person))[id]?.tokens).toBeUndefined();
  });

  test('T46: escapes text from the provider, and rejects an interval of zero', async () => {
    const answer = {
      device_code: 'device-code',
      user_code: 'AB\u001B[2J\u202ECD',
      verification_uri: 'https://login.test/device\u001B]0;title\u0007',
      expires_in: 60,
      interval: 0,
    };
    const refusal = { status: 400, json: { error: 'access_denied' } };
    const script = { 'POST /device': [{ json: answer }], 'POST /token': [refusal] };
    await using odd = await startAuth('odd-provider', { script });
    await using person = await createSandbox();
    await configure(person, { secured: { url: `${odd.url}/mcp`, oauth: explicit(odd) } });
    const { stdout, stderr } = await person.holt('auth', 'secured', '--device');
    const harmful = ['\u001B', '\u0007', '\u202E'].filter((sign) => `${stdout}${stderr}`.includes(sign));
    expect(harmful).toEqual([]);
    const [asked, polled] = await odd.log('POST /device', 'POST /token');
    // Refused outright is as good as waiting.
    if (polled !== undefined) expect(polled.at - (asked?.at ?? 0)).toBeGreaterThanOrEqual(4900);
    else expect(stderr).toContain('OAuth authentication failed');
  });

  test.each(['javascript:alert(1)', 'file:///etc/passwd', 'http://login.test/device'])(
    'T46: opens no browser at %s',
    async (address) => {
      const answer = { device_code: 'd', user_code: 'AB', verification_uri: address, expires_in: 60 };
      await using odd = await startAuth('odd-provider', { script: { 'POST /device': [{ json: answer }] } });
      await using person = await createSandbox();
      await configure(person, { secured: { url: `${odd.url}/mcp`, oauth: explicit(odd) } });
      const { code, stdout } = await person.holt('auth', 'secured', '--device');
      expect([code, stdout]).toEqual([3, expect.not.stringContaining(address)]);
      expect(await odd.log('POST /token')).toEqual([]);
    },
  );

  test('Ctrl-C stores nothing and stops polling', async ({ expect: here }) => {
    const device = { interval: 1, yesAfter: 99 };
    await using odd = await startAuth('odd-provider', { device });
    await using person = await createSandbox();
    await configure(person, { secured: { url: `${odd.url}/mcp`, oauth: explicit(odd) } });
    await using running = startHolt(person, ['auth', 'secured', '--device']);
    await running.printed(/Enter code: ABCD-1234/);
    await here.poll(async () => (await polls(odd, 'POST /token')).length, { timeout: 10_000 }).toBe(1);
    running.interrupt();
    expect(await running.exited).toBe(130);
    expect(await storedLogins(person)).toEqual({});
    expect(await polls(odd, 'POST /token')).toHaveLength(1);
  });
});

/** A definition that needs no discovery. */
function explicit({ url }: AuthFixture): object {
  return {
    client_id: clientId,
    device_authorization_endpoint: `${url}/device`,
    token_endpoint: `${url}/token`,
  };
}
