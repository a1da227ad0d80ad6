import { expect, test } from 'vitest';

import { fixture, readAgent, said, type AgentCase } from '../../tests/support/agent-machine.ts';
import { placeIn, placesOf, problemLines, remote, stdio } from '../../tests/support/expected.ts';
import { claudeCode } from './claude-code.ts';

const file = '/home/ada/.claude.json';
const user = placeIn('claude-code', 'user', file);
const local = placeIn('claude-code', 'local', file);
const common = { enabled: true, timeouts: {}, dialect: 'claude', guarded: false };

/** Names of what is in force, best first. */
async function names(agentCase: AgentCase): Promise<readonly string[]> {
  const { definitions } = await readAgent(claudeCode, agentCase);
  return definitions.map(({ name }) => name);
}

const kept = (folders: readonly string[]): string =>
  JSON.stringify({
    projects: Object.fromEntries(
      folders.map((folder) => [folder, { mcpServers: { [`in ${folder}`]: { command: 'x' } } }]),
    ),
  });

test('reads the good file: defaults, helper, milliseconds, scopes as one text, sockets, local scope (E1, E3, E4, E5)', async () => {
  const result = await readAgent(claudeCode, { files: { [file]: fixture('claude-code/good.json') } });
  expect(said(result).toReversed()).toEqual([
    {
      ...common,
      name: 'notes',
      launch: stdio('npx', {
        args: ['-y', '@acme/notes-mcp@1.4', '--root', '${NOTES_ROOT:-/srv}'],
        env: { NOTES_TOKEN: '${NOTES_TOKEN}' },
      }),
      origin: user(4, 5),
    },
    {
      ...common,
      name: 'crm',
      launch: remote('http', 'https://crm.example/mcp', {
        headers: { 'X-Team': 'core' },
        headersHelper: '/opt/bin/mint-headers',
        oauth: {
          clientId: 'abc',
          callbackPort: 8123,
          metadataUrl: 'https://crm.example/.well-known/oauth-authorization-server',
          scopes: ['read:all', 'offline_access'],
        },
      }),
      timeouts: { idleMs: 120_000 },
      origin: user(9, 5),
    },
    {
      ...common,
      name: 'live',
      launch: remote('ws', 'wss://live.example/mcp', { headers: { Authorization: 'Bearer ${LIVE}' } }),
      origin: user(23, 5),
    },
    { ...common, name: 'feed', launch: remote('sse', 'https://feed.example/sse'), origin: user(24, 5) },
    { ...common, name: 'db', launch: stdio('db-mcp'), origin: user(25, 5) },
    { ...common, name: 'old', launch: stdio('old-mcp'), enabled: false, origin: user(26, 5) },
    { ...common, name: 'db', launch: stdio('db-mcp', { args: ['--dsn', 'local'] }), origin: local(30, 23) },
  ]);
  expect(problemLines(result)).toEqual([
    `${file}:33:5 info agent-ignores: Claude Code does not use the servers kept for /srv/shop/api: those of this repository are kept under /srv/shop`,
    `${file}:15:24 info field-executable crm: "headersHelper" is a command that runs when the server is connected`,
  ]);
});

