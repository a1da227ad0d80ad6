import { expect, test } from 'vitest';

import { fixture, readAgent, said } from '../../tests/support/agent-machine.ts';
import { program, remote } from '../../tests/support/golden-file.ts';
import { locationsOf, problemLines } from '../../tests/support/problem-summary.ts';
import { chimeraMink } from './chimera-mink.ts';
import { mcpJson } from './mcp-json.ts';

const user = '~/.claude/.mcp.json';
const project = './.claude/.mcp.json';
const local = './.claude/.mcp.local.json';

const entry = (command: string): string => JSON.stringify({ mcpServers: { fs: { command } } });

test('the good golden file gives every server whole', async () => {
  const reading = await readAgent(chimeraMink, { files: { [project]: fixture('chimera-mink/good.json') } });
  const place = { agent: 'chimera-mink', scope: 'project', file: '/srv/shop/.claude/.mcp.json', column: 5 };
  const common = { enabled: true, timeouts: {}, dialect: 'claude', guarded: true };
  expect(problemLines(reading)).toEqual([]);
  expect(said(reading)).toEqual([
    {
      name: 'login',
      launch: remote('http', 'https://login.example/mcp', {
        oauth: { clientId: 'mink', scopes: ['read', 'write'] },
      }),
      origin: { ...place, line: 11 },
      ...common,
      enabled: false,
    },
    {
      name: 'socket',
      launch: remote('ws', 'wss://socket.example/mcp'),
      origin: { ...place, line: 10 },
      ...common,
    },
    {
      name: 'stream',
      launch: remote('sse', 'https://stream.example/sse', { headers: { 'X-Key': '${STREAM_KEY}' } }),
      origin: { ...place, line: 9 },
      ...common,
    },
    {
      name: 'filesystem',
      launch: program('npx', ['-y', '@acme/files-mcp', '${FILES_ROOT:-/srv}'], { env: { LEVEL: '2' } }),
      origin: { ...place, line: 3 },
      ...common,
      timeouts: { phases: { initializing: 10_000, listing_tools: 2500 } },
    },
    {
      name: 'older',
      launch: remote('http', 'https://older.example/mcp'),
      origin: { ...place, line: 19 },
      ...common,
    },
  ]);
});

test('the broken golden file costs only what is broken', async () => {
  const reading = await readAgent(chimeraMink, { files: { [user]: fixture('chimera-mink/broken.json') } });
  expect(reading.definitions.map(({ name, launch, timeouts }) => ({ name, launch, timeouts }))).toEqual([
    { name: 'fine', launch: program('fine-mcp'), timeouts: {} },
    { name: 'slow', launch: program('slow-mcp'), timeouts: {} },
  ]);
  expect(problemLines(reading)).toEqual([
    '8:14 error file-shape: "servers" must be an object of servers, but is a list',
    '3:13 error entry-invalid both: server "both" cannot be used: it has both "command" and a URL',
    '4:13 error entry-invalid none: server "none" cannot be used: it needs "command" or "url"',
    '5:74 warning field-invalid slow: "initializing" must be a number that is not negative, but is a string; it is ignored',
    '5:82 warning field-invalid slow: "sleeping" in "phase_timeouts" is not a phase; it is ignored',
  ]);
});

test.for([
  ['linux', '/home/ada', '/srv/shop', '/'],
  ['macos', '/Users/ada', '/Users/ada/src/shop', '/'],
  ['windows', 'C:\\Users\\Ada', 'D:\\src\\shop', '\\'],
] as const)(
  'on %s ~/.chimera/mcp.json stands above ~/.claude/.mcp.json, beneath the project',
  ([system, home, root, slash]) => {
    expect(locationsOf(chimeraMink, { os: system })).toEqual([
      `user ${[home, '.claude', '.mcp.json'].join(slash)}`,
      `user ${[home, '.chimera', 'mcp.json'].join(slash)}`,
      `project ${[root, '.claude', '.mcp.json'].join(slash)}`,
      `local ${[root, '.claude', '.mcp.local.json'].join(slash)}`,
    ]);
  },
);

test('all places together: local, project, ~/.chimera, ~/.claude', async () => {
  const { definitions, problems } = await readAgent(chimeraMink, {
    files: {
      [user]: entry('a'),
      '~/.chimera/mcp.json': entry('b'),
      [project]: entry('c'),
      [local]: entry('d'),
    },
  });
  expect(problems).toEqual([]);
  expect(definitions.map(({ launch, origin, guarded }) => [launch, origin.scope, guarded])).toEqual([
    [program('d'), 'local', true],
    [program('c'), 'project', true],
    [program('b'), 'user', false],
    [program('a'), 'user', false],
  ]);
});

test('a stronger entry replaces the weaker as a whole: no stray variable is inherited', async () => {
  const { definitions } = await readAgent(chimeraMink, {
    files: {
      [user]:
        '{"mcpServers":{"fs":{"command":"a","args":["--x"],"env":{"STRAY":"1"},"phase_timeouts":{"connecting":1}}}}',
      [project]: '{"mcpServers":{"fs":{"command":"b"}}}',
      [local]: '{"servers":{"fs":{"command":"c"}}}',
    },
  });
  expect(definitions.map(({ launch, timeouts }) => ({ launch, timeouts }))).toEqual([
    { launch: program('c'), timeouts: {} },
    { launch: program('b'), timeouts: {} },
    { launch: program('a', ['--x'], { env: { STRAY: '1' } }), timeouts: { phases: { connecting: 1000 } } },
  ]);
});

test('both keys are read; of two with one name the one under mcpServers counts', async () => {
  const reading = await readAgent(chimeraMink, {
    files: {
      [user]: '{"servers":{"a":{"command":"a1"},"b":{"command":"b"}},\n"mcpServers":{"a":{"command":"a2"}}}',
    },
  });
  expect(reading.definitions.map(({ name, launch }) => ({ name, launch }))).toEqual([
    { name: 'a', launch: program('a2') },
    { name: 'b', launch: program('b') },
  ]);
  expect(problemLines(reading)).toEqual([
    '1:13 warning entry-duplicate a: "a" also stands under "mcpServers"; that one counts',
  ]);
});

test('the project’s .mcp.json is left to the shared files, which name mink among their readers', async () => {
  const { definitions, sources } = await readAgent(chimeraMink, { files: { './.mcp.json': entry('a') } });
  expect(definitions).toEqual([]);
  expect(sources.some(({ file }) => file === '/srv/shop/.mcp.json')).toBe(false);
  expect(mcpJson.readers).toContain('chimera-mink');
});

test('a URL without a type goes by its scheme', async () => {
  const { definitions, problems } = await readAgent(chimeraMink, {
    files: { [user]: '{"mcpServers":{"a":{"url":"https://a.test/mcp"},"b":{"url":"wss://b.test/mcp"}}}' },
  });
  expect(problems).toEqual([]);
  expect(definitions.map(({ launch }) => launch)).toEqual([
    remote('ws', 'wss://b.test/mcp'),
    remote('http', 'https://a.test/mcp'),
  ]);
});

test('malformed JSON costs that file alone', async () => {
  const { definitions, problems } = await readAgent(chimeraMink, {
    files: { [user]: '{"mcpServers":', [project]: entry('b') },
  });
  expect(definitions.map(({ origin }) => origin.scope)).toEqual(['project']);
  expect(problems.map(({ code }) => code)).toEqual(['file-syntax']);
});
