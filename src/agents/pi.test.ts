import { expect, test } from 'vitest';

import { fixture, readAgent, said } from '../../tests/support/agent-machine.ts';
import { program, remote } from '../../tests/support/golden-file.ts';
import { locationsOf, problemLines } from '../../tests/support/problem-summary.ts';
import { mcpJson } from './mcp-json.ts';
import { pi } from './pi.ts';

const user = '~/.pi/agent/mcp.json';
const project = './.pi/mcp.json';

const entry = (command: string, more: object = {}): string =>
  JSON.stringify({ mcpServers: { fs: { command, ...more } } });

test('the good golden file gives every server whole', async () => {
  const reading = await readAgent(pi, { files: { [user]: fixture('pi/good.json') } });
  const place = { agent: 'pi', scope: 'user', file: '/home/ada/.pi/agent/mcp.json', column: 5 };
  const common = { enabled: true, timeouts: {}, dialect: 'pi', guarded: false };
  expect(said(reading).toReversed()).toEqual([
    {
      name: 'docs',
      launch: program('npx', ['-y', 'docs-mcp'], {
        env: { KEY: '!pass show docs', BANG: '!!wow', T: '${DOCS_T}' },
        cwd: '{env:DOCS_DIR}',
        inheritEnv: 'safe',
      }),
      origin: { ...place, line: 3 },
      ...common,
      timeouts: { idleMs: 20_000 },
      tools: { include: ['search'], exclude: ['purge'] },
    },
    {
      name: 'literal',
      launch: program('literal-mcp', [], { env: { BANG: '!not a command' } }),
      origin: { ...place, line: 15 },
      ...common,
      dialect: 'none',
    },
    {
      name: 'hub',
      launch: remote('http', 'https://hub.example/mcp', {
        headers: { 'X-Sum': '!sum' },
        headersFrom: { Authorization: { variable: 'HUB_TOKEN', prefix: 'Bearer ', suffix: '' } },
        tls: { caFile: '/etc/ssl/hub.pem' },
      }),
      origin: { ...place, line: 16 },
      ...common,
    },
    {
      name: 'static',
      launch: remote('http', 'https://static.example/mcp', {
        headers: { Authorization: 'Bearer $env:STATIC' },
        oauth: false,
      }),
      origin: { ...place, line: 24 },
      ...common,
    },
    {
      name: 'login',
      launch: remote('http', 'https://login.example/mcp', {
        oauth: {
          clientId: 'pi',
          clientSecret: 's',
          scopes: ['a', 'b'],
          redirectUri: 'http://localhost:1/cb',
        },
      }),
      origin: { ...place, line: 25 },
      ...common,
      enabled: false,
    },
    { name: 'almost', launch: program('almost-mcp'), origin: { ...place, line: 26 }, ...common },
  ]);
  expect(problemLines(reading)).toEqual([
    '6:23 info field-executable docs: "env.KEY" is a command that runs when the server is connected',
    '18:29 info field-executable hub: "headers.X-Sum" is a command that runs when the server is connected',
    '26:54 warning field-invalid almost: "disabled" must be true or false, but is a string; it is ignored',
  ]);
});

test('the broken golden file costs only what is broken', async () => {
  const reading = await readAgent(pi, { files: { [user]: fixture('pi/broken.json') } });
  expect(reading.definitions.map(({ name, launch }) => ({ name, launch }))).toEqual([
    { name: 'fine', launch: program('fine-mcp') },
    { name: 'helped', launch: remote('http', 'https://helped.example/mcp') },
    { name: 'printed', launch: remote('http', 'https://printed.example/mcp') },
  ]);
  expect(problemLines(reading)).toEqual([
    '3:27 warning entry-unsupported socket: server "socket" is reached through a socket, which holt does not speak over',
    '4:13 error entry-invalid both: server "both" cannot be used: it has both "command" and a URL',
    '5:71 warning field-executable printed: "bearerToken" is a command that prints the token; holt does not run it',
    '6:79 warning field-executable helped: "requestHeadersCommand" is a program that makes headers for each request; holt does not run it',
    '6:122 warning placeholder-unset helped: "bearerTokenStore" names a token in a store of pi’s own, which holt does not read',
  ]);
});

