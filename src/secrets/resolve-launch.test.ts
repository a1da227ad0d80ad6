import { inspect } from 'node:util';

import { describe, expect, test } from 'vitest';

import { createLaunchFixture, revealed, trusted } from '../../tests/support/launch-fixture.ts';
import { alwaysSaying, asUsers, projectProgram, projectRemote } from '../../tests/support/sample-servers.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import type { TrustedServer } from '../trust/trust-gate.ts';
import { resolveLaunch } from './resolve-launch.ts';

const safe = { PATH: '/bin:/usr/bin' };
const sh = (
  args: readonly string[] = [],
  more: Parameters<typeof projectProgram>[2] = {},
): ServerDefinition => projectProgram('sh', args, more);

describe('a launch plan', () => {
  test('requires a definition that passed the trust gate, also at run time', async () => {
    const { parts } = createLaunchFixture({ env: safe });
    const forged = sh() as TrustedServer; // what a program without a compiler could do
    await expect(resolveLaunch(forged, parts)).rejects.toMatchObject({ code: 'trust-required' });
  });

  test('T14: requires an approval that still holds after all values were fetched', async () => {
    const world = createLaunchFixture({ env: safe, prints: { 'pass t': 'value' } });
    const parts = {
      ...world.parts,
      loadApprovals: () => alwaysSaying(world.ran.length > 0 ? 'changed' : 'approved'),
    };
    const server = trusted(sh([], { env: { T: '!pass t' } }));
    await expect(resolveLaunch(server, parts)).rejects.toMatchObject({
      code: 'trust-required',
      details: { reason: 'changed' },
    });
  });

  test('can be printed without showing its values', async () => {
    const plan = await createLaunchFixture({ env: { ...safe, TOKEN: 'hunter22' } }).resolve(
      sh(['${TOKEN}'], { env: { A: '${TOKEN}' } }),
    );
    expect(
      [inspect(plan, { depth: 9 }), JSON.stringify(plan), String(Object.values(plan))].join(),
    ).not.toContain('hunter22');
  });
});

