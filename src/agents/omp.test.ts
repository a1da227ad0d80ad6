import { expect, test } from 'vitest';

import { fixture, readAgent, said } from '../../tests/support/agent-machine.ts';
import { program, remote, startLimits } from '../../tests/support/golden-file.ts';
import { locationsOf, problemLines } from '../../tests/support/problem-summary.ts';
import { mcpJson } from './mcp-json.ts';
import { omp } from './omp.ts';

const user = '~/.omp/agent/mcp.json';
const project = './.omp/mcp.json';

const entry = (command: string, more: object = {}): string =>
  JSON.stringify({ mcpServers: { fs: { command, ...more } } });

test('the good golden file gives every server whole', async () => {
  const reading = await readAgent(omp, { files: { [user]: fixture('omp/good.json') } });
  const place = { agent: 'omp', scope: 'user', file: '/home/ada/.omp/agent/mcp.json', column: 5 };
  const common = { enabled: true, timeouts: {}, dialect: 'omp', guarded: false };
  expect(problemLines(reading)).toEqual([
    '9:29 info field-executable vault: "env.VAULT_KEY" is a command that runs when the server is connected',
  ]);
  expect(said(reading).toReversed()).toEqual([
    {
      name: 'vault',
      launch: program('vault-mcp', ['--root', '${VAULT_ROOT:-/srv/vault}'], {
        env: { VAULT_KEY: '!pass show vault', MODE: 'ro' },
        cwd: '${HOME}/vault',
      }),
      origin: { ...place, line: 6 },
      ...common,
      timeouts: { idleMs: 0 },
    },
    {
      name: 'hub',
      launch: remote('http', 'https://hub.example/mcp', {
        headers: { Authorization: 'HUB_TOKEN' },
        oauth: {
          clientId: 'omp',
          clientSecret: '${HUB_SECRET}',
          scopes: ['read', 'write'],
          callbackPort: 7711,
          redirectUri: 'http://127.0.0.1:7711/cb',
        },
      }),
      origin: { ...place, line: 13 },
      ...common,
      timeouts: startLimits(90_000, { idleMs: 90_000 }),
      tools: { include: ['search_*'], exclude: ['search_all'] },
      auth: { type: 'oauth', credentialId: 'mcp_oauth_hub' },
    },
    {
      name: 'feed',
      launch: remote('sse', 'https://feed.example/sse'),
      origin: { ...place, line: 24 },
      ...common,
    },
    {
      name: 'noisy',
      launch: program('noisy-mcp'),
      origin: { ...place, line: 25 },
      ...common,
      enabled: false,
    },
    {
      name: 'asleep',
      launch: program('asleep-mcp'),
      origin: { ...place, line: 26 },
      ...common,
      enabled: true,
    },
    { name: 'off', launch: program('off-mcp'), origin: { ...place, line: 27 }, ...common, enabled: false },
  ]);
});

test('the broken golden file: wrong types warn and cost the field, wrong entries cost the entry', async () => {
  const reading = await readAgent(omp, { files: { [user]: fixture('omp/broken.json') } });
  expect(
    reading.definitions.map(({ name, launch, enabled, timeouts }) => ({ name, launch, enabled, timeouts })),
  ).toEqual([
    { name: 'fine', launch: program('fine-mcp'), enabled: true, timeouts: {} },
    { name: 'wrong', launch: program('wrong-mcp'), enabled: true, timeouts: {} },
    {
      name: 'words',
      launch: program('words-mcp'),
      enabled: false,
      timeouts: startLimits(1500, { idleMs: 1500 }),
    },
  ]);
  expect(problemLines(reading)).toEqual([
    '2:22 warning field-invalid: "disabledServers" must be a list of strings, but is a string; it is ignored',
    '4:13 error entry-invalid both: server "both" cannot be used: it has both "command" and a URL',
    '5:26 error entry-invalid unknown: server "unknown" cannot be used: Unknown transport "pipe"',
    '6:13 error entry-invalid bare: server "bare" cannot be used: a server of type http needs a URL',
    '7:51 warning field-invalid words: "enabled" must be true or false, but is the string "false"; it is read as such',
    '7:71 warning field-invalid words: "timeout" must be a number, but is the string "1500"; it is read as such',
    '8:51 warning field-invalid wrong: "enabled" must be true or false, but is a string; it is ignored',
    '8:71 warning field-invalid wrong: "timeout" must be a number that is not negative, but is a number; it is ignored',
  ]);
});

test.for([
  ['linux', '/home/ada', '/srv/shop', '/'],
  ['macos', '/Users/ada', '/Users/ada/src/shop', '/'],
  ['windows', 'C:\\Users\\Ada', 'D:\\src\\shop', '\\'],
] as const)(
  'on %s it looks in ~/.claude, ~/.omp, then the agent folder, then the project',
  ([system, home, root, slash]) => {
    expect(locationsOf(omp, { os: system })).toEqual([
      `user ${[home, '.claude', 'mcp.json'].join(slash)}`,
      `user ${[home, '.omp', 'mcp.json'].join(slash)}`,
      `user ${[home, '.omp', 'agent', '.mcp.json'].join(slash)}`,
      `user ${[home, '.omp', 'agent', 'mcp.json'].join(slash)}`,
      `project ${[root, '.claude', 'mcp.json'].join(slash)}`,
      `project ${[root, '.omp', '.mcp.json'].join(slash)}`,
      `project ${[root, '.omp', 'mcp.json'].join(slash)}`,
    ]);
  },
);