test('Claude: validation is per entry (measured)', async () => {
  const result = await readAgent(claudeCode, { files: { [file]: fixture('claude-code/broken.json') } });
  expect(said(result).toReversed()).toEqual([
    { ...common, name: 'number', launch: stdio('number-mcp', { env: { PORT: '7070' } }), origin: user(4, 5) },
    { ...common, name: 'slow', launch: stdio('slow-mcp'), origin: user(5, 5) },
    { ...common, name: 'hasty', launch: stdio('hasty-mcp'), origin: user(6, 5) },
    { ...common, name: 'camel', launch: remote('http', 'https://camel.example/mcp'), origin: user(9, 5) },
    {
      ...common,
      name: 'untyped',
      launch: remote('http', 'https://untyped.example/mcp'),
      origin: user(10, 5),
    },
    { ...common, name: 'workspace', launch: stdio('reserved-mcp'), origin: user(11, 5) },
    { ...common, name: 'off', launch: stdio('off-mcp'), origin: user(12, 5) },
    { ...common, name: 'placed', launch: stdio('placed-mcp'), origin: user(13, 5) },
    { ...common, name: 'both', launch: stdio('both-mcp'), origin: user(14, 5) },
    { ...common, name: 'ok', launch: stdio('ok-mcp'), origin: user(15, 5) },
  ]);
  expect(problemLines(result)).toEqual([
    `${file}:3:27 error entry-invalid array: server "array" cannot be used: "command" is not a string → Give the program as one string and its arguments in "args".`,
    `${file}:4:59 warning agent-refuses number: Claude Code skips this server: "env.PORT" is not a string → Put it in quotes.`,
    `${file}:5:49 warning agent-refuses slow: Claude Code skips this server: "timeout" is not a number → Remove the quotes.`,
    `${file}:5:49 warning field-invalid slow: "timeout" must be a number that is not negative, but is a string; it is ignored`,
    `${file}:7:27 error entry-invalid empty: server "empty" cannot be used: "command" is empty → Give the program as one string and its arguments in "args".`,
    `${file}:8:22 error entry-invalid odd: server "odd" cannot be used: Unknown transport "carrier-pigeon" → Use stdio, http, sse or ws.`,
    `${file}:9:24 warning agent-refuses camel: the agent does not know the type "streamableHttp"; holt reads it as http → Write "http".`,
    `${file}:10:25 warning agent-refuses untyped: the agent skips a URL without "type"; holt reads it as http → Add "type": "http".`,
    `${file}:11:5 warning agent-refuses workspace: Claude Code skips the reserved name "workspace" → Give it another name.`,
    `${file}:12:48 warning agent-ignores off: Claude Code does not look at "disabled": the server is on → Switch it off in Claude Code itself, or remove it here.`,
    `${file}:13:49 warning agent-ignores placed: Claude Code does not look at "cwd": the server starts where Claude Code was started`,
  ]);
});

test.each([
  ['an array as command is skipped', { command: ['x'] }, ['entry-invalid']],
  ['an empty command is skipped', { command: '' }, ['entry-invalid']],
  ['an unknown type is skipped', { type: 'pigeon', url: 'https://x.example' }, ['entry-invalid']],
  ['a number in env is skipped', { command: 'x', env: { A: 1 } }, ['agent-refuses']],
  ['a text as timeout is skipped', { command: 'x', timeout: '9' }, ['agent-refuses', 'field-invalid']],
  ['a URL without a type is skipped', { url: 'https://x.example' }, ['agent-refuses']],
  ['disabled is not looked at', { command: 'x', disabled: true }, ['agent-ignores']],
  ['there is no cwd', { command: 'x', cwd: '/srv' }, ['agent-ignores']],
  ['sockets are known', { type: 'ws', url: 'wss://x.example' }, []],
])('Claude: %s (measured)', async (_, entry, codes) => {
  const mcpServers = { x: entry, ok: { command: 'ok' } };
  const result = await readAgent(claudeCode, { files: { [file]: JSON.stringify({ mcpServers }) } });
  const listed = codes.includes('entry-invalid') ? ['ok'] : ['ok', 'x'];
  expect(result.definitions.map(({ name, enabled }) => [name, enabled])).toEqual(
    listed.map((name) => [name, true]),
  );
  expect(result.problems.map(({ code }) => code)).toEqual(codes);
});

test('Claude: the name workspace is reserved (measured)', async () => {
  const result = await readAgent(claudeCode, {
    files: { [file]: '{"mcpServers":{"workspace":{"command":"x"}}}' },
  });
  expect(result.problems.map(({ code, server }) => [code, server])).toEqual([['agent-refuses', 'workspace']]);
});

