import { describe, expect, test } from 'vitest';

import { makeMachine, readAgent } from '../../tests/support/agent-machine.ts';
import { defined, goldenFile, place, program, remote } from '../../tests/support/golden-file.ts';
import { qwen } from './qwen.ts';

test('reads every field', async () => {
  const { definitions, problems } = await readAgent(qwen, {
    files: {
      '~/.qwen/settings.json': goldenFile('qwen/good.json'),
    },
  });
  expect(definitions).toEqual([
    defined('lab-one', {
      launch: program('lab-mcp'),
      enabled: false,
      dialect: 'qwen',
      origin: place('qwen', 'user', '/home/ada/.qwen/settings.json')(16, 5),
    }),
    defined('local', {
      launch: program('uvx', ['local-mcp'], { env: { K: '$K' }, cwd: '/srv/q' }),
      dialect: 'qwen',
      origin: place('qwen', 'user', '/home/ada/.qwen/settings.json')(15, 5),
    }),
    defined('web', {
      launch: remote('http', 'https://q.example/mcp', { oauth: { clientId: 'q', scopes: ['r'] } }),
      timeouts: { startMs: 5000, idleMs: 20_000 },
      tools: { include: ['a', 'b'], exclude: ['c'], autoApprove: ['*'] },
      dialect: 'qwen',
      origin: place('qwen', 'user', '/home/ada/.qwen/settings.json')(5, 5),
    }),
    defined('stream', {
      launch: remote('sse', 'https://q.example/sse', { headers: { 'X-Team': '${TEAM}' } }),
      dialect: 'qwen',
      origin: place('qwen', 'user', '/home/ada/.qwen/settings.json')(4, 5),
    }),
  ]);
  expect(problems).toEqual([]);
});

test('a broken entry costs itself and hides no neighbour', async () => {
  const { definitions, problems } = await readAgent(qwen, {
    files: {
      './.qwen/settings.json': goldenFile('qwen/broken.json'),
    },
  });
  expect(definitions).toEqual([
    defined('fine', {
      launch: program('fine-mcp'),
      dialect: 'qwen',
      guarded: true,
      origin: place('qwen', 'project', '/srv/shop/.qwen/settings.json')(6, 5),
    }),
    defined('typed', {
      launch: remote('sse', 'https://q.example/mcp'),
      dialect: 'qwen',
      guarded: true,
      origin: place('qwen', 'project', '/srv/shop/.qwen/settings.json')(3, 5),
    }),
  ]);
  expect(problems).toEqual([
    {
      severity: 'warning',
      code: 'agent-refuses',
      message: 'Qwen Code would refuse this file because it has trailing commas; holt reads it all the same',
      remedy: 'Save it as plain JSON.',
      file: '/srv/shop/.qwen/settings.json',
      line: 1,
      column: 1,
    },
    {
      severity: 'error',
      code: 'entry-invalid',
      server: 'number',
      message: 'server "number" is not an object',
      file: '/srv/shop/.qwen/settings.json',
      line: 5,
      column: 5,
    },
    {
      server: 'typed',
      severity: 'warning',
      code: 'agent-ignores',
      message: 'Qwen Code does not look at "type": what "url" says is SSE',
      remedy: 'Use "httpUrl" for Streamable HTTP.',
      file: '/srv/shop/.qwen/settings.json',
      line: 3,
      column: 24,
    },
    {
      server: 'empty',
      severity: 'error',
      code: 'entry-invalid',
      message: 'server "empty" cannot be used: it needs "command" or "httpUrl"',
      file: '/srv/shop/.qwen/settings.json',
      line: 4,
      column: 14,
    },
  ]);
});

const settings = (mcpServers: object, more: object = {}): string => JSON.stringify({ mcpServers, ...more });

const paths = (os: 'linux' | 'macos' | 'windows', env: Record<string, string> = {}): unknown =>
  qwen.locate(makeMachine({ os, env })).map(({ path, scope, guarded }) => [path, scope, guarded]);

test('looks in its own places on every system, weakest first', () => {
  expect(paths('linux')).toEqual([
    ['/home/ada/.qwen/mcpApprovals.json', 'user', false],
    ['/home/ada/.qwen/settings.json', 'user', false],
    ['/srv/shop/.qwen/settings.json', 'project', true],
    ['/etc/qwen-code/settings.json', 'managed', false],
  ]);
  expect(paths('macos')).toEqual([
    ['/Users/ada/.qwen/mcpApprovals.json', 'user', false],
    ['/Users/ada/.qwen/settings.json', 'user', false],
    ['/Users/ada/src/shop/.qwen/settings.json', 'project', true],
    ['/Library/Application Support/QwenCode/settings.json', 'managed', false],
  ]);
  expect(paths('windows', { QWEN_HOME: 'E:\\qwen' })).toEqual([
    ['E:\\qwen\\mcpApprovals.json', 'user', false],
    ['E:\\qwen\\settings.json', 'user', false],
    ['D:\\src\\shop\\.qwen\\settings.json', 'project', true],
    ['C:\\ProgramData\\qwen-code\\settings.json', 'managed', false],
  ]);
});