test.for([
  [
    'PI_CODING_AGENT_DIR moves the agent folder',
    { PI_CODING_AGENT_DIR: '/opt/agent' },
    '/home/ada/.omp',
    '/opt/agent',
  ],
  [
    'PI_CONFIG_DIR renames the folder below the home',
    { PI_CONFIG_DIR: '.pi2' },
    '/home/ada/.pi2',
    '/home/ada/.pi2/agent',
  ],
  [
    'OMP_PROFILE has an agent folder of its own',
    { OMP_PROFILE: 'work' },
    '/home/ada/.omp',
    '/home/ada/.omp/profiles/work/agent',
  ],
  [
    'the default profile is none',
    { OMP_PROFILE: 'default', PI_PROFILE: 'work' },
    '/home/ada/.omp',
    '/home/ada/.omp/agent',
  ],
  [
    'a profile never leaves its folder',
    { OMP_PROFILE: '../../evil' },
    '/home/ada/.omp',
    '/home/ada/.omp/agent',
  ],
] as const)('%s', ([, env, folder, agent]) => {
  expect(locationsOf(omp, { env }).slice(1, 4)).toEqual([
    `user ${folder}/mcp.json`,
    `user ${agent}/.mcp.json`,
    `user ${agent}/mcp.json`,
  ]);
});

test('the first by priority wins and nothing is merged', async () => {
  const { definitions, problems } = await readAgent(omp, {
    files: {
      '~/.omp/mcp.json': entry('a', { env: { A: '1' } }),
      '~/.omp/agent/.mcp.json': entry('b', { args: ['--b'] }),
      [user]: entry('c', { timeout: 5 }),
      './.omp/.mcp.json': entry('d', { cwd: '/d' }),
      [project]: entry('e'),
    },
  });
  expect(problems).toEqual([]);
  expect(definitions.map(({ launch, timeouts, origin }) => [launch, timeouts, origin.scope])).toEqual([
    [program('e'), {}, 'project'],
    [program('d', [], { cwd: '/d' }), {}, 'project'],
    [program('c'), startLimits(5, { idleMs: 5 }), 'user'],
    [program('b', ['--b']), {}, 'user'],
    [program('a', [], { env: { A: '1' } }), {}, 'user'],
  ]);
});

test('disabledServers beats enabled: true and enabledServers, wherever the server is defined', async () => {
  const { definitions } = await readAgent(omp, {
    files: {
      [user]: '{"disabledServers":["fs"],"enabledServers":["fs"]}',
      [project]: entry('e', { enabled: true }),
    },
  });
  expect(definitions.map(({ name, enabled }) => [name, enabled])).toEqual([['fs', false]]);
});

test('enabledServers of the user switches on what a project’s entry has off', async () => {
  const { definitions } = await readAgent(omp, {
    files: { [user]: '{"enabledServers":["fs"]}', [project]: entry('e', { enabled: false }) },
  });
  expect(definitions.map(({ name, enabled }) => [name, enabled])).toEqual([['fs', true]]);
});

test('a project’s lists may switch the user’s servers off, never on', async () => {
  const files = {
    [user]: '{"mcpServers":{"a":{"command":"a"},"b":{"command":"b","enabled":false}}}',
    [project]: '{"disabledServers":["a"],"enabledServers":["b"]}',
  };
  const { definitions } = await readAgent(omp, { files });
  expect(definitions.map(({ name, enabled }) => [name, enabled])).toEqual([
    ['b', false],
    ['a', false],
  ]);
});

test('E39: a shell-out value stays text, the list beats enabled, and timeout 0 is kept as 0', async () => {
  const { definitions } = await readAgent(omp, {
    files: {
      [user]: `{ "disabledServers": ["b"], "mcpServers": {
        "a": { "command": "a-mcp", "env": { "K": "!pass show k" } },
        "b": { "enabled": true, "url": "https://b.example/mcp", "timeout": 0 } } }`,
    },
  });
  expect(
    definitions.map(({ name, launch, enabled, timeouts }) => ({ name, launch, enabled, timeouts })),
  ).toEqual([
    { name: 'b', launch: remote('http', 'https://b.example/mcp'), enabled: false, timeouts: { idleMs: 0 } },
    { name: 'a', launch: program('a-mcp', [], { env: { K: '!pass show k' } }), enabled: true, timeouts: {} },
  ]);
});

test('an API key login is no stored login, and a wrong auth is passed over', async () => {
  const { definitions } = await readAgent(omp, {
    files: {
      [user]:
        '{"mcpServers":{"a":{"command":"a","auth":{"type":"apikey","credentialId":"x"}},"b":{"command":"b","auth":"x"}}}',
    },
  });
  expect(definitions.map(({ auth }) => auth)).toEqual([undefined, undefined]);
});

test('the project’s .mcp.json and mcp.json are left to the shared files, which name omp among their readers', async () => {
  const { definitions } = await readAgent(omp, {
    files: { './.mcp.json': entry('a'), './mcp.json': entry('b') },
  });
  expect(definitions).toEqual([]);
  expect(mcpJson.readers).toContain('omp');
});

test('Claude’s mcp.json is read too, beneath oh-my-pi’s own files', async () => {
  const reading = await readAgent(omp, {
    files: {
      '~/.claude/mcp.json': entry('theirs'),
      './.claude/mcp.json': entry('project'),
      [user]: entry('own'),
    },
  });
  expect(reading.definitions.map(({ launch, origin, guarded }) => [launch, origin.file, guarded])).toEqual([
    [program('project'), '/srv/shop/.claude/mcp.json', true],
    [program('own'), '/home/ada/.omp/agent/mcp.json', false],
    [program('theirs'), '/home/ada/.claude/mcp.json', false],
  ]);
});
