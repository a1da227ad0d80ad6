import { expect, test } from 'vitest';

import { makeMachine, readAgent } from '../../tests/support/agent-machine.ts';
import { defined, goldenFile, place, program, remote } from '../../tests/support/golden-file.ts';
import { continueDev } from './continue.ts';

test('reads the list of config.yaml with every field', async () => {
  const { definitions, problems } = await readAgent(continueDev, {
    files: {
      '~/.continue/config.yaml': goldenFile('continue/good.yaml'),
    },
  });
  expect(definitions).toEqual([
    defined('auto', {
      launch: remote('http', 'https://auto.example/mcp'),
      dialect: 'continue',
      origin: place('continue', 'user', '/home/ada/.continue/config.yaml')(16, 5),
    }),
    defined('keyed', {
      launch: remote('sse', 'https://keyed.example/sse', {
        headers: { Authorization: 'Bearer ${{ secrets.KEYED }}' },
      }),
      dialect: 'continue',
      origin: place('continue', 'user', '/home/ada/.continue/config.yaml')(11, 5),
    }),
    defined('sql', {
      launch: program('sql-mcp', ['--ro'], { env: { PGHOST: 'db' }, cwd: '/srv' }),
      dialect: 'continue',
      origin: place('continue', 'user', '/home/ada/.continue/config.yaml')(10, 5),
    }),
    defined('Issue tracker: main', {
      launch: remote('http', 'https://it.example/mcp', {
        headers: { Authorization: 'Bearer ${{ secrets.IT }}' },
      }),
      timeouts: { startMs: 20_000 },
      dialect: 'continue',
      origin: place('continue', 'user', '/home/ada/.continue/config.yaml')(5, 5),
    }),
  ]);
  expect(problems).toEqual([]);
});

test('a broken item of the list costs itself and hides no neighbour', async () => {
  const { definitions, problems } = await readAgent(continueDev, {
    files: {
      '~/.continue/config.yaml': goldenFile('continue/broken.yaml'),
    },
  });
  expect(definitions).toEqual([
    defined('fine', {
      launch: program('fine-mcp'),
      dialect: 'continue',
      origin: place('continue', 'user', '/home/ada/.continue/config.yaml')(9, 5),
    }),
    defined('typed', {
      launch: remote('http', 'https://typed.example/mcp'),
      dialect: 'continue',
      origin: place('continue', 'user', '/home/ada/.continue/config.yaml')(5, 5),
    }),
  ]);
  expect(problems).toEqual([
    {
      severity: 'error',
      code: 'entry-invalid',
      server: 'mcpServers[2]',
      message: 'server "mcpServers[2]" is not an object',
      file: '/home/ada/.continue/config.yaml',
      line: 4,
      column: 5,
    },
    {
      severity: 'error',
      code: 'entry-invalid',
      server: '',
      message: 'a server has an empty name',
      file: '/home/ada/.continue/config.yaml',
      line: 3,
      column: 5,
    },
    {
      server: 'nothing',
      severity: 'error',
      code: 'entry-invalid',
      message: 'server "nothing" cannot be used: it needs "command" or "url"',
      file: '/home/ada/.continue/config.yaml',
      line: 2,
      column: 5,
    },
    {
      server: 'typed',
      severity: 'warning',
      code: 'agent-ignores',
      message: 'Continue does not look at "headers" here: they are never sent',
      remedy: 'Use requestOptions.headers.',
      file: '/home/ada/.continue/config.yaml',
      line: 8,
      column: 14,
    },
    {
      server: 'typed',
      severity: 'warning',
      code: 'agent-refuses',
      message: 'the agent does not know the type "http"; holt reads it as http',
      remedy: 'Write "streamable-http".',
      file: '/home/ada/.continue/config.yaml',
      line: 6,
      column: 11,
    },
  ]);
});

test('reads a JSON block with comments and trailing commas', async () => {
  const { definitions, problems } = await readAgent(continueDev, {
    files: {
      './.continue/mcpServers/web.json': goldenFile('continue/good-block.json'),
    },
  });
  expect(definitions).toEqual([
    defined('web', {
      launch: remote('http', 'https://web.example/mcp', { headers: { 'X-Key': '${WEB_KEY}' } }),
      dialect: 'continue-json',
      guarded: true,
      origin: place('continue', 'project', '/srv/shop/.continue/mcpServers/web.json')(5, 5),
    }),
    defined('files', {
      launch: program('npx', ['files-mcp'], { env: { KEY: '${FILES_KEY}' } }),
      dialect: 'continue-json',
      guarded: true,
      origin: place('continue', 'project', '/srv/shop/.continue/mcpServers/web.json')(4, 5),
    }),
  ]);
  expect(problems).toEqual([]);
});

