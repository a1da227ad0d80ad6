import { expect, test } from 'vitest';

import { fixture, readAgent, said } from '../../tests/support/agent-machine.ts';
import { placeIn, placesOf, problemLines, remote, stdio } from '../../tests/support/expected.ts';
import { claudeDesktop } from './claude-desktop.ts';

const common = { enabled: true, timeouts: {}, dialect: 'none', guarded: false };

test('reads the good file; no command line is split or rewritten (E6, E7, E42)', async () => {
  const file = 'C:\\Users\\Ada\\AppData\\Roaming\\Claude\\claude_desktop_config.json';
  const user = placeIn('claude-desktop', 'user', file);
  const result = await readAgent(claudeDesktop, {
    os: 'windows',
    files: { [file]: fixture('claude-desktop/good.json') },
  });
  expect(problemLines(result)).toEqual([]);
  expect(said(result).toReversed()).toEqual([
    {
      ...common,
      name: 'files',
      launch: stdio('cmd', { args: ['/c', 'npx', '-y', '@acme/files-mcp', 'C:\\Users\\Ana\\Docs'] }),
      origin: user(3, 5),
    },
    {
      ...common,
      name: 'x',
      launch: stdio('npx', {
        args: [
          'mcp-remote',
          'https://x.example/sse',
          '--header',
          'Authorization:${AUTH}',
          '--transport',
          'sse-only',
        ],
        env: { AUTH: 'Bearer t' },
      }),
      origin: user(4, 5),
    },
    {
      ...common,
      name: 'spaces',
      launch: stdio('C:\\Program Files\\Acme Tools\\mcp.exe', { args: ['--serve'] }),
      origin: user(9, 5),
    },
    { ...common, name: 'q', launch: stdio('npx -y q-mcp'), origin: user(10, 5) },
  ]);
});

test('lists a server with a URL and says that Claude Desktop passes it over', async () => {
  const file = '/home/ada/.config/Claude/claude_desktop_config.json';
  const user = placeIn('claude-desktop', 'user', file);
  const result = await readAgent(claudeDesktop, { files: { [file]: fixture('claude-desktop/broken.json') } });
  expect(said(result).toReversed()).toEqual([
    { ...common, name: 'remote', launch: remote('http', 'https://remote.example/mcp'), origin: user(3, 5) },
    { ...common, name: 'off', launch: stdio('off-mcp'), origin: user(4, 5) },
    { ...common, name: 'ok', launch: stdio('ok-mcp'), origin: user(7, 5) },
  ]);
  expect(problemLines(result)).toEqual([
    `${file}:1:1 warning agent-refuses: Claude Desktop would refuse this file because it has comments; holt reads it all the same → Save it as plain JSON.`,
    `${file}:1:1 warning agent-refuses: Claude Desktop would refuse this file because it has trailing commas; holt reads it all the same → Save it as plain JSON.`,
    `${file}:5:5 error entry-invalid number: server "number" is not an object`,
    `${file}:3:24 warning agent-refuses remote: Claude Desktop starts programs only: it passes over a server with a URL → Add it as a connector in Claude Desktop.`,
    `${file}:4:48 warning agent-ignores off: Claude Desktop does not look at "disabled": the server is on → Switch it off in Claude Desktop itself, or remove it here.`,
    `${file}:6:27 error entry-invalid empty: server "empty" cannot be used: "command" is empty → Give the program as one string and its arguments in "args".`,
  ]);
});

const one = (command: string): string => JSON.stringify({ mcpServers: { x: { command } } });

test('on Linux both spellings of the folder count, the capital one more', async () => {
  const { definitions } = await readAgent(claudeDesktop, {
    files: {
      '~/.config/Claude/claude_desktop_config.json': one('capital'),
      '~/.config/claude/claude_desktop_config.json': one('small'),
    },
  });
  expect(definitions.map(({ launch }) => launch.kind === 'stdio' && launch.command)).toEqual([
    'capital',
    'small',
  ]);
});

test('looks in the right places on every system', () => {
  expect(placesOf(claudeDesktop, { env: { XDG_CONFIG_HOME: '/cfg' } })).toEqual([
    'user /cfg/claude/claude_desktop_config.json',
    'user /cfg/Claude/claude_desktop_config.json',
  ]);
  expect(placesOf(claudeDesktop, { os: 'macos' })).toEqual([
    'user /Users/ada/Library/Application Support/Claude/claude_desktop_config.json',
  ]);
  expect(placesOf(claudeDesktop, { os: 'windows', env: { APPDATA: 'E:\\roaming' } })).toEqual([
    'user E:\\roaming\\Claude\\claude_desktop_config.json',
  ]);
});
