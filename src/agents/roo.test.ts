import { expect, test } from 'vitest';

import { fixture, readAgent, said } from '../../tests/support/agent-machine.ts';
import { placeIn, placesOf, problemLines, remote, stdio } from '../../tests/support/expected.ts';
import { roo } from './roo.ts';

const tail = 'globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json';
const file = `/home/ada/.config/Code/User/${tail}`;
const common = { enabled: true, timeouts: {}, dialect: 'roo', guarded: false };

test('reads the good file: seconds, denied tools, approvals apart from filters (E20)', async () => {
  const user = placeIn('roo', 'user', file);
  const result = await readAgent(roo, { files: { [file]: fixture('roo/good.json') } });
  expect(problemLines(result)).toEqual([]);
  expect(said(result).toReversed()).toEqual([
    {
      ...common,
      name: 'r',
      launch: remote('http', 'https://r.example/mcp', { headers: { X: '${env:RX}' } }),
      timeouts: { idleMs: 60_000 },
      tools: { exclude: ['b'], autoApprove: ['a'] },
      origin: user(3, 5),
    },
    {
      ...common,
      name: 'local',
      launch: stdio('npx', {
        args: ['-y', '@acme/local-mcp', '${workspaceFolder}'],
        env: { K: '${env:K}' },
        cwd: '/srv',
      }),
      origin: user(11, 5),
    },
    {
      ...common,
      name: 'feed',
      launch: remote('sse', 'https://feed.example/sse'),
      enabled: false,
      origin: user(18, 5),
    },
  ]);
});

test('reads what can be read of the broken file and names the rest; a URL needs a type', async () => {
  const project = placeIn('roo', 'project', '/srv/shop/.roo/mcp.json');
  const result = await readAgent(roo, { files: { './.roo/mcp.json': fixture('roo/broken.json') } });
  const rest = { ...common, guarded: true };
  expect(said(result).toReversed()).toEqual([
    {
      ...rest,
      name: 'untyped',
      launch: remote('http', 'https://untyped.example/mcp'),
      origin: project(3, 5),
    },
    { ...rest, name: 'plain', launch: remote('http', 'https://plain.example/mcp'), origin: project(4, 5) },
    { ...rest, name: 'slow', launch: stdio('slow-mcp'), origin: project(6, 5) },
    { ...rest, name: 'ok', launch: stdio('ok-mcp'), origin: project(7, 5) },
  ]);
  expect(problemLines(result)).toEqual([
    '/srv/shop/.roo/mcp.json:3:25 warning agent-refuses untyped: the agent refuses a URL without "type"; holt reads it as http → Add "type": "streamable-http".',
    '/srv/shop/.roo/mcp.json:4:24 warning agent-refuses plain: the agent does not know the type "http"; holt reads it as http → Write "streamable-http".',
    '/srv/shop/.roo/mcp.json:5:13 error entry-invalid both: server "both" cannot be used: it has both "command" and a URL → Keep one of the two.',
    '/srv/shop/.roo/mcp.json:6:49 warning field-invalid slow: "timeout" must be a number that is not negative, but is a string; it is ignored',
  ]);
});

const one = (command: string): string =>
  JSON.stringify({ mcpServers: { x: { command, alwaysAllow: ['t'] } } });

test('the project comes before the user and cannot approve its own tools', async () => {
  const result = await readAgent(roo, { files: { [file]: one('user'), './.roo/mcp.json': one('project') } });
  expect(
    result.definitions.map(({ launch, tools }) => [launch.kind === 'stdio' && launch.command, tools]),
  ).toEqual([
    ['project', undefined],
    ['user', { autoApprove: ['t'] }],
  ]);
  expect(problemLines(result)).toEqual([
    '/srv/shop/.roo/mcp.json:1:55 warning self-approval x: "alwaysAllow" in a project file does not count: holt asks before these tools are used',
  ]);
});

test('looks in every editor, on every system', () => {
  expect(placesOf(roo)).toEqual([
    ...['Antigravity', 'Kiro', 'Trae', 'Windsurf', 'Cursor', 'VSCodium', 'Code - Insiders', 'Code'].map(
      (editor) => `user /home/ada/.config/${editor}/User/${tail}`,
    ),
    'project /srv/shop/.roo/mcp.json',
  ]);
  expect(placesOf(roo, { os: 'macos' }).at(-2)).toBe(
    `user /Users/ada/Library/Application Support/Code/User/${tail}`,
  );
  expect(placesOf(roo, { os: 'windows' }).slice(-2)).toEqual([
    `user C:\\Users\\Ada\\AppData\\Roaming\\Code\\User\\${tail.replaceAll('/', '\\')}`,
    'project D:\\src\\shop\\.roo\\mcp.json',
  ]);
});