describe('the plan of a stdio server', () => {
  test('has resolved placeholders, each in its own dialect, in one pass', async () => {
    const world = createLaunchFixture({ env: { ...safe, A: 'one', B: '${A}', EMPTY: '' } });
    const definition = sh(['${A}', '${B}', '${NONE:-two}', '${EMPTY:-three}', '$A', '{env:A}'], {
      env: { X: '${A}-${A}', Y: 'plain' },
      envFrom: {
        Z: { variable: 'A', prefix: '<', suffix: '>' },
        GONE: { variable: 'NONE', prefix: '', suffix: '' },
      },
      cwd: '${A}',
    });
    expect(revealed(await world.resolve(definition))).toEqual({
      kind: 'stdio',
      server: 'shop',
      program: '/bin/sh',
      args: ['one', '${A}', 'two', 'three', '$A', '{env:A}'],
      env: { ...safe, A: 'one', B: '${A}', EMPTY: '', X: 'one-one', Y: 'plain', Z: '<one>' },
      cwd: '/srv/shop/one',
    });
  });

  test('T21: a value cannot escape from its string', async () => {
    const X = '"},"z":{"command":"touch ${HOME} !touch x';
    const plan = revealed(
      await createLaunchFixture({ env: { ...safe, X } }).resolve(sh(['${X}'], { env: { V: '${X}' } })),
    );
    expect([plan['args'], plan['env']]).toEqual([[X], { ...safe, X, V: X }]);
  });

  test('names the missing variable, its field, and the line to change', async () => {
    await expect(
      createLaunchFixture({ env: safe }).resolve(sh([], { env: { T: 'x${GONE}' } })),
    ).rejects.toMatchObject({
      code: 'secret-unresolved',
      message: 'Server "shop" cannot start: the variable GONE is not set (needed for "env.T")',
      details: { server: 'shop', field: 'env.T', reason: 'the variable GONE is not set' },
      remedy: 'Set GONE, or change /srv/shop/.mcp.json:3.',
    });
  });

  test('names the server when no file defines it', async () => {
    const server = sh([], { env: { T: '${GONE}' } });
    const added = { ...server, origin: { ...server.origin, file: '', scope: 'runtime' as const } };
    await expect(createLaunchFixture({ env: safe }).resolve(added)).rejects.toMatchObject({
      remedy: 'Set GONE, or change the entry of "shop".',
    });
  });

  test('sends a placeholder as written where its agent does', async () => {
    const world = createLaunchFixture({ env: safe });
    const plan = await resolveLaunch(trusted({ ...sh(['${GONE}']), dialect: 'claude' }), world.parts);
    expect(revealed(plan)['args']).toEqual(['${GONE}']);
  });

  test.each<readonly [string, ServerDefinition, string]>([
    ['a value', sh([], { env: { T: '{file:/nul}' } }), 'env.T'],
    ['an argument', sh(['a', '{file:/nul}']), 'args[1]'],
    ['a command', projectProgram('{file:/nul}'), 'command'],
    ['a folder', sh([], { cwd: '{file:/nul}' }), 'cwd'],
  ])('T18: a NUL in %s is rejected, naming the field and not the value', async (_what, definition, field) => {
    const world = createLaunchFixture({ env: safe, files: { '/nul': 'hunter22\0x' } });
    const failure: unknown = await world
      .resolve({ ...definition, dialect: 'opencode' })
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'secret-unresolved', details: { field } });
    expect(inspect(failure)).not.toContain('hunter22');
  });

  test.each(['', 'A=B', 'A\0'])('a variable cannot be named %j', async (name) => {
    await expect(
      createLaunchFixture({ env: safe }).resolve(sh([], { env: { [name]: 'x' } })),
    ).rejects.toMatchObject({ code: 'secret-unresolved' });
  });

  test('keys such as __proto__ are ordinary names', async () => {
    const env = Object.fromEntries([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ]);
    const envFrom = Object.fromEntries([['__proto__', { variable: 'PATH', prefix: '', suffix: '' }]]);
    const plan = await createLaunchFixture({ env: safe }).resolve(sh([], { env, envFrom: envFrom }));
    expect(Object.entries(revealed(plan)['env'] as object)).toEqual(
      expect.arrayContaining([
        ['__proto__', 'a'],
        ['constructor', 'b'],
      ]),
    );
  });

  test('T26: a command is one program, not a line for a shell', async () => {
    const line = 'echo a; touch /tmp/p';
    await expect(createLaunchFixture({ env: safe }).resolve(projectProgram(line))).rejects.toMatchObject({
      code: 'program-missing',
      details: { server: 'shop', command: line },
    });
  });

  test('T28: a project’s own PATH is cleaned, and does not determine which program runs', async () => {
    const definition = sh([], { env: { PATH: '.:/srv/shop/bin' } });
    expect(revealed(await createLaunchFixture({ env: safe }).resolve(definition))).toMatchObject({
      program: '/bin/sh',
      env: { PATH: '/srv/shop/bin' },
    });
    const users = asUsers(sh([], { env: { PATH: '/nowhere' } }));
    await expect(createLaunchFixture({ env: safe }).resolve(users)).rejects.toMatchObject({
      code: 'program-missing',
    });
  });
});

