import { expect, test } from 'vitest';

import { makeMachine, readAgent } from '../../tests/support/agent-machine.ts';
import { defined, goldenFile, place, program, remote } from '../../tests/support/golden-file.ts';
import { agentFormat } from './all-agents.ts';

const kiro = agentFormat('kiro');

test('reads every field, and the servers of an agent', async () => {
  const { definitions, problems } = await readAgent(kiro, {
    files: {
      '~/.kiro/settings/mcp.json': goldenFile('kiro/good.json'),
      './.kiro/agents/reviewer.json': goldenFile('kiro/good-agent.json'),
    },
  });
  expect(definitions).toEqual([
    defined('review', {
      launch: program('review-mcp', ['--strict']),
      dialect: 'kiro',
      guarded: true,
      origin: place('kiro', 'project', '/srv/shop/.kiro/agents/reviewer.json')(6, 5),
    }),
    defined('aws', {
      launch: program('uvx', ['aws-mcp@latest'], { env: { AWS_PROFILE: 'dev' } }),
      enabled: false,
      tools: { autoApprove: ['list_buckets'] },
      dialect: 'kiro',
      origin: place('kiro', 'user', '/home/ada/.kiro/settings/mcp.json')(12, 5),
    }),
    defined('docs', {
      launch: remote('http', 'https://docs.example/mcp', {
        headers: { Authorization: 'Bearer ${DOCS_TOKEN}' },
        oauth: { clientId: 'kc', redirectUri: '127.0.0.1:7778', scopes: ['r', 'w'] },
      }),
      timeouts: { idleMs: 60_000 },
      tools: { exclude: ['drop'], autoApprove: ['*'] },
      dialect: 'kiro',
      origin: place('kiro', 'user', '/home/ada/.kiro/settings/mcp.json')(3, 5),
    }),
  ]);
  expect(problems).toEqual([]);
});

test('a broken entry costs itself, and a project file approves nothing', async () => {
  const { definitions, problems } = await readAgent(kiro, {
    files: {
      './.kiro/settings/mcp.json': goldenFile('kiro/broken.json'),
    },
  });
  expect(definitions).toEqual([
    defined('fine', {
      launch: program('fine-mcp'),
      dialect: 'kiro',
      guarded: true,
      origin: place('kiro', 'project', '/srv/shop/.kiro/settings/mcp.json')(6, 5),
    }),
    defined('self', {
      launch: program('self-mcp'),
      dialect: 'kiro',
      guarded: true,
      origin: place('kiro', 'project', '/srv/shop/.kiro/settings/mcp.json')(5, 5),
    }),
  ]);
  expect(problems).toEqual([
    {
      server: 'none',
      severity: 'error',
      code: 'entry-invalid',
      message: 'server "none" cannot be used: it needs "command" or "url"',
      file: '/srv/shop/.kiro/settings/mcp.json',
      line: 3,
      column: 13,
    },
    {
      server: 'ftp',
      severity: 'error',
      code: 'entry-invalid',
      message: 'server "ftp" cannot be used: a URL that begins with "ftp:" cannot be used for http',
      file: '/srv/shop/.kiro/settings/mcp.json',
      line: 4,
      column: 21,
    },
    {
      server: 'self',
      severity: 'warning',
      code: 'self-approval',
      message: '"autoApprove" in a project file does not count: holt asks before these tools are used',
      file: '/srv/shop/.kiro/settings/mcp.json',
      line: 5,
      column: 53,
    },
    {
      server: 'self',
      severity: 'warning',
      code: 'field-invalid',
      message: '"timeout" must be a number that is not negative, but is a number; it is ignored',
      file: '/srv/shop/.kiro/settings/mcp.json',
      line: 5,
      column: 76,
    },
  ]);
});

const one = (entry: object): string => JSON.stringify({ mcpServers: { one: entry } });

const paths = (os: 'linux' | 'macos' | 'windows'): unknown =>
  kiro.locate(makeMachine({ os })).map(({ path }) => path);

test('looks in its own places on every system, weakest first', () => {
  expect(paths('linux')).toEqual([
    '/home/ada/.kiro/settings/mcp.json',
    '/srv/shop/.kiro/settings/mcp.json',
    '/home/ada/.kiro/agents',
    '/srv/shop/.kiro/agents',
  ]);
  expect(paths('macos')).toEqual([
    '/Users/ada/.kiro/settings/mcp.json',
    '/Users/ada/src/shop/.kiro/settings/mcp.json',
    '/Users/ada/.kiro/agents',
    '/Users/ada/src/shop/.kiro/agents',
  ]);
  expect(paths('windows')).toEqual([
    'C:\\Users\\Ada\\.kiro\\settings\\mcp.json',
    'D:\\src\\shop\\.kiro\\settings\\mcp.json',
    'C:\\Users\\Ada\\.kiro\\agents',
    'D:\\src\\shop\\.kiro\\agents',
  ]);
});

test('an agent wins over the workspace, the workspace over the user', async () => {
  const { definitions, problems } = await readAgent(kiro, {
    files: {
      '~/.kiro/settings/mcp.json': one({ command: 'user' }),
      './.kiro/settings/mcp.json': one({ command: 'workspace' }),
      '~/.kiro/agents/a.json': one({ command: 'agent' }),
      './.kiro/agents/b.json': one({ command: 'agent of the project' }),
      './.kiro/agents/notes.md': 'not JSON',
    },
  });
  expect(problems).toEqual([]);
  expect(definitions.map(({ launch, origin, guarded }) => [launch, origin.scope, guarded])).toEqual([
    [program('agent of the project'), 'project', true],
    [program('agent'), 'user', false],
    [program('workspace'), 'project', true],
    [program('user'), 'user', false],
  ]);
});

test('scopes stand outside oauth, and approvals are no filter', async () => {
  const { definitions, problems } = await readAgent(kiro, {
    files: {
      '~/.kiro/settings/mcp.json':
        '{ "mcpServers": { "k": { "url": "https://k.example/mcp", "oauth": { "clientId": "kc", "redirectUri": "127.0.0.1:7778" }, "oauthScopes": ["r", "w"], "autoApprove": ["*"], "disabledTools": ["drop"], "timeout": 60000 } } }',
    },
  });
  expect(problems).toEqual([]);
  expect(definitions.map(({ launch, tools, timeouts }) => [launch, tools, timeouts])).toEqual([
    [
      remote('http', 'https://k.example/mcp', {
        oauth: { clientId: 'kc', redirectUri: '127.0.0.1:7778', scopes: ['r', 'w'] },
      }),
      { exclude: ['drop'], autoApprove: ['*'] },
      { idleMs: 60_000 },
    ],
  ]);
});