const both = (type: string): object => ({ type, command: 'c', url: 'https://x.example/mcp' });

test('Claude: with both a command and a URL the type decides (measured)', async () => {
  const { definitions } = await readAgent(claudeCode, {
    files: { [file]: JSON.stringify({ mcpServers: { a: both('stdio'), b: both('sse') } }) },
  });
  expect(definitions.map(({ launch }) => launch)).toEqual([
    remote('sse', 'https://x.example/mcp'),
    stdio('c'),
  ]);
});

test.each(['local', 'remote'])('Claude: the type %s is unknown to it (measured)', async (type) => {
  const entry = { type, command: 'c', url: 'https://x.example/mcp' };
  const result = await readAgent(claudeCode, {
    files: { [file]: JSON.stringify({ mcpServers: { x: entry } }) },
  });
  expect(result.definitions.map(({ launch }) => launch.kind)).toEqual([type === 'local' ? 'stdio' : 'http']);
  expect(result.problems.map(({ severity, code }) => [severity, code])).toEqual([
    ['warning', 'agent-refuses'],
  ]);
});

test('Claude: comments and trailing commas make it ignore the file, a byte order mark does not (measured)', async () => {
  const result = await readAgent(claudeCode, {
    files: { [file]: '\u{FEFF}{"mcpServers":{"x":{"command":"x"},}} // note' },
  });
  expect(result.definitions.map(({ name }) => name)).toEqual(['x']);
  expect(problemLines(result)).toEqual([
    `${file}:1:1 warning agent-refuses: Claude Code would refuse this file because it has comments; holt reads it all the same → Save it as plain JSON.`,
    `${file}:1:1 warning agent-refuses: Claude Code would refuse this file because it has trailing commas; holt reads it all the same → Save it as plain JSON.`,
  ]);
});

test('Claude: the file takes names that its command line would not (measured); holt wants them not empty (E40)', async () => {
  const written = ['__proto__', 'constructor', 'a.b', 'a b', 'a/b', 'café-搜索', ''];
  const text = `{"mcpServers":{${written.map((name) => `${JSON.stringify(name)}:{"command":"x"}`).join(',')}}}`;
  const result = await readAgent(claudeCode, { files: { [file]: text } });
  expect(result.definitions.map(({ name }) => name).toReversed()).toEqual(written.slice(0, -1));
  expect(problemLines(result)).toEqual([`${file}:1:166 error entry-invalid : a server has an empty name`]);
});

test('Claude: the local scope is kept under the git root (measured)', async () => {
  const text = kept(['/srv/shop', '/srv/shop/web', '/srv']);
  expect(await names({ cwd: 'web', files: { [file]: text } })).toEqual(['in /srv/shop']);
});

test('Claude: a key for a sub-directory of a repository is dead data (measured)', async () => {
  const result = await readAgent(claudeCode, {
    cwd: 'web',
    files: {
      [file]: kept(['/srv/shop/web', '/srv/shopping', '/srv/shop/empty']).replace(
        '"in /srv/shop/empty":{"command":"x"}',
        '',
      ),
    },
  });
  expect(said(result)).toEqual([]);
  expect(problemLines(result)).toEqual([
    `${file}:1:14 info agent-ignores: Claude Code does not use the servers kept for /srv/shop/web: those of this repository are kept under /srv/shop`,
  ]);
});

test('Claude: a linked worktree uses the main checkout’s root (measured)', async () => {
  const result = await readAgent(claudeCode, {
    mainCheckout: '/srv/main',
    files: { [file]: kept(['/srv/shop', '/srv/main']) },
  });
  expect(result.definitions.map(({ name }) => name)).toEqual(['in /srv/main']);
  expect(problemLines(result)).toEqual([
    `${file}:1:14 info agent-ignores: Claude Code does not use the servers kept for /srv/shop: those of this repository are kept under /srv/main`,
  ]);
});

