import { expect, test } from 'vitest';

import { fixture, readAgent, said, type AgentCase } from '../../tests/support/agent-machine.ts';
import { placeIn, placesOf, problemLines, remote, stdio } from '../../tests/support/expected.ts';
import { mcpJson } from './mcp-json.ts';

const file = '/srv/shop/.mcp.json';
const project = placeIn('mcp-json', 'project', file);
const common = { enabled: true, timeouts: {}, dialect: 'claude', guarded: true };
const one = (command: string): string => JSON.stringify({ mcpServers: { x: { command } } });
const gets = 'info agent-ignores: Claude Code gets nothing from this file: it looks only at "mcpServers"';

async function commands(agentCase: AgentCase): Promise<readonly unknown[]> {
  const { definitions } = await readAgent(mcpJson, agentCase);
  return definitions.map(({ launch }) => (launch.kind === 'stdio' ? launch.command : launch.url));
}

test('reads the good file in every reader’s spelling (E1, E3, E5)', async () => {
  const result = await readAgent(mcpJson, { files: { [file]: fixture('mcp-json/good.json') } });
  expect(said(result).toReversed()).toEqual([
    {
      ...common,
      name: 'notes',
      launch: stdio('npx', {
        args: ['-y', '@acme/notes-mcp@1.4', '--root', '${NOTES_ROOT:-/srv}'],
        env: { NOTES_TOKEN: '${NOTES_TOKEN}' },
        cwd: '/srv',
      }),
      origin: project(3, 5),
    },
    {
      ...common,
      name: 'crm',
      launch: remote('http', 'https://crm.example/mcp', {
        headers: { 'X-Team': 'core' },
        headersHelper: '/opt/bin/mint-headers',
        oauth: { clientId: 'abc', callbackPort: 8123, scopes: ['read:all', 'offline_access'] },
      }),
      timeouts: { idleMs: 120_000 },
      origin: project(9, 5),
    },
    {
      ...common,
      name: 'fetch',
      launch: stdio('uvx', { args: ['fetch-mcp'] }),
      tools: { include: ['get'], exclude: ['put'] },
      origin: project(17, 5),
    },
    { ...common, name: 'live', launch: remote('ws', 'wss://live.example/mcp'), origin: project(18, 5) },
  ]);
  expect(problemLines(result)).toEqual([
    `${file}:14:24 info field-executable crm: "headersHelper" is a command that runs when the server is connected`,
  ]);
});

test('Claude: disabled, numbers in env and a URL without a type do not pass in .mcp.json (measured; E2)', async () => {
  const result = await readAgent(mcpJson, { files: { [file]: fixture('mcp-json/broken.json') } });
  expect(said(result).toReversed()).toEqual([
    {
      ...common,
      name: 'tracker',
      launch: remote('http', 'https://mcp.tracker.example/mcp'),
      origin: project(5, 5),
    },
    { ...common, name: 'off', launch: stdio('off-mcp'), origin: project(6, 5) },
    {
      ...common,
      name: 'number',
      launch: stdio('number-mcp', { env: { PORT: '7070' } }),
      origin: project(7, 5),
    },
    { ...common, name: 'args', launch: stdio('args-mcp'), origin: project(13, 5) },
    {
      ...common,
      name: 'array-header',
      launch: remote('http', 'https://a.example/mcp'),
      origin: project(14, 5),
    },
    { ...common, name: 'ok', launch: stdio('ok-mcp'), origin: project(15, 5) },
  ]);
  expect(problemLines(result)).toEqual([
    `${file}:1:1 warning agent-refuses: Claude Code, like Copilot CLI, would refuse this file because it has comments; holt reads it all the same → Save it as plain JSON.`,
    `${file}:3:33 warning self-approval: "enableAllProjectMcpServers" in a project file does not count`,
    `${file}:12:5 error entry-invalid list: server "list" is not an object`,
    `${file}:11:5 error entry-invalid text: server "text" is not an object`,
    `${file}:10:5 error entry-invalid null: server "null" is not an object`,
    `${file}:9:5 error entry-duplicate twice: "twice" is in this file twice; neither is used → Remove one of them.`,
    `${file}:5:16 warning agent-refuses tracker: Claude Code skips a URL without "type"; holt reads it as http → Add "type": "http".`,
    `${file}:6:48 warning agent-ignores off: Claude Code does not look at "disabled": the server is on → Switch it off in Claude Code itself, or remove it here.`,
    `${file}:7:59 warning agent-refuses number: Claude Code skips this server: "env.PORT" is not a string → Put it in quotes.`,
    `${file}:13:46 warning field-invalid args: "args" must be a list of strings, but is a string; it is ignored`,
    `${file}:14:89 warning field-invalid array-header: "headers.X" must be a string, but is a list; it is ignored`,
  ]);
});