describe('the plan of a remote server', () => {
  test('has its origin, and values only for that origin', async () => {
    const world = createLaunchFixture({ env: { KEY: 'k/1 2', TOKEN: 'tok' } });
    const definition = projectRemote('https://Shop.test:443/mcp?k=${KEY}', {
      headers: { A: 'Bearer ${TOKEN}' },
      headersFrom: { B: { variable: 'TOKEN', prefix: '', suffix: '' } },
      tls: { caFile: 'ca.pem' },
    });
    expect(revealed(await world.resolve(definition))).toEqual({
      kind: 'http',
      server: 'shop',
      url: 'https://Shop.test:443/mcp?k=k/1 2',
      origin: 'https://shop.test',
      headers: { A: 'Bearer tok', B: 'tok' },
      tls: { caFile: 'ca.pem' },
      login: {
        credentialId: 'mcp:shop',
        isNamed: false,
        oauth: {},
        sharing: JSON.stringify([definition.origin.file, 'shop']),
      },
    });
  });

  test.each([
    'https://${HOST}/',
    '${URL}',
    'https://x.test:${PORT}/',
    '${S}://x.test/',
    'https://${U}@x.test/',
    'https://x.test${TAIL}',
  ])('T19: %s is rejected: a value must not choose the host', async (url) => {
    const env = { HOST: 'x.test', URL: 'https://x.test', PORT: '1', S: 'https', U: 'u', TAIL: '/' };
    await expect(createLaunchFixture({ env }).resolve(projectRemote(url))).rejects.toMatchObject({
      code: 'secret-unresolved',
      details: { field: 'url' },
    });
  });

  test.each(['a\r\nX-Evil: 1', 'a\nb', 'a\0b', 'a\u001bb', 'a\u007fb', 'a\u0085b'])(
    'T18: %j in a header is refused, and not told',
    async (value) => {
      const world = createLaunchFixture({ env: { TOKEN: `hunter22${value}` } });
      const failure: unknown = await world
        .resolve(projectRemote('https://x.test', { headers: { A: 'Bearer ${TOKEN}' } }))
        .catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: 'secret-unresolved', details: { field: 'headers.A' } });
      expect(inspect(failure)).not.toContain('hunter22');
    },
  );

  test.each(['A B', 'A:', 'A\r\nB', ''])('a header cannot be named %j', async (name) => {
    const definition = projectRemote('https://x.test', { headers: { [name]: 'x' } });
    await expect(createLaunchFixture().resolve(definition)).rejects.toMatchObject({
      code: 'secret-unresolved',
    });
  });

  test('sends the credentials of its URL as a header, unless it sets that header', async () => {
    const plan = async (url: string, headers: Readonly<Record<string, string>> = {}): Promise<unknown> =>
      revealed(await createLaunchFixture().resolve(projectRemote(url, { headers })));
    expect(await plan('https://ada:p%40ss@Shop.test/mcp?a=1')).toMatchObject({
      url: 'https://shop.test/mcp?a=1',
      origin: 'https://shop.test',
      headers: { Authorization: `Basic ${Buffer.from('ada:p@ss').toString('base64')}` },
    });
    expect(await plan('https://ada:%zz@shop.test/', { authorization: 'Bearer x' })).toMatchObject({
      url: 'https://shop.test/',
      headers: { authorization: 'Bearer x' },
    });
  });

  test('requires the variable of an Authorization header, and omits others that are not set', async () => {
    const from = (name: string): ServerDefinition =>
      projectRemote('https://x.test', {
        headersFrom: { [name]: { variable: 'GONE', prefix: 'Bearer ', suffix: '' } },
      });
    await expect(createLaunchFixture().resolve(from('Authorization'))).rejects.toMatchObject({
      details: { field: 'headers.Authorization' },
    });
    expect(revealed(await createLaunchFixture().resolve(from('X-Other')))).toMatchObject({ headers: {} });
  });

  test('accepts only a JSON object of strings from a headers helper', async () => {
    const definition = projectRemote('https://x.test', {
      headersHelper: 'helper',
      headers: { A: '1', B: '2' },
    });
    const world = createLaunchFixture({ prints: { helper: '{"B":"three","C":"four-secret"}\n' } });
    expect(revealed(await world.resolve(definition))).toMatchObject({
      headers: { A: '1', B: 'three', C: 'four-secret' },
    });
    expect(world.redactor.redact('four-secret')).toBe('[secret]');
    for (const text of ['no json', '[]', '{"A":1}', 'null']) {
      await expect(
        createLaunchFixture({ prints: { helper: text } }).resolve(definition),
      ).rejects.toMatchObject({ details: { field: 'headersHelper' } });
    }
  });
});