test('Claude: outside git the key is the exact folder, with no look at its parents (measured)', async () => {
  const files = { [file]: kept(['/srv/shop', '/srv/shop/web']) };
  expect(await names({ inRepository: false, cwd: 'web', files })).toEqual(['in /srv/shop/web']);
  expect(await names({ inRepository: false, cwd: 'docs', files })).toEqual([]);
  expect((await readAgent(claudeCode, { inRepository: false, files })).problems).toEqual([]);
});

test.each(['D:\\src\\shop', 'D:/src/shop', 'd:/src/Shop', 'd:\\SRC\\shop'])(
  'on Windows the key %s is this project',
  async (key) => {
    expect(await names({ os: 'windows', files: { '~/.claude.json': kept([key]) } })).toEqual([`in ${key}`]);
  },
);

test('on Windows a key for a folder inside the repository is dead however it is spelled', async () => {
  const result = await readAgent(claudeCode, {
    os: 'windows',
    files: { '~/.claude.json': kept(['d:/src/shop/web', 'D:\\src\\shopping']) },
  });
  expect(result.problems.map(({ code, column }) => [code, column])).toEqual([['agent-ignores', 14]]);
});

test('Claude: of one name in several scopes the local one wins (measured)', async () => {
  const text = JSON.stringify({
    mcpServers: { x: { command: 'user' } },
    projects: { '/srv/shop': { mcpServers: { x: { command: 'local' } } } },
  });
  const { definitions } = await readAgent(claudeCode, { files: { [file]: text } });
  expect(definitions.map(({ launch, origin }) => [launch, origin.scope])).toEqual([
    [stdio('local'), 'local'],
    [stdio('user'), 'user'],
  ]);
});

test('disabledMcpServers counts only in the project it stands under', async () => {
  const text = JSON.stringify({
    mcpServers: { a: { command: 'a' }, b: { command: 'b' } },
    projects: { '/srv/shop': { disabledMcpServers: ['a'] }, '/srv/other': { disabledMcpServers: ['b'] } },
  });
  const { definitions } = await readAgent(claudeCode, { files: { [file]: text } });
  expect(definitions.map(({ name, enabled }) => [name, enabled])).toEqual([
    ['b', true],
    ['a', false],
  ]);
});

test('a managed file is exclusive', async () => {
  const managed = '/etc/claude-code/managed-mcp.json';
  const result = await readAgent(claudeCode, {
    files: {
      [managed]: fixture('claude-code/good.managed.json'),
      [file]: '{"mcpServers":{"mine":{"command":"m"}}}',
    },
  });
  expect(said(result)).toEqual([
    {
      ...common,
      name: 'company',
      launch: remote('http', 'https://company.example/mcp'),
      origin: placeIn('claude-code', 'managed', managed)(3, 5),
    },
  ]);
  expect(problemLines(result)).toEqual([
    `${file}:1:1 warning agent-ignores: Claude Code does not look at this file: ${managed} is exclusive`,
  ]);
});

test('a managed file without servers still shuts out all others', async () => {
  const files = {
    '/etc/claude-code/managed-mcp.json': '{"mcpServers":{}}',
    [file]: '{"mcpServers":{"mine":{"command":"m"}}}',
  };
  expect(await names({ files })).toEqual([]);
});

const cache = '/home/ada/.claude/plugins/cache/acme';
const registry = {
  '~/.claude/plugins/installed_plugins.json': fixture('claude-code/good.installed_plugins.json'),
  [`${cache}/kit/1.2.0/.claude-plugin/plugin.json`]: fixture('claude-code/good.plugin.json'),
  [`${cache}/bare/6d37/.mcp.json`]: '{\n  "b": { "command": "bare-mcp" }\n}',
  [`${cache}/away/1.0.0/.mcp.json`]: '{"mcpServers":{"c":{"command":"away-mcp"}}}',
};

