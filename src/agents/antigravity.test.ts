import { expect, test } from 'vitest';

import { makeMachine, readAgent } from '../../tests/support/agent-machine.ts';
import { defined, goldenFile, place, program, remote } from '../../tests/support/golden-file.ts';
import { antigravity } from './antigravity.ts';

test('reads every field, serverUrl before a command', async () => {
  const { definitions, problems } = await readAgent(antigravity, {
    files: {
      '~/.gemini/config/mcp_config.json': goldenFile('antigravity/good.json'),
    },
  });
  expect(definitions).toEqual([
    defined('cloud', {
      launch: remote('http', 'https://cloud.example/mcp'),
      origin: place('antigravity', 'user', '/home/ada/.gemini/config/mcp_config.json')(12, 5),
    }),
    defined('local', {
      launch: program('local-mcp', ['--x'], { env: { A: '1' }, cwd: '/srv' }),
      enabled: false,
      origin: place('antigravity', 'user', '/home/ada/.gemini/config/mcp_config.json')(11, 5),
    }),
    defined('typed', {
      launch: remote('sse', 'https://typed.example/sse'),
      origin: place('antigravity', 'user', '/home/ada/.gemini/config/mcp_config.json')(10, 5),
    }),
    defined('maps', {
      launch: remote('http', 'https://maps.example/mcp', {
        headers: { 'X-Key': 'k' },
        oauth: { clientId: 'ag', clientSecret: 'hush' },
      }),
      tools: { exclude: ['route'] },
      origin: place('antigravity', 'user', '/home/ada/.gemini/config/mcp_config.json')(3, 5),
    }),
  ]);
  expect(problems).toEqual([
    {
      server: 'cloud',
      severity: 'warning',
      code: 'entry-unsupported',
      message: 'the login "google_credentials" is one that only Antigravity has; holt connects without it',
      remedy: 'Give a header with a token.',
      file: '/home/ada/.gemini/config/mcp_config.json',
      line: 12,
      column: 78,
    },
  ]);
});

test('a broken entry costs itself and hides no neighbour', async () => {
  const { definitions, problems } = await readAgent(antigravity, {
    files: {
      './.agents/mcp_config.json': goldenFile('antigravity/broken.json'),
    },
  });
  expect(definitions).toEqual([
    defined('fine', {
      launch: program('fine-mcp'),
      guarded: true,
      origin: place('antigravity', 'project', '/srv/shop/.agents/mcp_config.json')(6, 5),
    }),
    defined('dropped', {
      launch: program('dropped-mcp', [], { env: { PORT: '8080' } }),
      guarded: true,
      origin: place('antigravity', 'project', '/srv/shop/.agents/mcp_config.json')(4, 5),
    }),
    defined('awake', {
      launch: remote('http', 'https://awake.example/mcp'),
      guarded: true,
      origin: place('antigravity', 'project', '/srv/shop/.agents/mcp_config.json')(3, 5),
    }),
  ]);
  expect(problems).toEqual([
    {
      server: 'awake',
      severity: 'warning',
      code: 'agent-ignores',
      message: 'Antigravity does not look at "enabled" and starts the server',
      remedy: 'Write "disabled": true.',
      file: '/srv/shop/.agents/mcp_config.json',
      line: 3,
      column: 69,
    },
    {
      server: 'dropped',
      severity: 'warning',
      code: 'agent-refuses',
      message: 'Antigravity drops this server: "env.PORT" is not a string',
      remedy: 'Put it in quotes.',
      file: '/srv/shop/.agents/mcp_config.json',
      line: 4,
      column: 61,
    },
    {
      server: 'nothing',
      severity: 'error',
      code: 'entry-invalid',
      message: 'server "nothing" cannot be used: it needs "command" or "serverUrl"',
      file: '/srv/shop/.agents/mcp_config.json',
      line: 5,
      column: 16,
    },
  ]);
});

const one = (command: string): string => JSON.stringify({ mcpServers: { one: { command } } });

const paths = (os: 'linux' | 'macos' | 'windows'): unknown =>
  antigravity.locate(makeMachine({ os })).map(({ path }) => path);

test('looks in its own places on every system, weakest first', () => {
  expect(paths('linux')).toEqual([
    '/home/ada/.gemini/antigravity-cli/mcp_config.json',
    '/home/ada/.gemini/antigravity/mcp_config.json',
    '/home/ada/.gemini/config/mcp_config.json',
    '/srv/shop/_agent/mcp_config.json',
    '/srv/shop/_agents/mcp_config.json',
    '/srv/shop/.agent/mcp_config.json',
    '/srv/shop/.agents/mcp_config.json',
  ]);
  expect(paths('macos')).toEqual([
    '/Users/ada/.gemini/antigravity-cli/mcp_config.json',
    '/Users/ada/.gemini/antigravity/mcp_config.json',
    '/Users/ada/.gemini/config/mcp_config.json',
    '/Users/ada/src/shop/_agent/mcp_config.json',
    '/Users/ada/src/shop/_agents/mcp_config.json',
    '/Users/ada/src/shop/.agent/mcp_config.json',
    '/Users/ada/src/shop/.agents/mcp_config.json',
  ]);
  expect(paths('windows')).toEqual([
    'C:\\Users\\Ada\\.gemini\\antigravity-cli\\mcp_config.json',
    'C:\\Users\\Ada\\.gemini\\antigravity\\mcp_config.json',
    'C:\\Users\\Ada\\.gemini\\config\\mcp_config.json',
    'D:\\src\\shop\\_agent\\mcp_config.json',
    'D:\\src\\shop\\_agents\\mcp_config.json',
    'D:\\src\\shop\\.agent\\mcp_config.json',
    'D:\\src\\shop\\.agents\\mcp_config.json',
  ]);
});

test('the project wins over the user, and the new folder over the old ones', async () => {
  const { definitions } = await readAgent(antigravity, {
    files: {
      './.agents/mcp_config.json': one('project'),
      '~/.gemini/config/mcp_config.json': one('user'),
      '~/.gemini/antigravity/mcp_config.json': one('legacy'),
    },
  });
  expect(definitions.map(({ launch, guarded }) => [launch, guarded])).toEqual([
    [program('project'), true],
    [program('user'), false],
    [program('legacy'), false],
  ]);
});

test('"enabled" is not looked at, so the server is on, and the list of forbidden tools is kept', async () => {
  const { definitions, problems } = await readAgent(antigravity, {
    files: {
      '~/.gemini/config/mcp_config.json':
        '{ "mcpServers": { "m": { "serverUrl": "https://m.example/mcp", "enabled": false, "disabledTools": ["t"] } } }',
    },
  });
  expect(definitions.map(({ launch, enabled, tools }) => [launch, enabled, tools])).toEqual([
    [remote('http', 'https://m.example/mcp'), true, { exclude: ['t'] }],
  ]);
  expect(problems.map(({ code }) => code)).toEqual(['agent-ignores']);
});
