import { expect, test } from 'vitest';

import { readAgent } from '../../tests/support/agent-machine.ts';
import { defined, goldenFile, place, program, remote } from '../../tests/support/golden-file.ts';
import { gemini } from './gemini.ts';

test('reads every field of its settings and of an extension', async () => {
  const { definitions, problems } = await readAgent(gemini, {
    files: {
      '~/.gemini/settings.json': goldenFile('gemini/good.json'),
      '~/.gemini/extensions/kit/gemini-extension.json': goldenFile('gemini/good-extension.json'),
    },
  });
  expect(definitions).toEqual([
    defined('old', {
      launch: program('old-mcp'),
      enabled: false,
      dialect: 'gemini',
      origin: place('gemini', 'user', '/home/ada/.gemini/settings.json')(36, 5),
    }),
    defined('cloud', {
      launch: remote('http', 'https://cloud.example/mcp'),
      dialect: 'gemini',
      origin: place('gemini', 'user', '/home/ada/.gemini/settings.json')(35, 5),
    }),
    defined('hub', {
      launch: remote('http', 'https://hub.example/mcp', {
        oauth: {
          clientId: 'hub-client',
          clientSecret: '${HUB_SECRET}',
          redirectUri: 'http://localhost:7777/oauth/callback',
          authorizationEndpoint: 'https://login.example/authorize',
          tokenEndpoint: 'https://login.example/token',
          scopes: ['read', 'write'],
        },
      }),
      dialect: 'gemini',
      origin: place('gemini', 'user', '/home/ada/.gemini/settings.json')(22, 5),
    }),
    defined('feed', {
      launch: remote('sse', 'https://feed.example/sse'),
      dialect: 'gemini',
      origin: place('gemini', 'user', '/home/ada/.gemini/settings.json')(21, 5),
    }),
    defined('notes', {
      launch: program('npx', ['-y', '@acme/notes-mcp', '--root', '${NOTES_ROOT:-/srv}'], {
        env: { NOTES_KEY: '$NOTES_KEY', LEVEL: '2' },
        cwd: './notes',
      }),
      dialect: 'gemini',
      origin: place('gemini', 'user', '/home/ada/.gemini/settings.json')(15, 5),
    }),
    defined('issues', {
      launch: remote('http', 'https://issues.example/mcp', {
        headers: { Authorization: 'Bearer $ISSUES_TOKEN' },
      }),
      timeouts: { idleMs: 15_000 },
      tools: { include: ['search', 'open'], exclude: ['open'], autoApprove: ['*'] },
      dialect: 'gemini',
      origin: place('gemini', 'user', '/home/ada/.gemini/settings.json')(5, 5),
    }),
    defined('kit', {
      launch: program('node', ['${extensionPath}${/}server.js'], { cwd: '${extensionPath}' }),
      dialect: 'gemini-extension',
      origin: place('gemini', 'plugin', '/home/ada/.gemini/extensions/kit/gemini-extension.json')(5, 5),
    }),
  ]);
  expect(problems).toEqual([
    {
      server: 'kit',
      severity: 'warning',
      code: 'agent-ignores',
      message: 'Gemini CLI takes no "trust" from an extension',
      file: '/home/ada/.gemini/extensions/kit/gemini-extension.json',
      line: 5,
      column: 112,
    },
    {
      server: 'cloud',
      severity: 'warning',
      code: 'entry-unsupported',
      message: 'the login "google_credentials" is one that only Gemini CLI has; holt connects without it',
      remedy: 'Give a header with a token.',
      file: '/home/ada/.gemini/settings.json',
      line: 35,
      column: 72,
    },
  ]);
});

