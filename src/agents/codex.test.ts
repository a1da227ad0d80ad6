import { expect, test } from 'vitest';

import { fixture, readAgent, said } from '../../tests/support/agent-machine.ts';
import { placeIn, placesOf, problemLines, remote, stdio } from '../../tests/support/expected.ts';
import { codex } from './codex.ts';

test('a project fragment without a command of its own is merged with the user entry, which holds until approval (measured)', async () => {
  const { definitions, problems } = await readAgent(codex, {
    files: {
      '~/.codex/config.toml': '[mcp_servers.docs]\ncommand = "npx"\nargs = ["-y", "docs-mcp"]\n',
      './.codex/config.toml': '[mcp_servers.docs]\nargs = ["-y", "docs-mcp", "--branch", "next"]\n',
    },
  });
  expect(problems).toEqual([]);
  expect(
    definitions.map(({ launch, guarded, origin }) => ({
      launch,
      guarded,
      scope: origin.scope,
      line: origin.line,
    })),
  ).toEqual([
    {
      launch: {
        kind: 'stdio',
        command: 'npx',
        args: ['-y', 'docs-mcp', '--branch', 'next'],
        env: {},
        envFrom: {},
      },
      guarded: true,
      scope: 'project',
      line: 1,
    },
    {
      launch: { kind: 'stdio', command: 'npx', args: ['-y', 'docs-mcp'], env: {}, envFrom: {} },
      guarded: false,
      scope: 'user',
      line: 1,
    },
  ]);
});

test('a project fragment that only switches off counts at once', async () => {
  const { definitions } = await readAgent(codex, {
    files: {
      '~/.codex/config.toml': '[mcp_servers.docs]\ncommand = "npx"\n',
      './.codex/config.toml': '[mcp_servers.docs]\nenabled = false\n',
    },
  });
  expect(definitions.map(({ enabled, guarded }) => ({ enabled, guarded }))).toEqual([
    { enabled: false, guarded: false },
  ]);
});

test('CODEX_HOME inside the project makes its file the project’s', async () => {
  const { definitions } = await readAgent(codex, {
    env: { CODEX_HOME: '/srv/shop/evil' },
    files: { './evil/config.toml': '[mcp_servers.docs]\ncommand = "npx"\n' },
  });
  expect(definitions.map(({ origin, guarded }) => [origin.scope, guarded])).toEqual([['project', true]]);
});

const file = '/home/ada/.codex/config.toml';
const user = placeIn('codex', 'user', file);
const common = { enabled: true, timeouts: {}, dialect: 'none', guarded: false };
const from = (variable: string, prefix = ''): object => ({ variable, prefix, suffix: '' });

test('reads the good file: seconds, filters, variables by name, names with dots and spaces (E24; measured)', async () => {
  const result = await readAgent(codex, { files: { [file]: fixture('codex/good.toml') } });
  expect(said(result)).toEqual([
    {
      ...common,
      name: 'docs',
      launch: {
        ...stdio('npx', { args: ['-y', 'docs-mcp'], env: { MODE: 'ro' }, cwd: '/srv/docs' }),
        envFrom: { DOCS_TOKEN: from('DOCS_TOKEN'), REGION: from('REGION') },
      },
      timeouts: { startMs: 20_000, idleMs: 90_000 },
      tools: { include: ['search'], exclude: ['drop'] },
      origin: user(3, 14),
    },
    {
      ...common,
      name: 'linear.app',
      launch: {
        ...remote('http', 'https://linear.example/mcp', {
          headers: { 'X-Team': 'core' },
          headersHelper: '/opt/bin/mint-headers',
          oauth: {
            clientId: 'cx',
            callbackPort: 8123,
            scopes: ['read', 'write'],
            resource: 'https://linear.example',
          },
        }),
        headersFrom: { Authorization: from('LINEAR_TOKEN', 'Bearer '), 'X-User': from('LINEAR_USER') },
      },
      enabled: false,
      origin: user(15, 14),
    },
    {
      ...common,
      name: 'my server',
      launch: stdio('my-mcp'),
      timeouts: { startMs: 1500 },
      origin: user(29, 14),
    },
  ]);
  expect(problemLines(result)).toEqual([
    `${file}:20:23 info field-executable linear.app: "http_headers_helper" is a command that runs when the server is connected`,
  ]);
});