test('says that one bad entry makes Continue reject a whole JSON block', async () => {
  const { definitions, problems } = await readAgent(continueDev, {
    files: {
      './.continue/mcpServers/web.json': goldenFile('continue/broken-block.json'),
    },
  });
  expect(definitions).toEqual([
    defined('fine', {
      launch: program('fine-mcp'),
      dialect: 'continue-json',
      guarded: true,
      origin: place('continue', 'project', '/srv/shop/.continue/mcpServers/web.json')(4, 5),
    }),
  ]);
  expect(problems).toEqual([
    {
      severity: 'warning',
      code: 'agent-refuses',
      message: 'Continue rejects this whole file because of "bad"; holt reads the rest',
      file: '/srv/shop/.continue/mcpServers/web.json',
      line: 3,
      column: 5,
    },
    {
      server: 'bad',
      severity: 'warning',
      code: 'field-invalid',
      message: '"url" must be a string, but is a number; it is ignored',
      file: '/srv/shop/.continue/mcpServers/web.json',
      line: 3,
      column: 21,
    },
    {
      server: 'bad',
      severity: 'error',
      code: 'entry-invalid',
      message: 'server "bad" cannot be used: "url" is empty or not a string',
      file: '/srv/shop/.continue/mcpServers/web.json',
      line: 3,
      column: 21,
    },
    {
      server: 'fine',
      severity: 'warning',
      code: 'agent-ignores',
      message: 'Continue does not read "envFile": these variables are never set',
      remedy: 'Put them into "env".',
      file: '/srv/shop/.continue/mcpServers/web.json',
      line: 4,
      column: 49,
    },
  ]);
});

test('takes the servers of all projects from a copy of the file of Claude, the first of a name', async () => {
  const { definitions, problems } = await readAgent(continueDev, {
    files: {
      './.continue/mcpServers/claude.json': goldenFile('continue/good-claude.json'),
    },
  });
  expect(definitions).toEqual([
    defined('two', {
      launch: remote('sse', 'https://two.example/sse'),
      dialect: 'continue-json',
      guarded: true,
      origin: place('continue', 'project', '/srv/shop/.continue/mcpServers/claude.json')(5, 35),
    }),
    defined('one', {
      launch: program('one-mcp'),
      dialect: 'continue-json',
      guarded: true,
      origin: place('continue', 'project', '/srv/shop/.continue/mcpServers/claude.json')(4, 35),
    }),
    defined('top', {
      launch: program('top-mcp'),
      dialect: 'continue-json',
      guarded: true,
      origin: place('continue', 'project', '/srv/shop/.continue/mcpServers/claude.json')(2, 19),
    }),
  ]);
  expect(problems).toEqual([]);
});

test('reads the older config.json, whose servers have no names', async () => {
  const { definitions, problems } = await readAgent(continueDev, {
    files: {
      '~/.continue/config.json': goldenFile('continue/good-legacy.json'),
    },
  });
  expect(definitions).toEqual([
    defined('live', {
      launch: remote('ws', 'wss://live.example/mcp'),
      dialect: 'continue',
      origin: place('continue', 'user', '/home/ada/.continue/config.json')(6, 7),
    }),
    defined('continue-mcp-server-1', {
      launch: program('uvx', ['old-mcp'], { env: { A: '1' } }),
      dialect: 'continue',
      origin: place('continue', 'user', '/home/ada/.continue/config.json')(5, 7),
    }),
  ]);
  expect(problems).toEqual([]);
});

const paths = (os: 'linux' | 'macos' | 'windows', env: Record<string, string> = {}): unknown =>
  continueDev.locate(makeMachine({ os, env })).map(({ path, format, scope }) => [path, format, scope]);

test('looks in its own places on every system, weakest first', () => {
  expect(paths('linux')).toEqual([
    ['/home/ada/.continue/config.json', 'json', 'user'],
    ['/home/ada/.continue/config.yaml', 'yaml', 'user'],
    ['/home/ada/.continue/mcpServers', 'yaml', 'user'],
    ['/home/ada/.continue/mcpServers', 'json', 'user'],
    ['/srv/shop/.continue/mcpServers', 'yaml', 'project'],
    ['/srv/shop/.continue/mcpServers', 'json', 'project'],
  ]);
  expect(paths('macos', { CONTINUE_GLOBAL_DIR: '/opt/continue' })).toEqual([
    ['/opt/continue/config.json', 'json', 'user'],
    ['/opt/continue/config.yaml', 'yaml', 'user'],
    ['/opt/continue/mcpServers', 'yaml', 'user'],
    ['/opt/continue/mcpServers', 'json', 'user'],
    ['/Users/ada/src/shop/.continue/mcpServers', 'yaml', 'project'],
    ['/Users/ada/src/shop/.continue/mcpServers', 'json', 'project'],
  ]);
  expect(paths('windows')).toEqual([
    ['C:\\Users\\Ada\\.continue\\config.json', 'json', 'user'],
    ['C:\\Users\\Ada\\.continue\\config.yaml', 'yaml', 'user'],
    ['C:\\Users\\Ada\\.continue\\mcpServers', 'yaml', 'user'],
    ['C:\\Users\\Ada\\.continue\\mcpServers', 'json', 'user'],
    ['D:\\src\\shop\\.continue\\mcpServers', 'yaml', 'project'],
    ['D:\\src\\shop\\.continue\\mcpServers', 'json', 'project'],
  ]);
});

