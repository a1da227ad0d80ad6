import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { afterEach, expect, test } from 'vitest';

import { fixture, readAgent, said } from '../../tests/support/agent-machine.ts';
import { program, remote, startLimits } from '../../tests/support/golden-file.ts';
import { locationsOf, problemLines } from '../../tests/support/problem-summary.ts';
import { discover } from '../discovery/discover.ts';
import { realFiles } from '../platform/files/files.ts';
import { readIdentity, readMachine } from '../platform/machine-facts.ts';
import { chimeraOtter } from './chimera-otter.ts';

const user = '~/.opencode/config.json';
const project = './.opencode/config.json';
const dedicated = './.opencode/mcp.json';
const userPath = '/home/ada/.opencode/config.json';

const entry = (command: string): string =>
  JSON.stringify({ mcp: { fs: { type: 'local', command: [command] } } });

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await fs.rm(folder, { recursive: true });
});

test('the good golden file gives every server whole', async () => {
  const reading = await readAgent(chimeraOtter, { files: { [user]: fixture('chimera-otter/good.json') } });
  const place = { agent: 'chimera-otter', scope: 'user', file: userPath, column: 5 };
  const common = { dialect: 'otter', guarded: false };
  expect(problemLines(reading)).toEqual([]);
  expect(said(reading).toReversed()).toEqual([
    {
      name: 'browser',
      launch: program('npx', ['-y', '@acme/browser-mcp', '--headless'], { env: { BROWSER_PROFILE: 'ci' } }),
      enabled: true,
      timeouts: startLimits(45_000, { idleMs: 45_000 }),
      origin: { ...place, line: 4 },
      ...common,
    },
    {
      name: 'tickets',
      launch: remote('http', 'https://tickets.example/mcp', {
        headers: { Authorization: 'Bearer ${TICKETS_TOKEN}', 'X-Team': 'shop' },
      }),
      enabled: false,
      timeouts: {},
      origin: { ...place, line: 11 },
      ...common,
    },
    {
      name: 'live',
      launch: remote('ws', 'wss://live.example/mcp'),
      enabled: true,
      timeouts: {},
      origin: { ...place, line: 17 },
      ...common,
    },
    {
      name: 'secured',
      launch: remote('http', 'https://secured.example/mcp', {
        oauth: {
          clientId: 'otter-cli',
          tokenEndpoint: 'https://issuer.example/token',
          deviceAuthorizationEndpoint: 'https://issuer.example/device',
        },
      }),
      enabled: true,
      timeouts: {},
      origin: { ...place, line: 18 },
      ...common,
    },
  ]);
});

test('the good golden mcp.json is read in Claude’s shape, too', async () => {
  const reading = await readAgent(chimeraOtter, {
    files: { [dedicated]: fixture('chimera-otter/good.mcp.json') },
  });
  const place = { agent: 'chimera-otter', scope: 'project', file: '/srv/shop/.opencode/mcp.json', column: 5 };
  const common = { enabled: true, timeouts: {}, dialect: 'otter', guarded: true };
  expect(problemLines(reading)).toEqual([]);
  expect(said(reading)).toEqual([
    {
      name: 'search',
      launch: remote('http', 'https://search.example/mcp'),
      origin: { ...place, line: 4 },
      ...common,
    },
    {
      name: 'notes',
      launch: program('notes-mcp', ['--ro'], { env: { ROOT: '/srv/notes' } }),
      origin: { ...place, line: 3 },
      ...common,
    },
  ]);
});

test('the broken golden file costs only what is broken', async () => {
  const reading = await readAgent(chimeraOtter, { files: { [user]: fixture('chimera-otter/broken.json') } });
  expect(
    reading.definitions.map(({ name, launch, enabled, timeouts }) => ({ name, launch, enabled, timeouts })),
  ).toEqual([
    { name: 'fine', launch: program('fine-mcp'), enabled: true, timeouts: {} },
    { name: 'mixed', launch: program('mixed-mcp'), enabled: true, timeouts: {} },
  ]);
  expect(problemLines(reading)).toEqual([
    '6:5 error entry-invalid text: server "text" is not an object',
    '3:44 error entry-invalid empty: server "empty" cannot be used: "command" is a list that does not begin with a program',
    '4:13 error entry-invalid lost: server "lost" cannot be used: a server of type http needs a URL',
    '5:22 error entry-invalid odd: server "odd" cannot be used: Unknown transport "carrier-pigeon"',
    '7:58 warning field-invalid mixed: "args[0]" must be a string, but is an object; it is ignored',
    '7:83 warning field-invalid mixed: "enabled" must be true or false, but is a string; it is ignored',
    '7:104 warning field-invalid mixed: "timeout_ms" must be a number that is not negative, but is a string; it is ignored',
  ]);
});

