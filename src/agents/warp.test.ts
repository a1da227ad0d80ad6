import { expect, test } from 'vitest';

import { makeMachine, readAgent } from '../../tests/support/agent-machine.ts';
import { defined, goldenFile, place, program, remote } from '../../tests/support/golden-file.ts';
import { warp } from './warp.ts';

test('reads every field', async () => {
  const { definitions, problems } = await readAgent(warp, {
    files: {
      '~/.warp/.mcp.json': goldenFile('warp/good.json'),
    },
  });
  expect(definitions).toEqual([
    defined('alias', {
      launch: remote('http', 'https://alias.example/mcp'),
      dialect: 'warp',
      origin: place('warp', 'user', '/home/ada/.warp/.mcp.json')(5, 5),
    }),
    defined('web', {
      launch: remote('http', 'https://web.example/mcp', { headers: { Authorization: 'Bearer ${WEB}' } }),
      dialect: 'warp',
      origin: place('warp', 'user', '/home/ada/.warp/.mcp.json')(4, 5),
    }),
    defined('local', {
      launch: program('npx', ['local-mcp'], { env: { K: '${K}' }, cwd: '/srv/local' }),
      dialect: 'warp',
      origin: place('warp', 'user', '/home/ada/.warp/.mcp.json')(3, 5),
    }),
  ]);
  expect(problems).toEqual([]);
});

test('a broken entry costs itself and hides no neighbour', async () => {
  const { definitions, problems } = await readAgent(warp, {
    files: {
      './.warp/.mcp.json': goldenFile('warp/broken.json'),
    },
  });
  expect(definitions).toEqual([
    defined('fine', {
      launch: program('fine-mcp'),
      dialect: 'warp',
      guarded: true,
      origin: place('warp', 'project', '/srv/shop/.warp/.mcp.json')(5, 5),
    }),
  ]);
  expect(problems).toEqual([
    {
      severity: 'warning',
      code: 'agent-refuses',
      message: 'Warp would refuse this file because it has comments; holt reads it all the same',
      remedy: 'Save it as plain JSON.',
      file: '/srv/shop/.warp/.mcp.json',
      line: 1,
      column: 1,
    },
    {
      server: 'both',
      severity: 'error',
      code: 'entry-invalid',
      message: 'server "both" cannot be used: it has both "command" and a URL',
      remedy: 'Keep one of the two.',
      file: '/srv/shop/.warp/.mcp.json',
      line: 4,
      column: 13,
    },
  ]);
});

const paths = (os: 'linux' | 'macos' | 'windows'): unknown =>
  warp.locate(makeMachine({ os })).map(({ path }) => path);

test('looks in its own places on every system, weakest first', () => {
  expect(paths('linux')).toEqual(['/home/ada/.warp/.mcp.json', '/srv/shop/.warp/.mcp.json']);
  expect(paths('macos')).toEqual(['/Users/ada/.warp/.mcp.json', '/Users/ada/src/shop/.warp/.mcp.json']);
  expect(paths('windows')).toEqual(['C:\\Users\\Ada\\.warp\\.mcp.json', 'D:\\src\\shop\\.warp\\.mcp.json']);
});

test('reads every wrapper key, a nested one and a bare map alike', async () => {
  const servers = { one: { command: 'a' } };
  const layouts = [
    { mcpServers: servers },
    { mcp_servers: servers },
    { servers },
    { mcp: { servers } },
    servers,
  ];
  for (const layout of layouts) {
    const { definitions, problems } = await readAgent(warp, {
      files: { '~/.warp/.mcp.json': JSON.stringify(layout) },
    });
    expect(problems).toEqual([]);
    expect(definitions.map(({ name, launch }) => [name, launch])).toEqual([['one', program('a')]]);
  }
});

test('a wrapper key that is itself a server is one', async () => {
  const { definitions } = await readAgent(warp, {
    files: { '~/.warp/.mcp.json': '{"servers":{"command":"a"},"mcp":{"command":"b"}}' },
  });
  expect(definitions.map(({ name }) => name)).toEqual(['mcp', 'servers']);
});

test('a server below a key that is no wrapper is not taken for a map', async () => {
  const { definitions, problems } = await readAgent(warp, {
    files: { '~/.warp/.mcp.json': '{"mcp":{"servers":{"command":"a"}}}' },
  });
  expect([definitions, problems]).toEqual([[], []]);
});

const one = (command: string): string => JSON.stringify({ mcpServers: { one: { command } } });

test('the project wins over the user', async () => {
  const { definitions } = await readAgent(warp, {
    files: { '~/.warp/.mcp.json': one('user'), './.warp/.mcp.json': one('project') },
  });
  expect(definitions.map(({ launch, guarded }) => [launch, guarded])).toEqual([
    [program('project'), true],
    [program('user'), false],
  ]);
});