test.for([
  ['linux', {}, '/home/ada', '/home/ada/.pi/agent', '/srv/shop', '/'],
  ['macos', {}, '/Users/ada', '/Users/ada/.pi/agent', '/Users/ada/src/shop', '/'],
  ['windows', {}, 'C:\\Users\\Ada', 'C:\\Users\\Ada\\.pi\\agent', 'D:\\src\\shop', '\\'],
  [
    'linux',
    { PI_CODING_AGENT_DIR: '/opt/pi', XDG_CONFIG_HOME: '/xdg' },
    '/home/ada',
    '/opt/pi',
    '/srv/shop',
    '/',
  ],
] as const)('on %s with %o it looks in these places', ([os, env, home, agent, root, slash]) => {
  expect(locationsOf(pi, { os, env })).toEqual([
    `user ${[home, '.config', 'mcp', 'mcp.json'].join(slash)}`,
    `user ${[home, '.agents', 'mcp.json'].join(slash)}`,
    `user ${[home, '.agents', 'mcp', 'mcp.json'].join(slash)}`,
    `user ${[agent, 'mcp.json'].join(slash)}`,
    `project ${[root, '.pi', 'mcp.json'].join(slash)}`,
  ]);
});

test('the later file wins as a whole', async () => {
  const { definitions, problems } = await readAgent(pi, {
    files: {
      '~/.config/mcp/mcp.json': entry('a', { env: { A: '1' } }),
      '~/.agents/mcp.json': entry('b'),
      '~/.agents/mcp/mcp.json': entry('c'),
      [user]: entry('d'),
      [project]: entry('e'),
    },
  });
  expect(problems).toEqual([]);
  expect(definitions.map(({ launch, guarded }) => [launch, guarded])).toEqual([
    [program('e'), true],
    [program('d'), false],
    [program('c'), false],
    [program('b'), false],
    [program('a', [], { env: { A: '1' } }), false],
  ]);
});

test('an entry that has only the switch works on the servers of other files', async () => {
  const reading = await readAgent(pi, {
    files: {
      '~/.config/mcp/mcp.json': '{"mcpServers":{"a":{"command":"a"},"b":{"command":"b","disabled":true}}}',
      [user]: '{"mcpServers":{"a":{"disabled":true},"b":{"disabled":false}}}',
    },
  });
  expect(reading.problems).toEqual([]);
  expect(reading.definitions.map(({ name, enabled }) => [name, enabled])).toEqual([
    ['b', true],
    ['a', false],
  ]);
});

test('a project’s switch turns the user’s servers off, never on', async () => {
  const { definitions } = await readAgent(pi, {
    files: {
      [user]: '{"mcpServers":{"a":{"command":"a"},"b":{"command":"b","disabled":true}}}',
      [project]: '{"mcpServers":{"a":{"disabled":true},"b":{"disabled":false}}}',
    },
  });
  expect(definitions.map(({ name, enabled }) => [name, enabled])).toEqual([
    ['b', false],
    ['a', false],
  ]);
});

test('the time after which pi lets go of an idle server is no limit of a call', async () => {
  const { definitions } = await readAgent(pi, { files: { [user]: entry('a', { idleTimeout: 10 }) } });
  expect(definitions.map(({ timeouts }) => timeouts)).toEqual([{}]);
});

test('the project’s .mcp.json is left to the shared files, which name pi among their readers', async () => {
  const { definitions } = await readAgent(pi, { files: { './.mcp.json': entry('a') } });
  expect(definitions).toEqual([]);
  expect(mcpJson.readers).toContain('pi');
});