test('plugins are found through their registry; those of other projects are left out (E44)', async () => {
  const result = await readAgent(claudeCode, { files: registry });
  const rest = { ...common, dialect: 'claude-plugin' };
  expect(problemLines(result)).toEqual([]);
  expect(said(result).toReversed()).toEqual([
    {
      ...rest,
      name: 'plugin:kit:k',
      launch: stdio('${CLAUDE_PLUGIN_ROOT}/bin/k', { env: { DATA: '${CLAUDE_PLUGIN_DATA}' } }),
      origin: placeIn('claude-code', 'plugin', `${cache}/kit/1.2.0/.claude-plugin/plugin.json`)(5, 5),
    },
    {
      ...rest,
      name: 'plugin:bare:b',
      launch: stdio('bare-mcp'),
      origin: placeIn('claude-code', 'plugin', `${cache}/bare/6d37/.mcp.json`)(2, 3),
    },
  ]);
});

const one = (command: string): string => JSON.stringify({ mcpServers: { [command]: { command } } });

test('a manifest may name files, in and only in the plugin’s folder (E44)', async () => {
  const manifest = {
    name: 'kit',
    mcpServers: [
      './servers.json',
      '${CLAUDE_PLUGIN_ROOT}/more.json',
      '../../away/1.0.0/.mcp.json',
      { inline: { command: 'inline' } },
    ],
  };
  const read = async (mcpServers: unknown): Promise<readonly string[]> =>
    (
      await names({
        files: {
          ...registry,
          [`${cache}/kit/1.2.0/.claude-plugin/plugin.json`]: JSON.stringify({ ...manifest, mcpServers }),
          [`${cache}/kit/1.2.0/.mcp.json`]: one('usual'),
          [`${cache}/kit/1.2.0/servers.json`]: one('servers'),
          [`${cache}/kit/1.2.0/more.json`]: one('more'),
        },
      })
    ).filter((name) => name.startsWith('plugin:kit:'));
  expect(await read(manifest.mcpServers)).toEqual([
    'plugin:kit:more',
    'plugin:kit:servers',
    'plugin:kit:inline',
    'plugin:kit:usual',
  ]);
  expect(await read('./.mcp.json')).toEqual(['plugin:kit:usual']);
  expect(await read('/etc/passwd')).toEqual(['plugin:kit:usual']);
});

const states = async (files: Record<string, string>): Promise<unknown> =>
  Object.fromEntries(
    (await readAgent(claudeCode, { files: { ...registry, ...files } })).definitions.map(
      ({ name, enabled }) => [name, enabled],
    ),
  );

test('enabledPlugins switches a plugin’s servers off; a project may do that and no more', async () => {
  const off = '{"enabledPlugins":{"kit@acme":false}}';
  const on = '{"enabledPlugins":{"kit@acme":true}}';
  expect(await states({ '~/.claude/settings.json': off })).toEqual({
    'plugin:kit:k': false,
    'plugin:bare:b': true,
  });
  expect(await states({ './.claude/settings.json': off })).toEqual({
    'plugin:kit:k': false,
    'plugin:bare:b': true,
  });
  expect(await states({ '~/.claude/settings.json': off, './.claude/settings.local.json': on })).toEqual({
    'plugin:kit:k': false,
    'plugin:bare:b': true,
  });
});

test('a registry inside the project brings nothing that runs unasked', async () => {
  const { definitions } = await readAgent(claudeCode, {
    env: { CLAUDE_CONFIG_DIR: '/srv/shop/evil' },
    files: {
      './evil/plugins/installed_plugins.json': JSON.stringify({
        plugins: { 'kit@x': [{ installPath: '/tmp/kit' }] },
      }),
      '/tmp/kit/.mcp.json': '{"k":{"command":"k"}}',
      './evil/.claude.json': '{"mcpServers":{"m":{"command":"m"}}}',
    },
  });
  expect(
    definitions.map(({ name, guarded, dialect, origin }) => [name, guarded, dialect, origin.scope]),
  ).toEqual([
    ['m', true, 'claude', 'project'],
    ['plugin:kit:k', true, 'claude-plugin', 'project'],
  ]);
});

