import { expect, test } from 'vitest';

import { fixture, readAgent, said } from '../../tests/support/agent-machine.ts';
import { placeIn, placesOf, problemLines, remote, stdio } from '../../tests/support/expected.ts';
import { vscode } from './vscode.ts';

const file = '/srv/shop/.vscode/mcp.json';
const common = { enabled: true, timeouts: {}, dialect: 'vscode', guarded: true };
const project = placeIn('vscode', 'project', file);

test('reads the good file: comments, inputs, numbers and null in env (E10)', async () => {
  const result = await readAgent(vscode, { files: { './.vscode/mcp.json': fixture('vscode/good.jsonc') } });
  const inputs = [
    { id: 'tok', description: 'Token', password: true },
    { id: 'region', description: 'Region', password: false, fallback: 'eu', options: ['eu', 'us'] },
    { id: 'who', description: 'who', password: false },
  ];
  expect(said(result).toReversed()).toEqual([
    {
      ...common,
      name: 'issues',
      launch: remote('http', 'https://issues.example/${input:region}/mcp', {
        headers: { Authorization: 'Bearer ${input:tok}' },
        oauth: { clientId: 'vs-1' },
      }),
      inputs,
      origin: project(9, 5),
    },
    {
      ...common,
      name: 'build',
      launch: stdio('node', {
        args: ['${workspaceFolder}/tools/mcp.js'],
        cwd: '${workspaceFolder}',
        env: { PORT: '7070', HOME_DIR: '${userHome}' },
      }),
      inputs,
      origin: project(15, 5),
    },
    {
      ...common,
      name: 'feed',
      launch: remote('sse', 'https://feed.example/sse'),
      inputs,
      origin: project(22, 5),
    },
    {
      ...common,
      name: 'bare',
      launch: remote('http', 'https://bare.example/mcp'),
      inputs,
      origin: project(23, 5),
    },
  ]);
  expect(problemLines(result)).toEqual([
    `${file}:6:5 info field-executable: the editor answers input "who" with a command; holt does not run it and asks instead`,
  ]);
});

test('reads the good file the same with Windows line ends', async () => {
  const text = fixture('vscode/good.jsonc').replaceAll('\n', '\r\n');
  const plain = await readAgent(vscode, { files: { './.vscode/mcp.json': fixture('vscode/good.jsonc') } });
  expect(said(await readAgent(vscode, { files: { './.vscode/mcp.json': text } }))).toEqual(said(plain));
});

test('reads what can be read of the broken file and names the rest; sockets are not reached (E11)', async () => {
  const result = await readAgent(vscode, { files: { './.vscode/mcp.json': fixture('vscode/broken.jsonc') } });
  expect(said(result).toReversed()).toEqual([
    { ...common, name: 'typed', launch: remote('http', 'https://typed.example/mcp'), origin: project(7, 5) },
    { ...common, name: 'filed', launch: stdio('filed-mcp'), origin: project(8, 5) },
    { ...common, name: 'off', launch: stdio('off-mcp'), origin: project(9, 5) },
    {
      ...common,
      name: 'ok',
      launch: stdio('ok-mcp', { args: ['--port', '7', 'true'] }),
      origin: project(12, 5),
    },
  ]);
  expect(problemLines(result)).toEqual([
    `${file}:3:17 warning agent-ignores: VS Code does not look at "mcpServers" here → Call it "servers".`,
    `${file}:2:14 warning field-invalid: an input without an "id" cannot be asked for; it is ignored`,
    `${file}:2:66 warning field-invalid: an input without an "id" cannot be asked for; it is ignored`,
    `${file}:11:5 error entry-invalid list: server "list" is not an object`,
    `${file}:5:38 error entry-unsupported sock: server "sock" listens on a local socket, which holt cannot reach`,
    `${file}:6:22 error entry-unsupported pipe: server "pipe" listens on a local socket, which holt cannot reach`,
    `${file}:7:24 warning agent-refuses typed: the agent does not know the type "streamable-http"; holt reads it as http → Write "http".`,
    `${file}:8:51 warning not-evaluated filed: "envFile" is not read: holt loads no files of variables → Put the variables in "env", or set them in the environment.`,
    `${file}:9:47 warning agent-ignores off: VS Code does not look at "enabled": the server is on → Switch it off in VS Code itself, or remove it here.`,
    `${file}:10:13 error entry-invalid both: server "both" cannot be used: it has both "command" and a URL → Keep one of the two.`,
    `${file}:12:62 warning field-invalid ok: "args[3]" must be a string, but is null; it is ignored`,
  ]);
});