test('Claude: a file with "servers" yields nothing (measured); it is Visual Studio’s (E13)', async () => {
  const result = await readAgent(mcpJson, {
    os: 'windows',
    files: { '~/.mcp.json': fixture('mcp-json/good.servers.json') },
  });
  expect(said(result)).toEqual([
    {
      ...common,
      name: 'azure',
      launch: stdio('npx.cmd', { args: ['-y', '@acme/azure-mcp'] }),
      dialect: 'vscode',
      origin: placeIn('mcp-json', 'user', 'C:\\Users\\Ada\\.mcp.json')(1, 16),
      guarded: false,
    },
  ]);
  expect(problemLines(result)).toEqual([`C:\\Users\\Ada\\.mcp.json:1:1 ${gets}`]);
});

test('Visual Studio’s servers keep their inputs', async () => {
  const text = JSON.stringify({
    inputs: [{ type: 'promptString', id: 'pat', description: 'Token', password: true }],
    servers: { gh: { command: 'gh-mcp', env: { PAT: '${input:pat}' } } },
  });
  const { definitions } = await readAgent(mcpJson, { files: { [file]: text } });
  expect(definitions.map(({ inputs, dialect }) => ({ inputs, dialect }))).toEqual([
    { inputs: [{ id: 'pat', description: 'Token', password: true }], dialect: 'vscode' },
  ]);
});

test('Claude: a bare map yields nothing (measured); Copilot and VS Code read it (E14)', async () => {
  const result = await readAgent(mcpJson, { files: { [file]: fixture('mcp-json/good.bare.json') } });
  expect(said(result)).toEqual([
    { ...common, name: 'fetch', launch: stdio('uvx', { args: ['fetch-mcp'] }), origin: project(1, 3) },
  ]);
  expect(problemLines(result)).toEqual([`${file}:1:1 ${gets}`]);
});

test('Claude: an empty object yields nothing (measured)', async () => {
  const result = await readAgent(mcpJson, { files: { [file]: '{}' } });
  expect([said(result), problemLines(result)]).toEqual([[], []]);
});

test('a key such as "servers" may be the name of a server', async () => {
  const text = '{"servers":{"command":"a"},"mcpServers":{"command":"b"}}';
  const { definitions } = await readAgent(mcpJson, { files: { [file]: text } });
  expect(definitions.map(({ name }) => name)).toEqual(['mcpServers', 'servers']);
});

test('reads other readers’ names for a URL and for a transport', async () => {
  const text = JSON.stringify({
    mcpServers: {
      a: { serverUrl: 'https://a.example/mcp', type: 'http' },
      b: { httpUrl: 'https://b.example/mcp', type: 'http' },
    },
  });
  expect(await commands({ files: { [file]: text } })).toEqual([
    'https://b.example/mcp',
    'https://a.example/mcp',
  ]);
});

test('Claude: .mcp.json is collected from the working folder upward, the nearer one wins (measured)', async () => {
  const files = {
    '~/.mcp.json': one('home'),
    '~/.agents/.mcp.json': one('home agents'),
    './.agents/.mcp.json': one('agents'),
    './mcp.json': one('plain'),
    './.mcp.json': one('root'),
    './web/.mcp.json': one('web'),
  };
  expect(await commands({ cwd: 'web', files })).toEqual([
    'web',
    'root',
    'plain',
    'agents',
    'home',
    'home agents',
  ]);
  expect(await commands({ files })).toEqual(['root', 'plain', 'agents', 'home', 'home agents']);
});

