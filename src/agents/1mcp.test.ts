import { expect, test } from 'vitest';

import { fixture, readAgent, said } from '../../tests/support/agent-machine.ts';
import { program, remote } from '../../tests/support/golden-file.ts';
import { locationsOf, problemLines } from '../../tests/support/problem-summary.ts';
import { oneMcp } from './1mcp.ts';

const user = '~/.config/1mcp/mcp.json';
const fromPath = { PATH: { variable: 'PATH', prefix: '', suffix: '' } };

test('the good golden file gives every server whole', async () => {
  const reading = await readAgent(oneMcp, { files: { [user]: fixture('1mcp/good.json') } });
  const place = { agent: '1mcp', scope: 'user', file: '/home/ada/.config/1mcp/mcp.json', column: 5 };
  const common = { enabled: true, dialect: '1mcp', guarded: false };
  expect(said(reading).toReversed()).toEqual([
    {
      name: 'listed',
      launch: program('listed-mcp', [], {
        env: { NODE_ENV: 'production', EQUALS: 'a=b' },
        envFrom: fromPath,
      }),
      timeouts: { startMs: 8000 },
      origin: { ...place, line: 7 },
      ...common,
    },
    {
      name: 'mapped',
      launch: program('mapped-mcp', ['${ROOT}'], {
        env: { LEVEL: '2', REGION: 'eu' },
        cwd: '/srv',
        inheritEnv: ['PATH', 'HOME'],
      }),
      timeouts: { startMs: 3000, idleMs: 15_000 },
      tools: { exclude: ['drop'] },
      origin: { ...place, line: 8 },
      ...common,
      enabled: false,
    },
    {
      name: 'web',
      launch: remote('http', 'https://web.example/mcp', {
        headers: { 'X-Key': '$WEB_KEY' },
        oauth: {
          clientId: 'one',
          clientSecret: 's',
          scopes: ['r', 'w'],
          redirectUri: 'http://127.0.0.1:3000/cb',
        },
      }),
      timeouts: { startMs: 8000, idleMs: 30_000 },
      tools: { include: ['get'] },
      origin: { ...place, line: 23 },
      ...common,
    },
    {
      name: 'project',
      launch: program('project-mcp', ['{{project.path}}'], { env: { LEVEL: '1', REGION: 'eu' } }),
      timeouts: { startMs: 8000 },
      origin: { ...place, line: 34 },
      ...common,
    },
  ]);
  expect(problemLines(reading)).toEqual([
    '31:5 warning agent-ignores project: 1MCP does not look at this entry: "mcpTemplates" has one with the same name',
    '34:53 warning placeholder-unset project: the entry has {{…}}, which only 1MCP fills in; the text stays as it is',
    '34:86 warning field-invalid project: "disabled" is a template that only 1MCP can work out; the server counts as on',
  ]);
});

test('the broken golden file costs only what is broken', async () => {
  const reading = await readAgent(oneMcp, { files: { [user]: fixture('1mcp/broken.json') } });
  expect(reading.definitions.map(({ name, launch, enabled }) => ({ name, launch, enabled }))).toEqual([
    { name: 'fine', launch: program('fine-mcp'), enabled: true },
    {
      name: 'odd',
      launch: program('odd-mcp', [], {
        env: { A: '1' },
        envFrom: { '7': { variable: '7', prefix: '', suffix: '' } },
        inheritEnv: 'safe',
      }),
      enabled: true,
    },
    { name: 'socket', launch: remote('ws', 'wss://socket.example'), enabled: true },
  ]);
  expect(problemLines(reading)).toEqual([
    '8:19 error file-shape: "mcpTemplates" must be an object of servers, but is a string',
    '3:15 error entry-invalid untold: server "untold" cannot be used: it needs "command" or "url"',
    '4:25 warning agent-refuses socket: the agent does not know the type "ws"; holt reads it as ws',
    '5:54 warning field-invalid odd: "env[2]" must be a string, but is an object; it is ignored',
    '5:71 warning field-invalid odd: "disabled" must be true or false, but is a number; it is ignored',
    '5:113 warning field-invalid odd: "envFilter" has patterns, which holt does not know; the server gets the safe variables only',
  ]);
});