test('Codex: bearer_token, an array command, a number in env or both a command and a URL make it refuse all (measured)', async () => {
  const result = await readAgent(codex, { files: { [file]: fixture('codex/broken.toml') } });
  expect(said(result)).toEqual([
    { ...common, name: 'token', launch: remote('http', 'https://token.example/mcp'), origin: user(8, 14) },
    {
      ...common,
      name: 'number',
      launch: stdio('number-mcp', { env: { PORT: '7070' } }),
      origin: user(12, 14),
    },
    { ...common, name: 'habit', launch: remote('http', 'https://habit.example/sse'), origin: user(16, 14) },
    { ...common, name: 'ok', launch: stdio('ok-mcp'), origin: user(24, 14) },
  ]);
  expect(problemLines(result)).toEqual([
    `${file}:2:11 error entry-invalid array: server "array" cannot be used: "command" is not a string → Give the program as one string and its arguments in "args".`,
    `${file}:4:1 error entry-invalid both: server "both" cannot be used: it has both "command" and "url"; Codex refuses its whole config for that → Keep one of the two.`,
    `${file}:10:16 warning agent-refuses token: Codex refuses its whole config because of "bearer_token" → Use bearer_token_env_var.`,
    `${file}:14:16 warning agent-refuses number: Codex refuses its whole config: "env.PORT" is not a string → Put it in quotes.`,
    `${file}:19:11 warning agent-ignores habit: Codex does not know "headers": these headers are never sent → Use http_headers.`,
    `${file}:18:8 warning agent-ignores habit: Codex does not know "type": a URL is always Streamable HTTP → Remove it.`,
    `${file}:21:1 error entry-invalid fragment: server "fragment" cannot be used: it needs "command" or "url"`,
  ]);
});

test('Codex: type, transport and headers are unknown to it, an SSE server becomes Streamable HTTP (measured)', async () => {
  const text = '[mcp_servers.x]\nurl = "https://x.example/sse"\ntransport = "sse"\nheaders = { A = "b" }\n';
  const result = await readAgent(codex, { files: { [file]: text } });
  expect(result.definitions.map(({ launch }) => launch)).toEqual([remote('http', 'https://x.example/sse')]);
  expect(result.problems.map(({ code, line }) => [code, line])).toEqual([
    ['agent-ignores', 4],
    ['agent-ignores', 3],
  ]);
});

test('Codex: names with spaces and dots are listed (measured)', async () => {
  const text = '[mcp_servers."a b"]\ncommand = "x"\n[mcp_servers."a.b"]\ncommand = "x"\n';
  const result = await readAgent(codex, { files: { [file]: text } });
  expect([result.definitions.map(({ name }) => name), problemLines(result)]).toEqual([['a b', 'a.b'], []]);
});

test('Codex: tables are merged recursively, the nearest project file last (measured)', async () => {
  const { definitions } = await readAgent(codex, {
    cwd: 'web',
    files: {
      '/etc/codex/config.toml':
        '[mcp_servers.docs]\ncommand = "system"\nenv = { A = "system", B = "system" }\n',
      [file]: '[mcp_servers.docs]\ncommand = "user"\nenv = { A = "user" }\n',
      './.codex/config.toml': '[mcp_servers.docs]\nargs = ["root"]\nenv = { C = "root" }\n',
      './web/.codex/config.toml': '[mcp_servers.docs]\nargs = ["web"]\n',
    },
  });
  expect(
    definitions.map(({ launch, origin, guarded }) => ({ launch, scope: origin.scope, guarded })),
  ).toEqual([
    {
      launch: stdio('user', { args: ['web'], env: { A: 'user', B: 'system', C: 'root' } }),
      scope: 'project',
      guarded: true,
    },
    { launch: stdio('user', { env: { A: 'user', B: 'system' } }), scope: 'user', guarded: false },
  ]);
});

