import { expect, test } from 'vitest';

import { fixture, readAgent, said } from '../../tests/support/agent-machine.ts';
import { placeIn, placesOf, problemLines, remote, stdio } from '../../tests/support/expected.ts';
import { cursor } from './cursor.ts';

const common = { enabled: true, timeouts: {}, dialect: 'cursor' };
const user = placeIn('cursor', 'user', '/home/ada/.cursor/mcp.json');
const project = placeIn('cursor', 'project', '/srv/shop/.cursor/mcp.json');

test('reads the good file: interpolation stays as written, the login is spelled in capitals (E8)', async () => {
  const result = await readAgent(cursor, { files: { '~/.cursor/mcp.json': fixture('cursor/good.json') } });
  expect(problemLines(result)).toEqual([]);
  expect(said(result).toReversed()).toEqual([
    {
      ...common,
      name: 'lint',
      launch: stdio('${workspaceFolder}/bin/lint-mcp', {
        args: ['--config', '${userHome}${/}.lint'],
        env: { LINT_TOKEN: '${env:LINT_TOKEN}' },
      }),
      origin: user(4, 5),
      guarded: false,
    },
    {
      ...common,
      name: 'My Design Tool',
      launch: remote('http', 'https://design.example/mcp', {
        headers: { 'X-Key': '${env:DESIGN_KEY}' },
        oauth: { clientId: 'c1', clientSecret: '${env:DESIGN_SECRET}', scopes: ['files', 'comments'] },
      }),
      origin: user(10, 5),
      guarded: false,
    },
    {
      ...common,
      name: 'feed',
      launch: remote('sse', 'https://feed.example/sse'),
      origin: user(15, 5),
      guarded: false,
    },
    { ...common, name: 'plain', launch: stdio('plain-mcp'), origin: user(16, 5), guarded: false },
  ]);
});

test('reads what can be read of the broken file and names the rest', async () => {
  const result = await readAgent(cursor, { files: { './.cursor/mcp.json': fixture('cursor/broken.json') } });
  expect(said(result).toReversed()).toEqual([
    { ...common, name: 'off', launch: stdio('off-mcp'), origin: project(6, 5), guarded: true },
    { ...common, name: 'filed', launch: stdio('filed-mcp'), origin: project(7, 5), guarded: true },
    { ...common, name: 'ok', launch: stdio('ok-mcp'), origin: project(9, 5), guarded: true },
  ]);
  const file = '/srv/shop/.cursor/mcp.json';
  expect(problemLines(result)).toEqual([
    `${file}:5:5 error entry-invalid text: server "text" is not an object`,
    `${file}:3:14 error entry-invalid empty: server "empty" cannot be used: it needs "command" or "url"`,
    `${file}:4:13 error entry-invalid both: server "both" cannot be used: it has both "command" and a URL → Keep one of the two.`,
    `${file}:6:48 warning agent-ignores off: Cursor does not look at "disabled": the server is on → Switch it off in Cursor itself, or remove it here.`,
    `${file}:7:51 warning not-evaluated filed: "envFile" is not read: holt loads no files of variables → Put the variables in "env", or set them in the environment.`,
    `${file}:7:67 warning field-invalid filed: "args" must be a list of strings, but is a string; it is ignored`,
    `${file}:8:22 error entry-invalid odd: server "odd" cannot be used: Unknown transport "carrier-pigeon" → Use stdio, http, sse or ws.`,
  ]);
});

test('looks in the same places on every system', () => {
  expect(placesOf(cursor)).toEqual(['user /home/ada/.cursor/mcp.json', 'project /srv/shop/.cursor/mcp.json']);
  expect(placesOf(cursor, { os: 'macos' })).toEqual([
    'user /Users/ada/.cursor/mcp.json',
    'project /Users/ada/src/shop/.cursor/mcp.json',
  ]);
  expect(placesOf(cursor, { os: 'windows' })).toEqual([
    'user C:\\Users\\Ada\\.cursor\\mcp.json',
    'project D:\\src\\shop\\.cursor\\mcp.json',
  ]);
});

const entry = (command: string): string => JSON.stringify({ mcpServers: { x: { command } } });

test('the project comes before the user, and nested folders come last', async () => {
  const { definitions } = await readAgent(cursor, {
    cwd: 'web/app',
    files: {
      '~/.cursor/mcp.json': entry('user'),
      './.cursor/mcp.json': entry('project'),
      './web/.cursor/mcp.json': entry('web'),
      './web/app/.cursor/mcp.json': entry('app'),
    },
  });
  expect(
    definitions.map(({ launch, origin }) => [launch.kind === 'stdio' && launch.command, origin.scope]),
  ).toEqual([
    ['project', 'project'],
    ['user', 'user'],
    ['app', 'project'],
    ['web', 'project'],
  ]);
});

test('mentions files above the project and reads none of them', async () => {
  const result = await readAgent(cursor, {
    files: { '/srv/.cursor/mcp.json': '{"mcpServers":{"x":{"command":"x"}}}' },
  });
  expect(said(result)).toEqual([]);
  expect(problemLines(result)).toEqual([
    '/srv/.cursor/mcp.json:1:1 info beyond-walk: the file lies above the project: agents that look further up read it, holt does not',
  ]);
});
