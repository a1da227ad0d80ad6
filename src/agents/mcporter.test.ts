import { expect, test } from 'vitest';

import { fixture, readAgent, said } from '../../tests/support/agent-machine.ts';
import { program, remote } from '../../tests/support/golden-file.ts';
import { locationsOf, problemLines } from '../../tests/support/problem-summary.ts';
import { mcporter } from './mcporter.ts';

const user = '~/.mcporter/mcporter.json';
const project = './config/mcporter.json';

const entry = (command: string, more: object = {}): string =>
  JSON.stringify({ mcpServers: { fs: { command, ...more } } });

test('the good golden file gives every server whole', async () => {
  const reading = await readAgent(mcporter, { files: { [project]: fixture('mcporter/good.jsonc') } });
  const place = { agent: 'mcporter', scope: 'project', file: '/srv/shop/config/mcporter.json', column: 5 };
  const common = { enabled: true, timeouts: {}, dialect: 'mcporter', guarded: true };
  expect(problemLines(reading)).toEqual([]);
  expect(said(reading).toReversed()).toEqual([
    {
      name: 'line',
      launch: program('npx', ['-y', 'tool mcp', '--name', 'a b'], {
        env: { T: '$env:TOOL_T' },
        cwd: '~/tools',
      }),
      origin: { ...place, line: 5 },
      ...common,
    },
    { name: 'list', launch: program('uvx', ['list-mcp']), origin: { ...place, line: 6 }, ...common },
    {
      name: 'program',
      launch: program('/opt/Acme Tools/mcp', ['--serve']),
      origin: { ...place, line: 7 },
      ...common,
    },
    {
      name: 'parts',
      launch: program('/opt/My Tools/parts', ['--x']),
      origin: { ...place, line: 8 },
      ...common,
    },
    {
      name: 'web',
      launch: remote('http', 'https://web.example/mcp', {
        headers: { 'X-Team': '${TEAM:-core}' },
        headersFrom: { Authorization: { variable: 'WEB_TOKEN', prefix: 'Bearer ', suffix: '' } },
      }),
      origin: { ...place, line: 9 },
      ...common,
      tools: { include: ['list', 'get'] },
    },
    {
      name: 'older',
      launch: remote('http', 'https://older.example/mcp', {
        headers: { Authorization: 'Bearer ${OLDER}' },
        oauth: {
          clientId: 'porter',
          clientSecret: '${PORTER_SECRET}',
          redirectUri: 'http://127.0.0.1:4000/cb',
          scopes: ['read', 'write'],
        },
      }),
      origin: { ...place, line: 16 },
      ...common,
      tools: { exclude: ['drop'] },
    },
    {
      name: 'both',
      launch: remote('http', 'https://both.example/mcp'),
      origin: { ...place, line: 25 },
      ...common,
    },
  ]);
});

test('the broken golden file costs only what is broken', async () => {
  const reading = await readAgent(mcporter, { files: { [project]: fixture('mcporter/broken.json') } });
  expect(reading.definitions.map(({ name, launch, tools }) => ({ name, launch, tools }))).toEqual([
    { name: 'fine', launch: program('fine-mcp'), tools: undefined },
    { name: 'filters', launch: program('filters-mcp'), tools: { include: ['a'], exclude: ['b'] } },
  ]);
  expect(problemLines(reading)).toEqual([
    '3:16 error entry-invalid nothing: server "nothing" cannot be used: it needs "command" or "baseUrl"',
    '4:27 error entry-invalid empty: server "empty" cannot be used: "command" is empty',
    '5:22 error entry-invalid file: server "file" cannot be used: a URL that begins with "file:" cannot be used for http',
    '6:83 warning agent-refuses filters: mcporter refuses an entry with both "allowedTools" and "blockedTools"',
  ]);
});

test.for([
  ['linux', {}, '/home/ada/.mcporter', '/home/ada/.config/mcporter', '/srv/shop/config', '/'],
  ['macos', {}, '/Users/ada/.mcporter', '/Users/ada/.config/mcporter', '/Users/ada/src/shop/config', '/'],
  [
    'windows',
    {},
    'C:\\Users\\Ada\\.mcporter',
    'C:\\Users\\Ada\\.config\\mcporter',
    'D:\\src\\shop\\config',
    '\\',
  ],
  ['linux', { XDG_CONFIG_HOME: '/xdg' }, '/home/ada/.mcporter', '/xdg/mcporter', '/srv/shop/config', '/'],
] as const)('on %s with %o it looks in these places', ([os, env, home, xdg, root, slash]) => {
  expect(locationsOf(mcporter, { os, env })).toEqual([
    `user ${home}${slash}mcporter.jsonc`,
    `user ${home}${slash}mcporter.json`,
    `user ${xdg}${slash}mcporter.jsonc`,
    `user ${xdg}${slash}mcporter.json`,
    `project ${root}${slash}mcporter.json`,
  ]);
});