test.for([
  ['linux', '/home/ada/.opencode', '/srv/shop/.opencode', '/'],
  ['macos', '/Users/ada/.opencode', '/Users/ada/src/shop/.opencode', '/'],
  ['windows', 'C:\\Users\\Ada\\.opencode', 'D:\\src\\shop\\.opencode', '\\'],
] as const)('on %s it looks in the home and the project', ([system, home, root, slash]) => {
  expect(locationsOf(chimeraOtter, { os: system })).toEqual([
    `user ${home}${slash}config.json`,
    `project ${root}${slash}config.json`,
    `project ${root}${slash}mcp.json`,
  ]);
});

test.for([
  ['user only', [user], [['user', false, 'a']]],
  ['project only', [project], [['project', true, 'a']]],
  [
    'both',
    [user, project],
    [
      ['project', true, 'b'],
      ['user', false, 'a'],
    ],
  ],
  [
    'all three',
    [user, project, dedicated],
    [
      ['project', true, 'c'],
      ['project', true, 'b'],
      ['user', false, 'a'],
    ],
  ],
] as const)('%s: the stronger file comes first and each keeps its scope', async ([, places, expected]) => {
  const commands = ['a', 'b', 'c'];
  const files = Object.fromEntries(places.map((place, index) => [place, entry(commands[index] ?? '')]));
  const { definitions, problems } = await readAgent(chimeraOtter, { files });
  expect(problems).toEqual([]);
  expect(
    definitions.map(({ launch, guarded, origin }) => [
      origin.scope,
      guarded,
      launch.kind === 'stdio' ? launch.command : '',
    ]),
  ).toEqual(expected);
});

test('servers of the user alone stay beside those of the project', async () => {
  const { definitions } = await readAgent(chimeraOtter, {
    files: {
      [user]: '{"mcp":{"mine":{"type":"local","command":["mine"]}}}',
      [project]: '{"mcp":{"theirs":{"type":"local","command":["theirs"]}}}',
    },
  });
  expect(definitions.map(({ name, origin }) => [name, origin.scope])).toEqual([
    ['theirs', 'project'],
    ['mine', 'user'],
  ]);
});

test('a project entry replaces the user’s as a whole', async () => {
  const { definitions } = await readAgent(chimeraOtter, {
    files: {
      [user]: '{"mcp":{"fs":{"type":"local","command":["a"],"env":{"SECRET":"1"},"timeout_ms":9}}}',
      [project]: '{"mcp":{"fs":{"type":"local","command":["b"]}}}',
    },
  });
  expect(definitions.map(({ launch, timeouts }) => ({ launch, timeouts }))).toEqual([
    { launch: program('b'), timeouts: {} },
    { launch: program('a', [], { env: { SECRET: '1' } }), timeouts: startLimits(9, { idleMs: 9 }) },
  ]);
});

test('${VAR} stays as written until the server may run, even when the variable is set', async () => {
  const { definitions } = await readAgent(chimeraOtter, {
    env: { GITHUB_TOKEN: 'ghp_real' },
    files: {
      [project]:
        '{"mcp":{"github":{"type":"remote","url":"https://x.test/mcp","headers":{"Authorization":"Bearer ${GITHUB_TOKEN}"}}}}',
    },
  });
  expect(definitions.map(({ launch }) => launch)).toEqual([
    remote('http', 'https://x.test/mcp', { headers: { Authorization: 'Bearer ${GITHUB_TOKEN}' } }),
  ]);
});

test('enabled: false keeps the name, and a lower entry stays beneath it', async () => {
  const { definitions } = await readAgent(chimeraOtter, {
    files: {
      [user]: entry('a'),
      [project]: '{"mcp":{"fs":{"type":"local","command":["b"],"enabled":false}}}',
    },
  });
  expect(definitions.map(({ name, enabled, origin }) => [name, enabled, origin.scope])).toEqual([
    ['fs', false, 'project'],
    ['fs', true, 'user'],
  ]);
});

