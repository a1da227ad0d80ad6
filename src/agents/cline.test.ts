import { expect, test } from 'vitest';

import { fixture, readAgent, said } from '../../tests/support/agent-machine.ts';
import { placeIn, placesOf, problemLines, remote, stdio } from '../../tests/support/expected.ts';
import { cline } from './cline.ts';

const file = '/home/ada/.cline/data/settings/cline_mcp_settings.json';
const user = placeIn('cline', 'user', file);
const common = { enabled: true, timeouts: {}, dialect: 'env-prefix', guarded: false };

test('reads the good file: nested and flat, seconds, a bare URL is SSE, tokens are left alone (E18, E19)', async () => {
  const result = await readAgent(cline, { files: { [file]: fixture('cline/good.json') } });
  expect(problemLines(result)).toEqual([]);
  expect(said(result).toReversed()).toEqual([
    {
      ...common,
      name: 'mail',
      launch: remote('http', 'https://mail.example/mcp', {
        headers: { 'X-Key': '${env:MAIL_KEY}' },
        oauth: { clientId: 'mc', clientSecret: '${env:MAIL_SECRET}' },
      }),
      timeouts: { idleMs: 90_000 },
      tools: { autoApprove: ['list'] },
      origin: user(3, 5),
    },
    {
      ...common,
      name: 'nested',
      launch: stdio('nested-mcp', { args: ['--x'], env: { A: '1' }, cwd: '/srv' }),
      enabled: false,
      origin: user(12, 5),
    },
    {
      ...common,
      name: 'feed',
      launch: remote('sse', 'https://feed.example/sse'),
      timeouts: { idleMs: 60_000 },
      origin: user(16, 5),
    },
    { ...common, name: 'flat', launch: stdio('flat-mcp'), tools: { autoApprove: [] }, origin: user(17, 5) },
    { ...common, name: 'older', launch: remote('http', 'https://older.example/mcp'), origin: user(18, 5) },
  ]);
  expect(JSON.stringify(result)).not.toContain('REDACT');
});

test('reads what can be read of the broken file and names the rest', async () => {
  const result = await readAgent(cline, { files: { [file]: fixture('cline/broken.json') } });
  expect(said(result).toReversed()).toEqual([
    { ...common, name: 'short', launch: stdio('short-mcp'), origin: user(5, 5) },
    { ...common, name: 'dashed', launch: remote('http', 'https://dashed.example/mcp'), origin: user(6, 5) },
    { ...common, name: 'list', launch: stdio('list-mcp'), origin: user(7, 5) },
    { ...common, name: 'ok', launch: stdio('ok-mcp'), origin: user(8, 5) },
  ]);
  expect(problemLines(result)).toEqual([
    `${file}:1:1 warning agent-refuses: Cline would refuse this file because it has trailing commas; holt reads it all the same → Save it as plain JSON.`,
    `${file}:3:15 error entry-invalid hollow: server "hollow" cannot be used: it needs "command" or "url"`,
    `${file}:4:13 error entry-invalid word: server "word" cannot be used: it needs "command" or "url"`,
    `${file}:6:25 warning agent-refuses dashed: the agent does not know the type "streamable-http"; holt reads it as http → Write "streamableHttp".`,
    `${file}:7:53 warning field-invalid list: "autoApprove" must be a list of strings, but is a string; it is ignored`,
  ]);
});

test('a file inside the project approves nothing by itself', async () => {
  const result = await readAgent(cline, {
    env: { CLINE_MCP_SETTINGS_PATH: './cline.json' },
    files: { './cline.json': '{"mcpServers":{"x":{"command":"x","autoApprove":["list"]}}}' },
  });
  expect(said(result)).toEqual([
    {
      ...common,
      name: 'x',
      launch: stdio('x'),
      origin: placeIn('cline', 'project', '/srv/shop/cline.json')(1, 16),
      guarded: true,
    },
  ]);
  expect(problemLines(result)).toEqual([
    '/srv/shop/cline.json:1:49 warning self-approval x: "autoApprove" in a project file does not count: holt asks before these tools are used',
  ]);
});

const one = (command: string): string => JSON.stringify({ mcpServers: { x: { command } } });

const inEditor = (product: string): string =>
  `~/.config/${product}/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json`;

test('the file all editions share comes before older copies', async () => {
  const { definitions } = await readAgent(cline, {
    files: {
      '~/Documents/Cline/MCP/cline_mcp_settings.json': one('documents'),
      [inEditor('Cursor')]: one('cursor'),
      [inEditor('Code')]: one('code'),
      [file]: one('shared'),
    },
  });
  expect(definitions.map(({ launch }) => launch.kind === 'stdio' && launch.command)).toEqual([
    'shared',
    'code',
    'cursor',
    'documents',
  ]);
});

const editors = ['Antigravity', 'Kiro', 'Trae', 'Windsurf', 'Cursor', 'VSCodium', 'Code - Insiders', 'Code'];
const tail = ['User', 'globalStorage', 'saoudrizwan.claude-dev', 'settings', 'cline_mcp_settings.json'];

test.each([
  ['linux', '/home/ada', '/home/ada/.config', '/'],
  ['macos', '/Users/ada', '/Users/ada/Library/Application Support', '/'],
  ['windows', 'C:\\Users\\Ada', 'C:\\Users\\Ada\\AppData\\Roaming', '\\'],
] as const)('looks in the right places on %s', (os, home, base, slash) => {
  expect(placesOf(cline, { os })).toEqual([
    `user ${[home, 'Documents', 'Cline', 'MCP', 'cline_mcp_settings.json'].join(slash)}`,
    ...editors.map((editor) => `user ${[base, editor, ...tail].join(slash)}`),
    `user ${[home, '.cline', 'data', 'settings', 'cline_mcp_settings.json'].join(slash)}`,
  ]);
});

test.each([
  [{ CLINE_DIR: '/opt/cline' }, '/opt/cline/data/settings/cline_mcp_settings.json'],
  [{ CLINE_DIR: '/opt/cline', CLINE_DATA_DIR: '/opt/data' }, '/opt/data/settings/cline_mcp_settings.json'],
  [{ CLINE_DATA_DIR: '/opt/data', CLINE_MCP_SETTINGS_PATH: '/opt/mcp.json' }, '/opt/mcp.json'],
])('%j moves the file to %s', (env, moved) => {
  expect(placesOf(cline, { env: { ...env } }).at(-1)).toBe(`user ${moved}`);
});