test.for([
  ['linux', {}, '/home/ada/.config/1mcp/mcp.json'],
  ['macos', {}, '/Users/ada/.config/1mcp/mcp.json'],
  ['windows', {}, 'C:\\Users\\Ada\\AppData\\Roaming\\1mcp\\mcp.json'],
  ['windows', { APPDATA: 'E:\\R' }, 'E:\\R\\1mcp\\mcp.json'],
  ['linux', { ONE_MCP_CONFIG_DIR: '/opt/one' }, '/opt/one/mcp.json'],
] as const)('on %s with %o it looks at %s', ([os, env, path]) => {
  expect(locationsOf(oneMcp, { os, env })).toEqual([`user ${path}`]);
});

test('ONE_MCP_CONFIG_DIR inside the project makes its file the project’s', async () => {
  const { definitions } = await readAgent(oneMcp, {
    env: { ONE_MCP_CONFIG_DIR: 'conf' },
    files: { './conf/mcp.json': '{"mcpServers":{"a":{"command":"a"}}}' },
  });
  expect(definitions.map(({ origin, guarded }) => [origin.scope, guarded])).toEqual([['project', true]]);
});

test('E37: the environment as a list, defaults for all, a switch that is a template', async () => {
  const { definitions } = await readAgent(oneMcp, {
    files: {
      [user]: `{ "serverDefaults": { "connectionTimeout": 8000 }, "mcpServers": {
        "e": { "command": "e-mcp", "env": ["PATH", "NODE_ENV=production"], "disabled": "{{#if ci}}true{{/if}}" } } }`,
    },
  });
  expect(definitions.map(({ launch, enabled, timeouts }) => ({ launch, enabled, timeouts }))).toEqual([
    {
      launch: program('e-mcp', [], { env: { NODE_ENV: 'production' }, envFrom: fromPath }),
      enabled: true,
      timeouts: { startMs: 8000 },
    },
  ]);
});

test.for([
  ['"disabled":true', false],
  ['"disabled":false', true],
  ['"disabled":"true"', false],
  ['"disabled":" false "', true],
  ['"enabled":false', false],
  ['"tags":[]', true],
] as const)('%s means %s', async ([field, enabled]) => {
  const reading = await readAgent(oneMcp, {
    files: { [user]: `{"mcpServers":{"a":{"command":"a",${field}}}}` },
  });
  expect(reading.definitions.map((definition) => definition.enabled)).toEqual([enabled]);
  expect(reading.problems).toEqual([]);
});

test('an old single timeout counts for both, and the newer ones beat it', async () => {
  const { definitions } = await readAgent(oneMcp, {
    files: {
      [user]:
        '{"mcpServers":{"a":{"command":"a","timeout":5},"b":{"command":"b","timeout":5,"requestTimeout":7}}}',
    },
  });
  expect(definitions.map(({ timeouts }) => timeouts)).toEqual([
    { startMs: 5, idleMs: 7 },
    { startMs: 5, idleMs: 5 },
  ]);
});

test.for([
  ['"inheritParentEnv":false', 'safe'],
  ['"inheritParentEnv":true', 'all'],
  ['"inheritParentEnv":true,"envFilter":["PATH"]', ['PATH']],
  ['"envFilter":["PATH"]', undefined],
] as const)('%s gives the child %o', async ([fields, inheritEnv]) => {
  const { definitions } = await readAgent(oneMcp, {
    files: { [user]: `{"mcpServers":{"a":{"command":"a",${fields}}}}` },
  });
  expect(definitions.map(({ launch }) => launch)).toEqual([
    program('a', [], inheritEnv === undefined ? {} : { inheritEnv }),
  ]);
});

test('hostile names in an environment list stay names', async () => {
  const { definitions } = await readAgent(oneMcp, {
    files: { [user]: '{"mcpServers":{"a":{"command":"a","env":["__proto__=x","constructor"]}}}' },
  });
  const launch = definitions[0]?.launch;
  expect(launch?.kind === 'stdio' && Object.keys(launch.env)).toEqual(['__proto__']);
  expect(launch?.kind === 'stdio' && Object.keys(launch.envFrom)).toEqual(['constructor']);
});

test('defaults that are no object are passed over', async () => {
  const { definitions } = await readAgent(oneMcp, {
    files: { [user]: '{"serverDefaults":[1],"mcpServers":{"a":{"command":"a"},"b":7}}' },
  });
  expect(definitions.map(({ name }) => name)).toEqual(['a']);
});
