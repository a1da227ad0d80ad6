import { expect, test } from 'vitest';

import { makeMachine, readAgent } from '../../tests/support/agent-machine.ts';
import { defined, goldenFile, place, program, remote } from '../../tests/support/golden-file.ts';
import { factoryDroid } from './factory-droid.ts';

test('reads every field, comments included', async () => {
  const { definitions, problems } = await readAgent(factoryDroid, {
    files: {
      '~/.factory/mcp.json': goldenFile('factory-droid/good.json'),
    },
  });
  expect(definitions).toEqual([
    defined('open', {
      launch: remote('sse', 'https://open.example/sse', { oauth: false }),
      enabled: false,
      dialect: 'factory',
      origin: place('factory-droid', 'user', '/home/ada/.factory/mcp.json')(25, 5),
    }),
    defined('web', {
      launch: remote('http', 'https://web.example/mcp', {
        headers: { 'X-Team': 'core' },
        oauth: {
          clientId: 'fd',
          clientSecret: '${FD_SECRET}',
          issuer: 'https://login.example',
          callbackPort: 8123,
          scopes: ['read'],
        },
      }),
      tools: { exclude: ['wipe'] },
      dialect: 'factory',
      origin: place('factory-droid', 'user', '/home/ada/.factory/mcp.json')(12, 5),
    }),
    defined('local', {
      launch: program('local-mcp', ['--port', '0'], { env: { TOKEN: '${LOCAL_TOKEN}' } }),
      timeouts: { idleMs: 5000 },
      tools: { include: ['x', 'y'] },
      dialect: 'factory',
      origin: place('factory-droid', 'user', '/home/ada/.factory/mcp.json')(4, 5),
    }),
  ]);
  expect(problems).toEqual([]);
});

test('a broken entry costs itself and hides no neighbour', async () => {
  const { definitions, problems } = await readAgent(factoryDroid, {
    files: {
      './.factory/mcp.json': goldenFile('factory-droid/broken.json'),
    },
  });
  expect(definitions).toEqual([
    defined('fine', {
      launch: program('fine-mcp'),
      dialect: 'factory',
      guarded: true,
      origin: place('factory-droid', 'project', '/srv/shop/.factory/mcp.json')(6, 5),
    }),
    defined('untyped', {
      launch: remote('http', 'https://untyped.example/mcp'),
      dialect: 'factory',
      guarded: true,
      origin: place('factory-droid', 'project', '/srv/shop/.factory/mcp.json')(3, 5),
    }),
  ]);
  expect(problems).toEqual([
    {
      server: 'untyped',
      severity: 'warning',
      code: 'agent-refuses',
      message: 'the agent takes an entry without "type" for a program, and fails; holt reads it as http',
      remedy: 'Add "type": "http".',
      file: '/srv/shop/.factory/mcp.json',
      line: 3,
      column: 25,
    },
    {
      server: 'homeless',
      severity: 'error',
      code: 'entry-invalid',
      message: 'server "homeless" cannot be used: a server of type http needs a URL',
      remedy: 'Add "url".',
      file: '/srv/shop/.factory/mcp.json',
      line: 4,
      column: 17,
    },
    {
      server: 'nothing',
      severity: 'error',
      code: 'entry-invalid',
      message: 'server "nothing" cannot be used: it needs "command" or "url"',
      file: '/srv/shop/.factory/mcp.json',
      line: 5,
      column: 16,
    },
  ]);
});

const one = (entry: object): string => JSON.stringify({ mcpServers: { one: entry } });

const paths = (os: 'linux' | 'macos' | 'windows'): unknown =>
  factoryDroid.locate(makeMachine({ os, cwd: 'web' })).map(({ path }) => path);

test('looks in its own places on every system, weakest first', () => {
  expect(paths('linux')).toEqual([
    '/home/ada/.factory/mcp.json',
    '/srv/shop/.factory/mcp.json',
    '/srv/shop/web/.factory/mcp.json',
  ]);
  expect(paths('macos')).toEqual([
    '/Users/ada/.factory/mcp.json',
    '/Users/ada/src/shop/.factory/mcp.json',
    '/Users/ada/src/shop/web/.factory/mcp.json',
  ]);
  expect(paths('windows')).toEqual([
    'C:\\Users\\Ada\\.factory\\mcp.json',
    'D:\\src\\shop\\.factory\\mcp.json',
    'D:\\src\\shop\\web\\.factory\\mcp.json',
  ]);
});

test('Factory Droid: the nearest folder wins over the project, and the project over the user (measured)', async () => {
  const { definitions } = await readAgent(factoryDroid, {
    cwd: 'web',
    files: {
      '~/.factory/mcp.json': one({ command: 'user' }),
      './.factory/mcp.json': one({ command: 'project' }),
      './web/.factory/mcp.json': one({ command: 'folder' }),
    },
  });
  expect(definitions.map(({ launch, origin, guarded }) => [launch, origin.scope, guarded])).toEqual([
    [program('folder'), 'project', true],
    [program('project'), 'project', true],
    [program('user'), 'user', false],
  ]);
});

test('Factory Droid: a url without a type is taken for a program and fails (measured)', async () => {
  const { definitions, problems } = await readAgent(factoryDroid, {
    files: { '~/.factory/mcp.json': one({ url: 'https://a.example/mcp' }) },
  });
  expect(definitions.map(({ launch }) => launch)).toEqual([remote('http', 'https://a.example/mcp')]);
  expect(problems.map(({ severity, code, server }) => [severity, code, server])).toEqual([
    ['warning', 'agent-refuses', 'one'],
  ]);
});

const read = async (text: string): Promise<unknown> => {
  const { definitions, problems } = await readAgent(factoryDroid, {
    files: { '~/.factory/mcp.json': text },
  });
  return [definitions.length, problems.map(({ code }) => code)];
};

test('Factory Droid: a byte order mark makes it see no servers, comments do not (measured)', async () => {
  expect(await read('\uFEFF{"mcpServers":{"a":{"command":"a"}}}')).toEqual([1, ['agent-refuses']]);
  expect(await read('{// mine\n"mcpServers":{"a":{"command":"a"}}}')).toEqual([1, []]);
});

test('Factory Droid: a bad entry fails alone (measured)', async () => {
  const { definitions } = await readAgent(factoryDroid, {
    files: { '~/.factory/mcp.json': '{"mcpServers":{"bad":{"command":7},"good":{"command":"a"}}}' },
  });
  expect(definitions.map(({ name }) => name)).toEqual(['good']);
});

test('without a type it is a program; "oauth": false means no login; a list of allowed tools idles the other', async () => {
  const { definitions, problems } = await readAgent(factoryDroid, {
    files: {
      '~/.factory/mcp.json':
        '{ "mcpServers": { "a": { "command": "a-mcp", "timeoutMs": 5000, "enabledTools": ["x"], "disabledTools": ["x"] }, "b": { "type": "http", "url": "https://b.example/mcp", "oauth": false, "disabled": true } } }',
    },
  });
  expect(problems).toEqual([]);
  expect(
    definitions.map(({ launch, enabled, timeouts, tools }) => [launch, enabled, timeouts, tools]),
  ).toEqual([
    [remote('http', 'https://b.example/mcp', { oauth: false }), false, {}, undefined],
    [program('a-mcp'), true, { idleMs: 5000 }, { include: ['x'] }],
  ]);
});