describe('T25: the redactor learns', () => {
  test('every resolved value, before anything can fail', async () => {
    const world = createLaunchFixture({
      env: { ...safe, TOKEN: 'variable-secret' },
      files: { '~/key': 'file-secret' },
      prints: { 'pass x': 'command-secret' },
    });
    await world.resolve(asUsers(sh(['${TOKEN}'], { env: { A: '!pass x' } })));
    await world.resolve({ ...asUsers(sh(['{file:~/key}'])), dialect: 'opencode' });
    expect(world.redactor.redact('variable-secret command-secret file-secret')).toBe(
      '[secret] [secret] [secret]',
    );
  });

  test('secrets that are plain text in the definition', async () => {
    const world = createLaunchFixture({ env: safe });
    await world.resolve(
      sh(['--token', 'argument-secret-1', '--name=ada', 'https://u:password-1@x.test'], {
        env: { API_KEY: 'literal-secret-2', MODE: 'production' },
      }),
    );
    await world.resolve(
      projectRemote('https://x.test/?key=query-secret-3', {
        headers: { Authorization: 'Bearer header-secret-4' },
        oauth: { clientSecret: 'client-secret-5' },
      }),
    );
    const said =
      'argument-secret-1 literal-secret-2 query-secret-3 header-secret-4 client-secret-5 password-1 ada production';
    expect(world.redactor.redact(said)).toBe(
      '[secret] [secret] [secret] [secret] [secret] [secret] ada production',
    );
  });

  test('no paths of known places, so that output stays readable', async () => {
    const world = createLaunchFixture({ env: { ...safe, HOME: '/home/ada' } });
    await world.resolve(sh(['${HOME}/x']));
    expect(world.redactor.redact('/home/ada/x')).toBe('/home/ada/x');
  });
});

describe('a login that the entry names', () => {
  const auth = { type: 'oauth', credentialId: 'mcp:shared' } as const;

  test('is named in a remote plan without its token, which is fetched for each request', async () => {
    const { parts } = createLaunchFixture({ env: safe });
    const definition = { ...asUsers(projectRemote('https://shop.test/mcp')), auth };
    const accessToken = (): Promise<string> => Promise.resolve('kept-token-1');
    expect(revealed(await resolveLaunch(trusted(definition), { ...parts, accessToken }))).toMatchObject({
      headers: {},
      login: { credentialId: 'mcp:shared', isNamed: true, oauth: {} },
    });
  });

  test('is passed to a program as OAUTH_ACCESS_TOKEN, and masked', async () => {
    const { parts, redactor } = createLaunchFixture({ env: safe });
    const accessToken = (id: string): Promise<string> => Promise.resolve(`token of ${id}`);
    const plan = await resolveLaunch(trusted({ ...sh([]), auth }), { ...parts, accessToken });
    expect(revealed(plan)).toMatchObject({ env: { OAUTH_ACCESS_TOKEN: 'token of mcp:shared' } });
    expect(redactor.redact('token of mcp:shared')).toBe('[secret]');
  });

  test('that does not exist omits the variable', async () => {
    const { parts } = createLaunchFixture({ env: safe });
    const accessToken = (): Promise<undefined> => Promise.resolve(undefined);
    const plan = revealed(await resolveLaunch(trusted({ ...sh([]), auth }), { ...parts, accessToken }));
    expect(JSON.stringify(plan)).not.toContain('OAUTH_ACCESS_TOKEN');
  });
});

describe('login settings', () => {
  test('are resolved, with secrets that cannot be printed', async () => {
    const world = createLaunchFixture({ env: { ...safe, SECRET: 'client-secret-1' } });
    const oauth = { clientId: 'id', clientSecret: '${SECRET}', scopes: ['a', 'b'], callbackPort: 4000 };
    const plan = await world.resolve(projectRemote('https://shop.test/mcp', { oauth }));
    expect(plan).toMatchObject({ login: { credentialId: 'mcp:shop', isNamed: false } });
    expect(JSON.stringify(plan)).not.toContain('client-secret-1');
    expect(world.redactor.redact('client-secret-1')).toBe('[secret]');
    const filled = plan.kind === 'stdio' ? undefined : plan.login?.oauth;
    expect({ ...filled, clientSecret: filled?.clientSecret?.reveal() }).toEqual({
      ...oauth,
      clientSecret: 'client-secret-1',
    });
  });

  test('are omitted when the entry disables logging in', async () => {
    const plan = await createLaunchFixture({ env: safe }).resolve(
      projectRemote('https://shop.test/mcp', { oauth: false }),
    );
    expect(revealed(plan)).not.toHaveProperty('login');
  });
});