test('legacy settings count in both spellings, nested and as one word (E12)', async () => {
  const settings = '/home/ada/.config/Code/User/settings.json';
  const user = placeIn('vscode', 'user', settings);
  const result = await readAgent(vscode, { files: { [settings]: fixture('vscode/good.settings.jsonc') } });
  const rest = { ...common, guarded: false, inputs: [{ id: 'key', description: 'Key', password: false }] };
  expect(problemLines(result)).toEqual([]);
  expect(said(result).toReversed()).toEqual([
    { ...rest, name: 'a', launch: stdio('a-mcp'), origin: user(5, 18) },
    { ...rest, name: 'b', launch: stdio('b-mcp'), origin: user(7, 20) },
  ]);
});

const inFile = (name: string): ReturnType<typeof placeIn> =>
  placeIn('vscode', 'project', `/srv/shop/${name}`);

test('workspace files and both kinds of dev containers are the project’s', async () => {
  const container = fixture('vscode/good.devcontainer.json');
  const result = await readAgent(vscode, {
    files: {
      './shop.code-workspace': fixture('vscode/good.code-workspace'),
      './.devcontainer/devcontainer.json': container,
      './.devcontainer.json': container.replace('playwright"', 'browser"'),
    },
  });
  const launch = stdio('npx', { args: ['-y', '@acme/playwright-mcp'] });
  expect(problemLines(result)).toEqual([]);
  expect(said(result)).toEqual([
    {
      ...common,
      name: 'docs',
      launch: remote('http', 'https://docs.example/mcp'),
      origin: inFile('shop.code-workspace')(5, 20),
    },
    { ...common, name: 'playwright', launch, origin: inFile('.devcontainer/devcontainer.json')(6, 29) },
    { ...common, name: 'browser', launch, origin: inFile('.devcontainer.json')(6, 29) },
  ]);
});

const own = (command: string): string => JSON.stringify({ servers: { x: { command } } });

const settings = (command: string): string => JSON.stringify({ 'mcp.servers': { x: { command } } });

test('the most specific file wins, whole entries replace each other', async () => {
  const { definitions } = await readAgent(vscode, {
    files: {
      '~/.config/VSCodium/User/mcp.json': own('codium'),
      '~/.config/Code - Insiders/User/mcp.json': own('insiders'),
      '~/.config/Code/User/settings.json': settings('settings'),
      '~/.config/Code/User/profiles/1a2b/mcp.json': own('profile'),
      '~/.config/Code/User/mcp.json': own('user'),
      './.devcontainer.json': JSON.stringify({
        customizations: { vscode: { mcp: { servers: { x: { command: 'container' } } } } },
      }),
      './shop.code-workspace': JSON.stringify({
        settings: { mcp: { servers: { x: { command: 'workspace' } } } },
      }),
      './.vscode/mcp.json': own('folder'),
    },
  });
  expect(definitions.map(({ launch }) => launch.kind === 'stdio' && launch.command)).toEqual([
    'folder',
    'workspace',
    'container',
    'user',
    'profile',
    'settings',
    'insiders',
    'codium',
  ]);
});

const projectPlaces = (root: string): readonly string[] => [
  `project ${root}.devcontainer.json`,
  `project ${root}.devcontainer${root.at(-1)}devcontainer.json`,
  `project ${root}*`,
  `project ${root}.vscode${root.at(-1)}mcp.json`,
];

test.each([
  ['linux', {}, '/home/ada/.config', '/srv/shop/'],
  ['linux', { XDG_CONFIG_HOME: '/cfg' }, '/cfg', '/srv/shop/'],
  ['macos', {}, '/Users/ada/Library/Application Support', '/Users/ada/src/shop/'],
  ['windows', {}, 'C:\\Users\\Ada\\AppData\\Roaming', 'D:\\src\\shop\\'],
  ['windows', { APPDATA: 'E:\\roaming' }, 'E:\\roaming', 'D:\\src\\shop\\'],
] as const)('looks in the right places on %s with %j', (os, env, base, root) => {
  const slash = root.at(-1) ?? '';
  const folders = ['VSCodium', 'Code - Insiders', 'Code'].map((name) => [base, name, 'User'].join(slash));
  expect(placesOf(vscode, { os, env })).toEqual([
    ...folders.flatMap((folder) => [
      `user ${[folder, 'settings.json'].join(slash)}`,
      `user ${[folder, 'profiles', '*', 'mcp.json'].join(slash)}`,
      `user ${[folder, 'mcp.json'].join(slash)}`,
    ]),
    ...projectPlaces(root),
  ]);
});

test('a portable VS Code has one user folder', () => {
  expect(placesOf(vscode, { env: { VSCODE_PORTABLE: '/media/stick/data' } })).toEqual([
    'user /media/stick/data/user-data/User/settings.json',
    'user /media/stick/data/user-data/User/profiles/*/mcp.json',
    'user /media/stick/data/user-data/User/mcp.json',
    ...projectPlaces('/srv/shop/'),
  ]);
});
