import { expect, test } from 'vitest';

import { makeMachine, readAgent } from '../../tests/support/agent-machine.ts';
import { defined, goldenFile, place, program, remote } from '../../tests/support/golden-file.ts';
import { agentFormat } from './all-agents.ts';

const amazonQ = agentFormat('amazon-q');

test('reads every field, and the servers of an agent', async () => {
  const { definitions, problems } = await readAgent(amazonQ, {
    files: {
      '~/.aws/amazonq/mcp.json': goldenFile('amazon-q/good.json'),
      '~/.aws/amazonq/cli-agents/ops.json': goldenFile('amazon-q/good-agent.json'),
    },
  });
  expect(definitions).toEqual([
    defined('ops', {
      launch: program('ops-mcp'),
      timeouts: { idleMs: 120_000 },
      dialect: 'amazon-q',
      origin: place('amazon-q', 'user', '/home/ada/.aws/amazonq/cli-agents/ops.json')(4, 19),
    }),
    defined('shell', {
      launch: program('shell-mcp', ['-q'], { env: { MODE: '${env:MODE}' } }),
      enabled: false,
      dialect: 'amazon-q',
      origin: place('amazon-q', 'user', '/home/ada/.aws/amazonq/mcp.json')(11, 5),
    }),
    defined('wiki', {
      launch: remote('http', 'https://wiki.example/mcp', {
        headers: { 'X-Key': '${env:WIKI_KEY}' },
        oauth: { redirectUri: '127.0.0.1:7778', scopes: ['read'] },
      }),
      timeouts: { idleMs: 90_000 },
      dialect: 'amazon-q',
      origin: place('amazon-q', 'user', '/home/ada/.aws/amazonq/mcp.json')(3, 5),
    }),
  ]);
  expect(problems).toEqual([]);
});

test('a broken entry costs itself and hides no neighbour', async () => {
  const { definitions, problems } = await readAgent(amazonQ, {
    files: {
      './.amazonq/mcp.json': goldenFile('amazon-q/broken.json'),
    },
  });
  expect(definitions).toEqual([
    defined('fine', {
      launch: program('fine-mcp'),
      dialect: 'amazon-q',
      guarded: true,
      origin: place('amazon-q', 'project', '/srv/shop/.amazonq/mcp.json')(5, 5),
    }),
    defined('feed', {
      launch: remote('sse', 'https://feed.example/sse'),
      dialect: 'amazon-q',
      guarded: true,
      origin: place('amazon-q', 'project', '/srv/shop/.amazonq/mcp.json')(3, 5),
    }),
  ]);
  expect(problems).toEqual([
    {
      server: 'feed',
      severity: 'warning',
      code: 'agent-refuses',
      message: 'the agent does not know the type "sse"; holt reads it as sse',
      file: '/srv/shop/.amazonq/mcp.json',
      line: 3,
      column: 23,
    },
    {
      server: 'empty',
      severity: 'error',
      code: 'entry-invalid',
      message: 'server "empty" cannot be used: "command" is empty',
      remedy: 'Give the program as one string and its arguments in "args".',
      file: '/srv/shop/.amazonq/mcp.json',
      line: 4,
      column: 27,
    },
  ]);
});

const one = (command: string): string => JSON.stringify({ mcpServers: { one: { command } } });

const paths = (os: 'linux' | 'macos' | 'windows'): unknown =>
  amazonQ.locate(makeMachine({ os })).map(({ path }) => path);

test('looks in its own places on every system, weakest first', () => {
  expect(paths('linux')).toEqual([
    '/home/ada/.aws/amazonq/mcp.json',
    '/srv/shop/.amazonq/mcp.json',
    '/home/ada/.aws/amazonq/cli-agents',
    '/srv/shop/.amazonq/cli-agents',
  ]);
  expect(paths('macos')).toEqual([
    '/Users/ada/.aws/amazonq/mcp.json',
    '/Users/ada/src/shop/.amazonq/mcp.json',
    '/Users/ada/.aws/amazonq/cli-agents',
    '/Users/ada/src/shop/.amazonq/cli-agents',
  ]);
  expect(paths('windows')).toEqual([
    'C:\\Users\\Ada\\.aws\\amazonq\\mcp.json',
    'D:\\src\\shop\\.amazonq\\mcp.json',
    'C:\\Users\\Ada\\.aws\\amazonq\\cli-agents',
    'D:\\src\\shop\\.amazonq\\cli-agents',
  ]);
});

test('an agent wins over the workspace, the workspace over the user', async () => {
  const { definitions } = await readAgent(amazonQ, {
    files: {
      '~/.aws/amazonq/mcp.json': one('user'),
      './.amazonq/mcp.json': one('workspace'),
      '~/.aws/amazonq/cli-agents/a.json': one('agent'),
      './.amazonq/cli-agents/a.json': one('agent of the project'),
    },
  });
  expect(definitions.map(({ launch, origin, guarded }) => [launch, origin.scope, guarded])).toEqual([
    [program('agent of the project'), 'project', true],
    [program('agent'), 'user', false],
    [program('workspace'), 'project', true],
    [program('user'), 'user', false],
  ]);
});

test('a url without a type is HTTP', async () => {
  const { definitions } = await readAgent(amazonQ, {
    files: { '~/.aws/amazonq/mcp.json': '{"mcpServers":{"a":{"url":"https://a.example/mcp"}}}' },
  });
  expect(definitions.map(({ launch }) => launch)).toEqual([remote('http', 'https://a.example/mcp')]);
});