test('a managed file comes on top, the system’s file at the bottom', async () => {
  const { definitions } = await readAgent(codex, {
    files: {
      '/etc/codex/config.toml': '[mcp_servers.a]\ncommand = "system"\n[mcp_servers.b]\ncommand = "system"\n',
      [file]: '[mcp_servers.a]\ncommand = "user"\n',
      '/etc/codex/managed_config.toml': '[mcp_servers.a]\ncommand = "managed"\n',
    },
  });
  expect(definitions.map(({ name, launch, origin }) => [name, launch, origin.scope])).toEqual([
    ['a', stdio('managed'), 'managed'],
    ['b', stdio('system'), 'managed'],
  ]);
});

test('a project cannot set its own approval modes', async () => {
  const approval = '[mcp_servers.docs.tools.search]\napproval_mode = "approve"\n';
  const result = await readAgent(codex, {
    files: {
      [file]: `[mcp_servers.docs]\ncommand = "npx"\n${approval}`,
      './.codex/config.toml': `[mcp_servers.mine]\ncommand = "m"\ndefault_tools_approval_mode = "approve"\n${approval}`,
    },
  });
  const message = 'approval modes in a project file do not count: holt asks before these tools are used';
  expect(problemLines(result)).toEqual([
    `/srv/shop/.codex/config.toml:5:17 warning self-approval docs: ${message}`,
    `/srv/shop/.codex/config.toml:3:31 warning self-approval mine: ${message}`,
  ]);
  expect(result.definitions.every(({ tools }) => tools === undefined)).toBe(true);
});

test('Codex: a byte order mark and an empty file are fine (measured)', async () => {
  const marked = await readAgent(codex, { files: { [file]: '\u{FEFF}[mcp_servers.x]\ncommand = "x"\n' } });
  expect([marked.definitions.map(({ name }) => name), problemLines(marked)]).toEqual([['x'], []]);
  const empty = await readAgent(codex, { files: { [file]: '' } });
  expect([said(empty), problemLines(empty)]).toEqual([[], []]);
});

test('says where a text is no TOML', async () => {
  const result = await readAgent(codex, { files: { [file]: '[mcp_servers.x]\ncommand = = "x"\n' } });
  expect(result.problems.map(({ severity, code, line }) => [severity, code, line])).toEqual([
    ['error', 'file-syntax', 2],
  ]);
});

test('looks in the right places on every system', () => {
  expect(placesOf(codex, { cwd: 'web' })).toEqual([
    'managed /etc/codex/config.toml',
    `user ${file}`,
    'project /srv/shop/.codex/config.toml',
    'project /srv/shop/web/.codex/config.toml',
    'managed /etc/codex/managed_config.toml',
  ]);
  expect(placesOf(codex, { os: 'macos', env: { CODEX_HOME: '/opt/codex' } })).toEqual([
    'managed /etc/codex/config.toml',
    'user /opt/codex/config.toml',
    'project /Users/ada/src/shop/.codex/config.toml',
    'managed /etc/codex/managed_config.toml',
  ]);
  expect(placesOf(codex, { os: 'windows' })).toEqual([
    'managed C:\\ProgramData\\OpenAI\\Codex\\config.toml',
    'user C:\\Users\\Ada\\.codex\\config.toml',
    'project D:\\src\\shop\\.codex\\config.toml',
    'managed C:\\ProgramData\\OpenAI\\Codex\\managed_config.toml',
  ]);
  expect(placesOf(codex, { os: 'windows', env: { ProgramData: 'E:\\data' } })[0]).toBe(
    'managed E:\\data\\OpenAI\\Codex\\config.toml',
  );
});