test.for([
  ['/opt/m.json', '/opt/m.json'],
  [' ~/m.jsonc ', '/home/ada/m.jsonc'],
  ['m.json', '/srv/shop/m.json'],
] as const)('MCPORTER_CONFIG=%j makes it look at that file only', ([value, path]) => {
  expect(locationsOf(mcporter, { env: { MCPORTER_CONFIG: value } })).toEqual([`user ${path}`]);
});

test('MCPORTER_CONFIG inside the project makes its file the project’s', async () => {
  const { definitions } = await readAgent(mcporter, {
    env: { MCPORTER_CONFIG: 'm.json' },
    files: { './m.json': entry('a') },
  });
  expect(definitions.map(({ origin, guarded }) => [origin.scope, guarded])).toEqual([['project', true]]);
});

test('the project’s entry wins as a whole; a .json hides the .jsonc beside it', async () => {
  const { definitions, problems } = await readAgent(mcporter, {
    files: {
      '~/.mcporter/mcporter.jsonc': entry('z'),
      [user]: entry('a', { env: { A: '1' } }),
      [project]: entry('b'),
    },
  });
  expect(definitions.map(({ launch, origin }) => [launch, origin.scope])).toEqual([
    [program('b'), 'project'],
    [program('a', [], { env: { A: '1' } }), 'user'],
  ]);
  expect(problems.map(({ code, file }) => [code, file])).toEqual([
    ['agent-ignores', '/home/ada/.mcporter/mcporter.jsonc'],
  ]);
});

test('E38: a command line is split with its quotes, and a bearer token comes from its variable', async () => {
  const { definitions } = await readAgent(mcporter, {
    files: {
      [user]: `{ "mcpServers": { "s": { "command": "npx -y 'tool mcp'", "env": { "T": "$env:TOOL_T" } },
        "u": { "baseUrl": "https://u.example/mcp", "bearerTokenEnv": "UT" } } }`,
    },
  });
  expect(definitions.map(({ launch }) => launch)).toEqual([
    remote('http', 'https://u.example/mcp', {
      headersFrom: { Authorization: { variable: 'UT', prefix: 'Bearer ', suffix: '' } },
    }),
    program('npx', ['-y', 'tool mcp'], { env: { T: '$env:TOOL_T' } }),
  ]);
});

test('executable wins over a command and is never split', async () => {
  const { definitions } = await readAgent(mcporter, {
    files: { [user]: entry('npx -y x', { executable: '/opt/a b' }) },
  });
  expect(definitions.map(({ launch }) => launch)).toEqual([program('/opt/a b')]);
});

test('E42: a path of Windows with blanks is not split, a command line is', async () => {
  const { definitions } = await readAgent(mcporter, {
    os: 'windows',
    files: {
      [user]: `{ "mcpServers": { "p": { "command": "C:\\\\Program Files\\\\Acme Tools\\\\mcp.exe", "args": ["--serve"] },
        "bare": { "command": "C:\\\\Program Files\\\\Acme Tools\\\\mcp.exe" }, "q": { "command": "npx -y q-mcp" } } }`,
    },
  });
  expect(definitions.map(({ name, launch }) => [name, launch])).toEqual([
    ['q', program('npx', ['-y', 'q-mcp'])],
    ['bare', program('C:\\Program Files\\Acme Tools\\mcp.exe')],
    ['p', program('C:\\Program Files\\Acme Tools\\mcp.exe', ['--serve'])],
  ]);
});

test('imports name other agents’ files, which are not read here', async () => {
  const { definitions, sources } = await readAgent(mcporter, {
    files: { [user]: '{"imports":["cursor"],"mcpServers":{}}', '~/.cursor/mcp.json': entry('a') },
  });
  expect(definitions).toEqual([]);
  expect(sources.filter(({ exists }) => exists).map(({ file }) => file)).toEqual([
    '/home/ada/.mcporter/mcporter.json',
  ]);
});