test('config.json counts only without config.yaml', async () => {
  const { definitions, problems } = await readAgent(continueDev, {
    files: {
      '~/.continue/config.json': goldenFile('continue/good-legacy.json'),
      '~/.continue/config.yaml': 'mcpServers:\n  - { name: one, command: one-mcp }\n',
    },
  });
  expect(definitions.map(({ name }) => name)).toEqual(['one']);
  expect(problems.map(({ code, file }) => [code, file])).toEqual([
    ['agent-ignores', '/home/ada/.continue/config.json'],
  ]);
});

const list = (command: string): string => `mcpServers:\n  - { name: one, command: ${command} }\n`;

test('blocks of the project win over blocks of the user, and those over config.yaml', async () => {
  const { definitions } = await readAgent(continueDev, {
    files: {
      '~/.continue/config.yaml': list('config'),
      '~/.continue/mcpServers/a.yaml': list('block'),
      './.continue/mcpServers/a.yml': list('project'),
    },
  });
  expect(definitions.map(({ launch, origin, guarded }) => [launch, origin.scope, guarded])).toEqual([
    [program('project'), 'project', true],
    [program('block'), 'user', false],
    [program('config'), 'user', false],
  ]);
});

test('a block that is one bare entry is called after its file', async () => {
  const { definitions, problems } = await readAgent(continueDev, {
    files: {
      './.continue/mcpServers/search.json': '{ "url": "https://search.example/mcp" }',
      './.continue/mcpServers/lint.yaml': 'command: lint-mcp\n',
      './.continue/mcpServers/empty.json': '',
      './.continue/mcpServers/other.json': '{ "note": "nothing of interest" }',
    },
  });
  expect(problems).toEqual([]);
  expect(definitions.map(({ name, launch, dialect }) => [name, launch, dialect])).toEqual([
    ['search', remote('http', 'https://search.example/mcp'), 'continue-json'],
    ['lint', program('lint-mcp'), 'continue'],
  ]);
});

test('with a command the rest of the entry does not matter', async () => {
  const { definitions } = await readAgent(continueDev, {
    files: {
      '~/.continue/config.yaml':
        'mcpServers:\n  - { name: one, type: sse, command: one-mcp, url: "https://one.example/sse" }\n',
    },
  });
  expect(definitions.map(({ launch }) => launch)).toEqual([program('one-mcp')]);
});

test('reads a list of two with headers from requestOptions and a limit for connecting', async () => {
  const { definitions, problems } = await readAgent(continueDev, {
    files: {
      '~/.continue/config.yaml': `mcpServers:
  - name: "Issue tracker: main"
    type: streamable-http
    url: https://it.example/mcp
    requestOptions: { headers: { Authorization: "Bearer \${{ secrets.IT }}" } }
    connectionTimeout: 20000
  - { name: sql, command: sql-mcp, args: ["--ro"], cwd: /srv }
`,
    },
  });
  expect(problems).toEqual([]);
  expect(definitions.map(({ name, launch, timeouts }) => [name, launch, timeouts])).toEqual([
    ['sql', program('sql-mcp', ['--ro'], { cwd: '/srv' }), {}],
    [
      'Issue tracker: main',
      remote('http', 'https://it.example/mcp', { headers: { Authorization: 'Bearer ${{ secrets.IT }}' } }),
      { startMs: 20_000 },
    ],
  ]);
});

test('a name that stands twice in a block of the project is refused', async () => {
  const { definitions, problems } = await readAgent(continueDev, {
    files: {
      './.continue/mcpServers/a.json': '{"mcpServers":{"one":{"command":"shown"},"one":{"command":"run"}}}',
    },
  });
  expect(definitions).toEqual([]);
  expect(problems.map(({ code }) => code)).toEqual(['entry-duplicate']);
});