describe('a server of the project that was rejected in Qwen Code', () => {
  const entry = { env: { B: '2', A_KEY: '1' }, command: 'node', args: ['server.js', '--flag', 'a b'] };
  // As Qwen Code 0.24.4 wrote it for this entry.
  const hash = '4c246bccbf7e5a2548b89b5cab9526bfe9b71bc0c15cb8af3d298501f1e8bbad';
  const read = async (
    project: object,
    { status = 'rejected', folder = '/srv/shop', file = './.qwen/settings.json' } = {},
  ) => {
    const approvals = JSON.stringify({ [folder]: { one: { hash, status } } }, undefined, 2);
    const files = { '~/.qwen/mcpApprovals.json': approvals, [file]: settings({ one: project }) };
    const { definitions, problems } = await readAgent(qwen, { files });
    expect(problems).toEqual([]);
    return definitions.map(({ enabled }) => enabled);
  };
  const [on, off] = [[true], [false]];

  test('is off, whatever the order of its keys and its description', async () => {
    expect(await read(entry)).toEqual(off);
    expect(await read({ ...entry, description: 'Shown in lists' })).toEqual(off);
  });

  test('is asked about again once its entry has changed, and so is on', async () => {
    expect(await read({ ...entry, args: ['other.js'] })).toEqual(on);
  });

  test('says nothing about other folders, the user’s server of that name, or one that was approved', async () => {
    expect(await read(entry, { folder: '/srv/other' })).toEqual(on);
    expect(await read(entry, { file: '~/.qwen/settings.json' })).toEqual(on);
    expect(await read(entry, { status: 'approved' })).toEqual(on);
  });

  test.each(['{"/srv/shop": []}', '{"/srv/shop": {"one": {"status": "rejected"}, "two": 3}}', '{}'])(
    'is on where the file holds %s',
    async (text) => {
      const files = { '~/.qwen/mcpApprovals.json': text, './.qwen/settings.json': settings({ one: entry }) };
      const { definitions } = await readAgent(qwen, { files });
      expect(definitions.map(({ enabled }) => enabled)).toEqual([true]);
    },
  );
});

test('the system wins over the project, the project over the user', async () => {
  const { definitions } = await readAgent(qwen, {
    files: {
      '~/.qwen/settings.json': settings({ one: { command: 'user' } }),
      './.qwen/settings.json': settings({ one: { command: 'project' } }),
      '/etc/qwen-code/settings.json': settings({ one: { command: 'system' } }),
    },
  });
  expect(definitions.map(({ launch, origin }) => [launch, origin.scope])).toEqual([
    [program('system'), 'managed'],
    [program('project'), 'project'],
    [program('user'), 'user'],
  ]);
});

test('Qwen: a url alone is SSE and httpUrl is HTTP (measured)', async () => {
  const { definitions, problems } = await readAgent(qwen, {
    files: {
      '~/.qwen/settings.json':
        '{ "mcpServers": { "s": { "url": "https://q.example/sse" }, "h": { "httpUrl": "https://q.example/mcp" } } }',
    },
  });
  expect(problems).toEqual([]);
  expect(definitions.map(({ name, launch }) => [name, launch])).toEqual([
    ['h', remote('http', 'https://q.example/mcp')],
    ['s', remote('sse', 'https://q.example/sse')],
  ]);
});

const read = async (text: string): Promise<unknown> => {
  const { definitions, problems } = await readAgent(qwen, { files: { '~/.qwen/settings.json': text } });
  return [definitions.length, problems.map(({ code }) => code)];
};

test('Qwen: trailing commas make it refuse the file, comments do not (measured)', async () => {
  expect(await read('{"mcpServers":{"a":{"command":"a"},}}')).toEqual([1, ['agent-refuses']]);
  expect(await read('{// mine\n"mcpServers":{"a":{"command":"a"}}}')).toEqual([1, []]);
});

test('Qwen: a server of the project waits for approval (measured)', async () => {
  const { definitions } = await readAgent(qwen, {
    files: { './.qwen/settings.json': settings({ one: { command: 'a' } }) },
  });
  expect(definitions.map(({ guarded }) => guarded)).toEqual([true]);
});

test('mcp.allowed and mcp.excluded hold patterns', async () => {
  const entry = { command: 'x' };
  const { definitions } = await readAgent(qwen, {
    files: {
      '~/.qwen/settings.json': settings(
        { 'db-one': entry, 'db-two': entry, web: entry },
        { mcp: { allowed: ['db-*'], excluded: ['*-tw?'] } },
      ),
    },
  });
  expect(definitions.map(({ name, enabled }) => [name, enabled])).toEqual([
    ['web', false],
    ['db-two', false],
    ['db-one', true],
  ]);
});

test('of command and url the url wins, as in Gemini', async () => {
  const { definitions } = await readAgent(qwen, {
    files: { '~/.qwen/settings.json': settings({ one: { command: 'x', url: 'https://q.example/sse' } }) },
  });
  expect(definitions.map(({ launch }) => launch)).toEqual([remote('sse', 'https://q.example/sse')]);
});

test('"trust" in a project file approves nothing', async () => {
  const { definitions, problems } = await readAgent(qwen, {
    files: { './.qwen/settings.json': settings({ one: { command: 'x', trust: true } }) },
  });
  expect(definitions.map(({ tools }) => tools)).toEqual([undefined]);
  expect(problems.map(({ code }) => code)).toEqual(['self-approval']);
});
