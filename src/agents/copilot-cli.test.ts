import { expect, test } from 'vitest';

import { fixture, readAgent, said } from '../../tests/support/agent-machine.ts';
import { placeIn, placesOf, problemLines, remote, stdio } from '../../tests/support/expected.ts';
import { copilotCli } from './copilot-cli.ts';

const file = '/home/ada/.copilot/mcp-config.json';
const user = placeIn('copilot-cli', 'user', file);
const project = placeIn('copilot-cli', 'project', '/srv/shop/.github/mcp.json');
const common = { enabled: true, timeouts: {}, dialect: 'copilot', guarded: false };
const one = (command: string): string => JSON.stringify({ mcpServers: { x: { command } } });

function commands({ definitions }: Awaited<ReturnType<typeof readAgent>>): readonly unknown[] {
  return definitions.map(({ launch }) => (launch.kind === 'stdio' ? launch.command : launch.url));
}

test('reads the good file of the user: filters, milliseconds, public login (E15)', async () => {
  const result = await readAgent(copilotCli, { files: { [file]: fixture('copilot-cli/good.json') } });
  expect(problemLines(result)).toEqual([]);
  expect(said(result).toReversed()).toEqual([
    {
      ...common,
      name: 'repo',
      launch: stdio('repo-mcp', { env: { TOKEN: '$REPO_TOKEN' }, cwd: '/srv/repo' }),
      tools: { include: ['get_file', 'list'], exclude: ['list'] },
      origin: user(4, 5),
    },
    {
      ...common,
      name: 'cloud',
      launch: remote('http', 'https://cloud.example/mcp', {
        headers: { 'X-Team': '${TEAM:-core}' },
        oauth: { clientId: 'pub' },
      }),
      timeouts: { idleMs: 30_000 },
      origin: user(13, 5),
    },
    { ...common, name: 'alias', launch: remote('http', 'https://alias.example/mcp'), origin: user(22, 5) },
    { ...common, name: 'feed', launch: remote('sse', 'https://feed.example/sse'), origin: user(23, 5) },
    { ...common, name: 'bare', launch: remote('http', 'https://bare.example/mcp'), origin: user(24, 5) },
    { ...common, name: 'spaced', launch: stdio('npx -y spaced-mcp'), origin: user(25, 5) },
  ]);
});

test('reads what can be read of the broken file and names the rest', async () => {
  const result = await readAgent(copilotCli, { files: { [file]: fixture('copilot-cli/broken.json') } });
  expect(said(result).toReversed()).toEqual([
    { ...common, name: 'camel', launch: remote('http', 'https://camel.example/mcp'), origin: user(3, 5) },
    { ...common, name: 'socket', launch: remote('ws', 'wss://socket.example/mcp'), origin: user(4, 5) },
    { ...common, name: 'off', launch: stdio('off-mcp'), origin: user(5, 5) },
    { ...common, name: 'number', launch: stdio('number-mcp', { env: { PORT: '7070' } }), origin: user(6, 5) },
    { ...common, name: 'bra}ce', launch: stdio('brace-mcp'), origin: user(7, 5) },
    { ...common, name: 'filter', launch: stdio('filter-mcp'), origin: user(9, 5) },
    { ...common, name: 'ok', launch: stdio('ok-mcp'), origin: user(10, 5) },
  ]);
  expect(problemLines(result)).toEqual([
    `${file}:3:24 warning agent-refuses camel: the agent does not know the type "streamableHttp"; holt reads it as http → Write "http".`,
    `${file}:4:25 warning agent-refuses socket: the agent does not know the type "ws"; holt reads it as ws`,
    `${file}:5:48 warning agent-ignores off: Copilot CLI does not look at "disabled": the server is on → Switch it off in Copilot CLI itself, or remove it here.`,
    `${file}:6:59 warning agent-refuses number: Copilot CLI skips this server: "env.PORT" is not a string → Put it in quotes.`,
    `${file}:7:5 warning agent-refuses bra}ce: Copilot CLI takes no "}" in the name of a server`,
    `${file}:8:25 error entry-invalid odd: server "odd" cannot be used: "command" is not a string → Give the program as one string and its arguments in "args".`,
    `${file}:9:51 warning field-invalid filter: "tools" must be a list of strings, but is an object; it is ignored`,
  ]);
});

test('reads a bare map in the project (E14)', async () => {
  const result = await readAgent(copilotCli, {
    files: { './.github/mcp.json': fixture('copilot-cli/good.project.json') },
  });
  expect(problemLines(result)).toEqual([]);
  expect(said(result).toReversed()).toEqual([
    {
      ...common,
      name: 'fetch',
      launch: stdio('uvx', { args: ['fetch-mcp'] }),
      origin: project(2, 3),
      guarded: true,
    },
    {
      ...common,
      name: 'docs',
      launch: remote('http', 'https://docs.example/mcp'),
      origin: project(3, 3),
      guarded: true,
    },
  ]);
});