test('Claude: folders past the git root are read by it, up to the root of the disk (measured); holt mentions them', async () => {
  const result = await readAgent(mcpJson, {
    os: 'macos',
    files: {
      '/.mcp.json': one('disk'),
      '/Users/.mcp.json': one('users'),
      '/Users/ada/.mcp.json': one('home'),
      '/Users/ada/src/.mcp.json': one('src'),
    },
  });
  const beyond =
    'info beyond-walk: the file lies above the project: agents that look further up read it, holt does not';
  expect(result.definitions.map(({ origin }) => [origin.scope, origin.file])).toEqual([
    ['user', '/Users/ada/.mcp.json'],
  ]);
  expect(problemLines(result)).toEqual([
    `/Users/ada/src/.mcp.json:1:1 ${beyond}`,
    `/Users/.mcp.json:1:1 ${beyond}`,
    `/.mcp.json:1:1 ${beyond}`,
  ]);
});

test('Claude: the home folder’s .mcp.json counts anywhere below it (measured)', async () => {
  expect(await commands({ os: 'macos', cwd: 'web', files: { '~/.mcp.json': one('home') } })).toEqual([
    'home',
  ]);
});

test('on Windows the one at a drive’s root is found by nobody', async () => {
  const result = await readAgent(mcpJson, {
    os: 'windows',
    files: { 'D:\\.mcp.json': one('drive'), 'D:\\src\\.mcp.json': one('src') },
  });
  expect(result.problems.map(({ code, file: found }) => [code, found])).toEqual([
    ['beyond-walk', 'D:\\src\\.mcp.json'],
  ]);
});

test('in the home folder itself the file is the user’s', async () => {
  const { definitions } = await readAgent(mcpJson, {
    projectRoot: '/home/ada',
    inRepository: false,
    files: { '~/.mcp.json': one('home') },
  });
  expect(definitions.map(({ origin, guarded }) => [origin.scope, guarded])).toEqual([['user', false]]);
});

test('of Claude Code’s rules nothing is said about files that it does not read', async () => {
  const text = '{"mcpServers":{"x":{"url":"https://x.example/mcp","disabled":true}}} // note';
  const result = await readAgent(mcpJson, { files: { './mcp.json': text, './.agents/.mcp.json': text } });
  expect(result.definitions.map(({ launch }) => launch.kind)).toEqual(['http', 'http']);
  expect(problemLines(result)).toEqual([]);
});

test('looks in the right places', () => {
  expect(placesOf(mcpJson)).toEqual([
    'user /home/ada/.agents/.mcp.json',
    'user /home/ada/.mcp.json',
    'project /srv/shop/.agents/.mcp.json',
    'project /srv/shop/mcp.json',
    `project ${file}`,
  ]);
});

test.each([
  ['a byte order mark', `\u{FEFF}${one('x')}`],
  ['Windows line ends', one('x').replaceAll('{', '{\r\n')],
  ['UTF-16', new Uint8Array(Buffer.from(`\u{FEFF}${one('x')}`, 'utf16le'))],
])('reads a file with %s', async (_, content) => {
  expect(await commands({ files: { [file]: content } })).toEqual(['x']);
});

test.each([
  ['nothing', ''],
  ['white space', ' \n'],
])('a file with %s is no problem', async (_, content) => {
  const result = await readAgent(mcpJson, { files: { [file]: content } });
  expect([said(result), problemLines(result)]).toEqual([[], []]);
});

test.each(['null', '[]', '"text"', '{"mcpServers":[]}', '{"mcpServers":', '['.repeat(10_000)])(
  'says what is wrong with %.20s and throws nothing',
  async (content) => {
    const result = await readAgent(mcpJson, { files: { [file]: content } });
    expect(said(result)).toEqual([]);
    expect(result.problems.map(({ severity, code }) => [severity, code.replace(/-.*/, '')])).toEqual([
      ['error', 'file'],
    ]);
  },
);

test.each(['mcpServers', 'servers'])(
  'phase_timeouts of an entry under %s counts, in seconds',
  async (key) => {
    const entry = { type: 'stdio', command: 'x', phase_timeouts: { initializing: 10, listing_tools: 0.5 } };
    const { definitions } = await readAgent(mcpJson, {
      files: { [file]: JSON.stringify({ [key]: { x: entry } }) },
    });
    expect(definitions.map(({ timeouts }) => timeouts)).toEqual([
      { phases: { initializing: 10_000, listing_tools: 500 } },
    ]);
  },
);