test('a broken entry costs itself and hides no neighbour', async () => {
  const { definitions, problems } = await readAgent(gemini, {
    files: {
      '~/.gemini/settings.json': goldenFile('gemini/broken.json'),
    },
  });
  expect(definitions).toEqual([
    defined('fine', {
      launch: program('fine-mcp'),
      dialect: 'gemini',
      origin: place('gemini', 'user', '/home/ada/.gemini/settings.json')(11, 5),
    }),
    defined('args', {
      launch: program('args-mcp'),
      dialect: 'gemini',
      origin: place('gemini', 'user', '/home/ada/.gemini/settings.json')(8, 5),
    }),
    defined('asleep', {
      launch: program('asleep-mcp'),
      dialect: 'gemini',
      origin: place('gemini', 'user', '/home/ada/.gemini/settings.json')(7, 5),
    }),
    defined('alias', {
      launch: remote('http', 'https://b.example/mcp'),
      dialect: 'gemini',
      origin: place('gemini', 'user', '/home/ada/.gemini/settings.json')(6, 5),
    }),
  ]);
  expect(problems).toEqual([
    {
      severity: 'warning',
      code: 'agent-refuses',
      message: 'Gemini CLI would refuse this file because it has trailing commas; holt reads it all the same',
      remedy: 'Save it as plain JSON.',
      file: '/home/ada/.gemini/settings.json',
      line: 1,
      column: 1,
    },
    {
      severity: 'error',
      code: 'entry-invalid',
      server: 'text',
      message: 'server "text" is not an object',
      file: '/home/ada/.gemini/settings.json',
      line: 10,
      column: 5,
    },
    {
      server: 'nothing',
      severity: 'error',
      code: 'entry-invalid',
      message: 'server "nothing" cannot be used: it needs "command" or "httpUrl"',
      file: '/home/ada/.gemini/settings.json',
      line: 3,
      column: 16,
    },
    {
      server: 'socket',
      severity: 'error',
      code: 'entry-invalid',
      message: 'server "socket" cannot be used: it has only a "tcp" address, which holt does not connect to',
      remedy: 'Use "url".',
      file: '/home/ada/.gemini/settings.json',
      line: 4,
      column: 15,
    },
    {
      server: 'odd-type',
      severity: 'error',
      code: 'entry-invalid',
      message: 'server "odd-type" cannot be used: Unknown transport "carrier-pigeon"',
      remedy: 'Use stdio, http, sse or ws.',
      file: '/home/ada/.gemini/settings.json',
      line: 5,
      column: 27,
    },
    {
      server: 'alias',
      severity: 'warning',
      code: 'agent-refuses',
      message: 'the agent does not know the type "streamable-http"; holt reads it as http',
      remedy: 'Write "http".',
      file: '/home/ada/.gemini/settings.json',
      line: 6,
      column: 24,
    },
    {
      server: 'asleep',
      severity: 'warning',
      code: 'agent-ignores',
      message: 'Gemini CLI does not know "enabled" and starts the server',
      remedy: 'List the name in mcp.excluded.',
      file: '/home/ada/.gemini/settings.json',
      line: 7,
      column: 53,
    },
    {
      server: 'args',
      severity: 'warning',
      code: 'field-invalid',
      message: '"args" must be a list of strings, but is a string; it is ignored',
      file: '/home/ada/.gemini/settings.json',
      line: 8,
      column: 46,
    },
    {
      server: 'args',
      severity: 'warning',
      code: 'field-invalid',
      message: '"timeout" must be a number that is not negative, but is a string; it is ignored',
      file: '/home/ada/.gemini/settings.json',
      line: 8,
      column: 70,
    },
    {
      server: 'file',
      severity: 'error',
      code: 'entry-invalid',
      message: 'server "file" cannot be used: a URL that begins with "file:" cannot be used for http',
      file: '/home/ada/.gemini/settings.json',
      line: 9,
      column: 22,
    },
  ]);
});

const settings = (mcpServers: object, more: object = {}): string => JSON.stringify({ mcpServers, ...more });
const one = (entry: object): string => settings({ one: entry });

test('the system wins over the project, the project over the user, all over defaults and extensions', async () => {
  const { definitions, problems } = await readAgent(gemini, {
    files: {
      '/etc/gemini-cli/settings.json': one({ command: 'system' }),
      './.gemini/settings.json': one({ command: 'project' }),
      '~/.gemini/settings.json': one({ command: 'user' }),
      '/etc/gemini-cli/system-defaults.json': one({ command: 'defaults' }),
      '~/.gemini/extensions/kit/gemini-extension.json': one({ command: 'extension' }),
    },
  });
  expect(problems).toEqual([]);
  expect(definitions.map(({ launch, origin, guarded }) => [launch, origin.scope, guarded])).toEqual([
    [program('system'), 'managed', false],
    [program('project'), 'project', true],
    [program('user'), 'user', false],
    [program('defaults'), 'managed', false],
    [program('extension'), 'plugin', false],
  ]);
});

test('mcp.excluded and mcp.allowed switch servers off by name, whatever the case', async () => {
  const entry = { command: 'x' };
  const { definitions } = await readAgent(gemini, {
    files: {
      '~/.gemini/settings.json': settings(
        { Alpha: entry, beta: entry, gamma: entry },
        { mcp: { allowed: ['alpha', 'BETA'], excluded: ['Beta'] } },
      ),
      './.gemini/settings.json': settings({}, { mcp: { allowed: [] } }),
    },
  });
  expect(definitions.map(({ name, enabled }) => [name, enabled])).toEqual([
    ['gamma', false],
    ['beta', false],
    ['Alpha', true],
  ]);
});