test.each([
  [
    'a URL without a type becomes http',
    { url: 'https://x.example' },
    remote('http', 'https://x.example'),
    [],
  ],
  [
    'streamable-http is http',
    { type: 'streamable-http', url: 'https://x.example' },
    remote('http', 'https://x.example'),
    [],
  ],
  [
    'streamableHttp is dropped',
    { type: 'streamableHttp', url: 'https://x.example' },
    remote('http', 'https://x.example'),
    ['agent-refuses'],
  ],
  [
    'ws is dropped',
    { type: 'ws', url: 'wss://x.example' },
    remote('ws', 'wss://x.example'),
    ['agent-refuses'],
  ],
  ['a command with spaces stays whole', { command: 'npx -y x' }, stdio('npx -y x'), []],
  ['disabled is not looked at', { command: 'x', disabled: true }, stdio('x'), ['agent-ignores']],
  [
    'numbers in env are refused',
    { command: 'x', env: { A: 1 } },
    stdio('x', { env: { A: '1' } }),
    ['agent-refuses'],
  ],
  ['without "tools" there are all of them', { command: 'x' }, stdio('x'), []],
])('Copilot: %s (measured)', async (_, entry, launch, codes) => {
  const result = await readAgent(copilotCli, {
    files: { [file]: JSON.stringify({ mcpServers: { x: entry } }) },
  });
  expect(said(result)).toEqual([{ ...common, name: 'x', launch, origin: user(1, 16) }]);
  expect(result.problems.map(({ code }) => code)).toEqual(codes);
});

test('Copilot: a sibling .mcp.json hides .github/mcp.json as a file (measured)', async () => {
  const result = await readAgent(copilotCli, {
    cwd: 'web',
    files: { './.mcp.json': '{}', './.github/mcp.json': one('hidden'), './web/.github/mcp.json': one('web') },
  });
  expect(commands(result)).toEqual(['web']);
  expect(problemLines(result)).toEqual([
    '/srv/shop/.github/mcp.json:1:1 warning agent-ignores: Copilot CLI does not look at this file, because /srv/shop/.mcp.json exists',
  ]);
});

test('Copilot: the nearer folder wins, then the user, and the walk stops at the git root (measured)', async () => {
  const result = await readAgent(copilotCli, {
    cwd: 'web',
    files: {
      [file]: one('user'),
      '/srv/.github/mcp.json': one('above'),
      './.github/mcp.json': one('root'),
      './web/.github/mcp.json': one('web'),
    },
  });
  expect(commands(result)).toEqual(['web', 'root', 'user']);
});

test('Copilot: disabledMcpServers in its settings switches servers off (measured)', async () => {
  const { definitions } = await readAgent(copilotCli, {
    files: {
      '~/.copilot/settings.json': '{ "disabledMcpServers": ["a"] }',
      [file]: '{"mcpServers":{"a":{"command":"a"},"b":{"command":"b"}}}',
    },
  });
  expect(definitions.map(({ name, enabled }) => [name, enabled])).toEqual([
    ['b', true],
    ['a', false],
  ]);
});

test('Copilot: the user’s file may have comments and trailing commas, a project’s may not (measured)', async () => {
  const text = '{ "mcpServers": { "x": { "command": "x" }, } } // fine';
  const result = await readAgent(copilotCli, { files: { [file]: text, './.github/mcp.json': text } });
  expect(commands(result)).toEqual(['x', 'x']);
  expect(problemLines(result)).toEqual([
    '/srv/shop/.github/mcp.json:1:1 warning agent-refuses: Copilot CLI would refuse this file because it has comments; holt reads it all the same → Save it as plain JSON.',
    '/srv/shop/.github/mcp.json:1:1 warning agent-refuses: Copilot CLI would refuse this file because it has trailing commas; holt reads it all the same → Save it as plain JSON.',
  ]);
});

test.each(['', '{}'])('Copilot: a user’s file without mcpServers is refused (measured): %j', async (text) => {
  const result = await readAgent(copilotCli, { files: { [file]: text } });
  expect(said(result)).toEqual([]);
  expect(problemLines(result)).toEqual([
    `${file}:1:1 warning agent-refuses: Copilot CLI refuses this file: it has no "mcpServers" → Add "mcpServers": {}.`,
  ]);
});

test('Copilot: a byte order mark in the user’s file is fine (measured)', async () => {
  const result = await readAgent(copilotCli, { files: { [file]: `\u{FEFF}${one('x')}` } });
  expect(commands(result)).toEqual(['x']);
  expect(problemLines(result)).toEqual([]);
});

test('Copilot: XDG_CONFIG_HOME does not move the file, COPILOT_HOME does; .vscode is not read (measured)', () => {
  expect(placesOf(copilotCli, { env: { XDG_CONFIG_HOME: '/cfg' } })).toEqual([
    'user /home/ada/.copilot/settings.json',
    `user ${file}`,
    'project /srv/shop/.github/mcp.json',
  ]);
  expect(placesOf(copilotCli, { os: 'macos', env: { COPILOT_HOME: '/opt/copilot' } })).toEqual([
    'user /opt/copilot/settings.json',
    'user /opt/copilot/mcp-config.json',
    'project /Users/ada/src/shop/.github/mcp.json',
  ]);
  expect(placesOf(copilotCli, { os: 'windows' })).toEqual([
    'user C:\\Users\\Ada\\.copilot\\settings.json',
    'user C:\\Users\\Ada\\.copilot\\mcp-config.json',
    'project D:\\src\\shop\\.github\\mcp.json',
  ]);
});