test('malformed JSON gives an empty list and a problem, and the other file is read', async () => {
  const broken = await readAgent(chimeraOtter, { files: { [user]: '{\n  "mcp": {' } });
  expect(broken.definitions).toEqual([]);
  expect(broken.problems.map(({ severity, code, file, line }) => [severity, code, file, line])).toEqual([
    ['error', 'file-syntax', userPath, 2],
  ]);
  const mended = await readAgent(chimeraOtter, { files: { [user]: '{', [project]: entry('b') } });
  expect(mended.definitions.map(({ origin }) => origin.scope)).toEqual(['project']);
});

test('.opencode/mcp.json may have mcp, mcpServers or a bare map', async () => {
  for (const content of [
    '{"mcp":{"fs":{"type":"local","command":["fs"]}}}',
    '{"mcpServers":{"fs":{"command":"fs"}}}',
    '{"fs":{"type":"local","command":["fs"]}}',
  ]) {
    const { definitions, problems } = await readAgent(chimeraOtter, { files: { [dedicated]: content } });
    expect(problems).toEqual([]);
    expect(definitions.map(({ name, launch }) => ({ name, launch }))).toEqual([
      { name: 'fs', launch: program('fs') },
    ]);
  }
});

test('without a type the command or the URL tells the transport', async () => {
  const { definitions } = await readAgent(chimeraOtter, {
    files: {
      [user]:
        '{"mcp":{"a":{"command":["a","--x"]},"b":{"url":"https://b.test/mcp"},"c":{"url":"ws://c.test"}}}',
    },
  });
  expect(definitions.map(({ launch }) => launch)).toEqual([
    remote('ws', 'ws://c.test'),
    remote('http', 'https://b.test/mcp'),
    program('a', ['--x']),
  ]);
});

test('symlinked config files are followed', async () => {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'holt-otter-'));
  folders.push(folder);
  const [home, root, dotfiles] = ['home', 'shop', 'dotfiles'].map((name) => path.join(folder, name));
  if (home === undefined || root === undefined || dotfiles === undefined) throw new Error('three folders');
  await fs.mkdir(path.join(home, '.opencode'), { recursive: true });
  await fs.mkdir(path.join(root, '.git'), { recursive: true });
  await fs.mkdir(path.join(root, '.opencode'));
  await fs.mkdir(dotfiles);
  await fs.writeFile(
    path.join(dotfiles, 'otter.json'),
    '{"mcp":{"mine":{"type":"local","command":["mine"]}}}',
  );
  await fs.writeFile(
    path.join(dotfiles, 'team.json'),
    '{"mcp":{"ours":{"type":"local","command":["ours"]}}}',
  );
  await fs.symlink(path.join(dotfiles, 'otter.json'), path.join(home, '.opencode', 'config.json'));
  await fs.symlink('../../dotfiles/team.json', path.join(root, '.opencode', 'config.json'));

  const machine = readMachine({ cwd: root, home, env: {} });
  const { agents, problems } = await discover([chimeraOtter], {
    machine,
    files: realFiles,
    identity: readIdentity(),
  });
  expect(problems).toEqual([]);
  expect(
    agents
      .flatMap(({ definitions }) => definitions)
      .map(({ name, launch, origin }) => ({ name, launch, file: origin.file })),
  ).toEqual([
    {
      name: 'ours',
      launch: program('ours'),
      file: path.join(machine.projectRoot, '.opencode', 'config.json'),
    },
    { name: 'mine', launch: program('mine'), file: path.join(machine.homeDir, '.opencode', 'config.json') },
  ]);
});

test('in the home folder itself everything is the user’s', async () => {
  const { definitions } = await readAgent(chimeraOtter, {
    projectRoot: '/home/ada',
    files: { '~/.opencode/config.json': entry('a'), '~/.opencode/mcp.json': entry('b') },
  });
  expect(definitions.map(({ origin, guarded }) => [origin.file, origin.scope, guarded])).toEqual([
    ['/home/ada/.opencode/mcp.json', 'user', false],
    ['/home/ada/.opencode/config.json', 'user', false],
  ]);
});