test('mcp-server-enablement.json switches off names that it keeps in small letters', async () => {
  const { definitions, problems } = await readAgent(gemini, {
    files: {
      '~/.gemini/settings.json': settings({ 'My Notes': { command: 'a' }, issues: { command: 'b' } }),
      '~/.gemini/mcp-server-enablement.json': goldenFile('gemini/good-enablement.json'),
    },
  });
  expect(problems).toEqual([]);
  expect(definitions.map(({ name, enabled }) => [name, enabled])).toEqual([
    ['issues', true],
    ['My Notes', false],
  ]);
});

test('Gemini: a url without a type is HTTP (measured)', async () => {
  const { definitions } = await readAgent(gemini, {
    files: { '~/.gemini/settings.json': one({ url: 'https://g.example/mcp' }) },
  });
  expect(definitions.map(({ launch }) => launch)).toEqual([remote('http', 'https://g.example/mcp')]);
});

test('Gemini: of command and url the url wins, even with type stdio (measured)', async () => {
  const entry = { command: 'g-mcp', url: 'https://g.example/mcp' };
  const { definitions } = await readAgent(gemini, {
    files: { '~/.gemini/settings.json': settings({ a: entry, b: { ...entry, type: 'stdio' } }) },
  });
  expect(definitions.map(({ launch }) => launch)).toEqual([
    remote('http', 'https://g.example/mcp'),
    remote('http', 'https://g.example/mcp'),
  ]);
});

test('httpUrl is HTTP whatever the type says', async () => {
  const { definitions, problems } = await readAgent(gemini, {
    files: { '~/.gemini/settings.json': one({ type: 'sse', httpUrl: 'https://g.example/mcp' }) },
  });
  expect(problems).toEqual([]);
  expect(definitions.map(({ launch }) => launch)).toEqual([remote('http', 'https://g.example/mcp')]);
});

test('Gemini: type streamable-http is complained about and still listed (measured)', async () => {
  const { definitions, problems } = await readAgent(gemini, {
    files: { '~/.gemini/settings.json': one({ type: 'streamable-http', url: 'https://g.example/mcp' }) },
  });
  expect(definitions.map(({ launch }) => launch.kind)).toEqual(['http']);
  expect(problems.map(({ code }) => code)).toEqual(['agent-refuses']);
});

test('Gemini: "enabled": false is complained about and the server is loaded (measured)', async () => {
  const { definitions, problems } = await readAgent(gemini, {
    files: { '~/.gemini/settings.json': one({ command: 'x', enabled: false }) },
  });
  expect(definitions.map(({ enabled }) => enabled)).toEqual([true]);
  expect(problems.map(({ code }) => code)).toEqual(['agent-ignores']);
});

const read = async (text: string): Promise<unknown> => {
  const { definitions, problems } = await readAgent(gemini, { files: { '~/.gemini/settings.json': text } });
  return [definitions.length, problems.map(({ code }) => code)];
};

test('Gemini: a byte order mark and trailing commas make it refuse the file, comments do not (measured)', async () => {
  expect(await read('\uFEFF{"mcpServers":{"a":{"command":"a"}}}')).toEqual([1, ['agent-refuses']]);
  expect(await read('{"mcpServers":{"a":{"command":"a"},}}')).toEqual([1, ['agent-refuses']]);
  expect(await read('{/* user */"mcpServers":{"a":{"command":"a"}}}')).toEqual([1, []]);
});

test('httpUrl beats url, filters lose their arguments, trust approves every tool', async () => {
  const { definitions, problems } = await readAgent(gemini, {
    files: {
      '~/.gemini/settings.json':
        '{ /* user */ "mcpServers": { "g": { "httpUrl": "https://g.example/mcp", "url": "https://g.example/sse", "headers": { "Authorization": "Bearer $G_TOKEN" }, "timeout": 15000, "trust": true, "includeTools": ["a", "b(x)"], "excludeTools": ["b"] } } }',
    },
  });
  expect(problems).toEqual([]);
  expect(definitions).toEqual([
    defined('g', {
      launch: remote('http', 'https://g.example/mcp', { headers: { Authorization: 'Bearer $G_TOKEN' } }),
      timeouts: { idleMs: 15_000 },
      tools: { include: ['a', 'b'], exclude: ['b'], autoApprove: ['*'] },
      dialect: 'gemini',
      origin: place('gemini', 'user', '/home/ada/.gemini/settings.json')(1, 30),
    }),
  ]);
});

test('"trust" in a project file approves nothing', async () => {
  const { definitions, problems } = await readAgent(gemini, {
    files: { './.gemini/settings.json': one({ command: 'x', trust: true }) },
  });
  expect(definitions.map(({ tools, guarded }) => [tools, guarded])).toEqual([[undefined, true]]);
  expect(problems.map(({ code, server }) => [code, server])).toEqual([['self-approval', 'one']]);
});