test('a broken registry names no plugins and is no trouble', async () => {
  const texts = [
    '{}',
    '[]',
    '{"plugins":[]}',
    '{"plugins":{"a@b":[{}, 7, {"installPath":"relative"}],"c":null}}',
  ];
  for (const text of texts) {
    const result = await readAgent(claudeCode, {
      files: {
        '~/.claude/plugins/installed_plugins.json': text,
        'relative/.mcp.json': '{"r":{"command":"r"}}',
      },
    });
    expect([said(result), problemLines(result)]).toEqual([[], []]);
  }
});

test('Claude: its settings are no source of servers (measured), and a project cannot approve itself', async () => {
  const text =
    '{"mcpServers":{"x":{"command":"x"}},"enableAllProjectMcpServers":true,"enabledMcpjsonServers":["x"]}';
  const result = await readAgent(claudeCode, {
    files: { '~/.claude/settings.json': text, './.claude/settings.json': text },
  });
  const ignored =
    'warning agent-ignores: Claude Code reads no servers from its settings → Move them to ~/.claude.json or to .mcp.json.';
  expect(said(result)).toEqual([]);
  expect(problemLines(result)).toEqual([
    `/home/ada/.claude/settings.json:1:15 ${ignored}`,
    `/srv/shop/.claude/settings.json:1:15 ${ignored}`,
    '/srv/shop/.claude/settings.json:1:66 warning self-approval: "enableAllProjectMcpServers" in a project file does not count',
    '/srv/shop/.claude/settings.json:1:95 warning self-approval: "enabledMcpjsonServers" in a project file does not count',
  ]);
});

test('Claude: neither ~/.claude/mcp.json nor .claude/mcp.json is looked for (measured)', () => {
  expect(placesOf(claudeCode)).toEqual([
    'user /home/ada/.claude/plugins/installed_plugins.json',
    'user /home/ada/.claude/settings.json',
    'project /srv/shop/.claude/settings.json',
    'local /srv/shop/.claude/settings.local.json',
    `user ${file}`,
    'managed /etc/claude-code/managed-mcp.json',
  ]);
});

test('looks in the right places elsewhere', () => {
  expect(placesOf(claudeCode, { os: 'macos', env: { CLAUDE_CONFIG_DIR: '/opt/claude' } })).toEqual([
    'user /opt/claude/plugins/installed_plugins.json',
    'user /opt/claude/settings.json',
    'project /Users/ada/src/shop/.claude/settings.json',
    'local /Users/ada/src/shop/.claude/settings.local.json',
    'user /opt/claude/.claude.json',
    'managed /Library/Application Support/ClaudeCode/managed-mcp.json',
  ]);
  expect(placesOf(claudeCode, { os: 'windows' })).toEqual([
    'user C:\\Users\\Ada\\.claude\\plugins\\installed_plugins.json',
    'user C:\\Users\\Ada\\.claude\\settings.json',
    'project D:\\src\\shop\\.claude\\settings.json',
    'local D:\\src\\shop\\.claude\\settings.local.json',
    'user C:\\Users\\Ada\\.claude.json',
    'managed C:\\Program Files\\ClaudeCode\\managed-mcp.json',
  ]);
});

test.each(['null', '[]', '"text"', '7', '{"mcpServers":[]}', '{"mcpServers":"x","projects":7}'])(
  'says what is wrong with a file that holds %s',
  async (text) => {
    const result = await readAgent(claudeCode, { files: { [file]: text } });
    expect(said(result)).toEqual([]);
    expect(result.problems.map(({ severity, code }) => [severity, code])).toEqual([['error', 'file-shape']]);
  },
);
