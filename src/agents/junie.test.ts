import { expect, test } from 'vitest';

import { makeMachine, readAgent } from '../../tests/support/agent-machine.ts';
import { defined, goldenFile, place, program, remote } from '../../tests/support/golden-file.ts';
import { agentFormat } from './all-agents.ts';

const junie = agentFormat('junie');

test('reads every field', async () => {
  const { definitions, problems } = await readAgent(junie, {
    files: {
      '~/.junie/mcp/mcp.json': goldenFile('junie/good.json'),
    },
  });
  expect(definitions).toEqual([
    defined('files', {
      launch: program('npx', ['files-mcp'], { env: { ROOT: '/srv' } }),
      origin: place('junie', 'user', '/home/ada/.junie/mcp/mcp.json')(4, 5),
    }),
    defined('hub', {
      launch: remote('http', 'https://hub.example/mcp', { headers: { 'X-Key': 'k' } }),
      origin: place('junie', 'user', '/home/ada/.junie/mcp/mcp.json')(3, 5),
    }),
  ]);
  expect(problems).toEqual([]);
});

test('a list in the place of the map is a problem of the file', async () => {
  const { definitions, problems } = await readAgent(junie, {
    files: {
      './.junie/mcp/mcp.json': goldenFile('junie/broken.json'),
    },
  });
  expect(definitions).toEqual([]);
  expect(problems).toEqual([
    {
      severity: 'error',
      code: 'file-shape',
      message: '"mcpServers" must be an object of servers, but is a list',
      file: '/srv/shop/.junie/mcp/mcp.json',
      line: 2,
      column: 17,
    },
  ]);
});

const paths = (os: 'linux' | 'macos' | 'windows'): unknown =>
  junie.locate(makeMachine({ os })).map(({ path }) => path);

test('looks in its own places on every system, weakest first', () => {
  expect(paths('linux')).toEqual(['/home/ada/.junie/mcp/mcp.json', '/srv/shop/.junie/mcp/mcp.json']);
  expect(paths('macos')).toEqual([
    '/Users/ada/.junie/mcp/mcp.json',
    '/Users/ada/src/shop/.junie/mcp/mcp.json',
  ]);
  expect(paths('windows')).toEqual([
    'C:\\Users\\Ada\\.junie\\mcp\\mcp.json',
    'D:\\src\\shop\\.junie\\mcp\\mcp.json',
  ]);
});

const one = (command: string): string => JSON.stringify({ mcpServers: { one: { command } } });

test('the project wins over the user', async () => {
  const { definitions } = await readAgent(junie, {
    files: { '~/.junie/mcp/mcp.json': one('user'), './.junie/mcp/mcp.json': one('project') },
  });
  expect(definitions.map(({ launch, guarded }) => [launch, guarded])).toEqual([
    [program('project'), true],
    [program('user'), false],
  ]);
});
