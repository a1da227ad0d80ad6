import { expect, test } from 'vitest';

import { readAgent } from '../../tests/support/agent-machine.ts';
import { holt } from './holt.ts';

test('reads all three files, the local one first, each with its place', async () => {
  const entry = (command: string): string => JSON.stringify({ mcpServers: { fs: { command } } }, null, 2);
  const { definitions, problems } = await readAgent(holt, {
    files: {
      '~/.holt/mcp.json': entry('a'),
      './.holt/mcp.json': entry('b'),
      './.holt/mcp.local.json': entry('c'),
    },
  });
  expect(problems).toEqual([]);
  expect(definitions.map(({ launch, origin, guarded }) => ({ launch, origin, guarded }))).toEqual([
    {
      launch: { kind: 'stdio', command: 'c', args: [], env: {}, envFrom: {} },
      origin: { agent: 'holt', scope: 'local', file: '/srv/shop/.holt/mcp.local.json', line: 3, column: 5 },
      guarded: true,
    },
    {
      launch: { kind: 'stdio', command: 'b', args: [], env: {}, envFrom: {} },
      origin: { agent: 'holt', scope: 'project', file: '/srv/shop/.holt/mcp.json', line: 3, column: 5 },
      guarded: true,
    },
    {
      launch: { kind: 'stdio', command: 'a', args: [], env: {}, envFrom: {} },
      origin: { agent: 'holt', scope: 'user', file: '/home/ada/.holt/mcp.json', line: 3, column: 5 },
      guarded: false,
    },
  ]);
});

test('reads every field of its own', async () => {
  const { definitions, problems } = await readAgent(holt, {
    files: {
      '~/.holt/mcp.json': `{
        // comments are fine
        "mcpServers": {
          "fs": { "command": "fs", "args": ["--root", "/tmp"], "env": { "A": "\${A:-1}" }, "cwd": "/srv", "inheritEnv": ["PATH"],
                  "phase_timeouts": { "initializing": 20 }, "timeouts": { "idleMs": 5, "phases": { "connecting": 7 } },
                  "tools": { "include": ["a"], "exclude": ["b"] }, "enabled": false },
          "web": { "url": "https://x.test/mcp", "headers": { "X": "!pass x" }, "tls": { "caFile": "/ca.pem" },
                   "oauth": { "clientId": "c", "scopes": ["r"] }, "resource": "omit", "auth": { "type": "oauth", "credentialId": "k" } },
          "live": { "url": "wss://x.test/mcp" },
        },
      }`,
    },
  });
  expect(problems).toEqual([]);
  const readings = definitions.map(({ name, launch, enabled, timeouts, tools, auth, dialect }) => ({
    name,
    launch,
    enabled,
    timeouts,
    ...(tools === undefined ? {} : { tools }),
    ...(auth === undefined ? {} : { auth }),
    dialect,
  }));
  expect(readings.toReversed()).toEqual([
    {
      name: 'fs',
      launch: {
        kind: 'stdio',
        command: 'fs',
        args: ['--root', '/tmp'],
        env: { A: '${A:-1}' },
        envFrom: {},
        cwd: '/srv',
        inheritEnv: ['PATH'],
      },
      enabled: false,
      timeouts: { idleMs: 5, phases: { connecting: 7, initializing: 20_000 } },
      tools: { include: ['a'], exclude: ['b'] },
      dialect: 'holt',
    },
    {
      name: 'web',
      launch: {
        kind: 'http',
        url: 'https://x.test/mcp',
        headers: { X: '!pass x' },
        headersFrom: {},
        tls: { caFile: '/ca.pem' },
        oauth: { clientId: 'c', scopes: ['r'], resource: 'omit' },
      },
      enabled: true,
      timeouts: {},
      auth: { type: 'oauth', credentialId: 'k' },
      dialect: 'holt',
    },
    {
      name: 'live',
      launch: { kind: 'ws', url: 'wss://x.test/mcp', headers: {}, headersFrom: {} },
      enabled: true,
      timeouts: {},
      dialect: 'holt',
    },
  ]);
});

test('a bad entry is reported with its line and costs only itself', async () => {
  const { definitions, problems } = await readAgent(holt, {
    files: {
      '~/.holt/mcp.json': '{"mcpServers":{\n"bad":{"command":"a","url":"http://x"},\n"ok":{"command":"b"}}}',
    },
  });
  expect(definitions.map(({ name }) => name)).toEqual(['ok']);
  expect(problems).toEqual([
    {
      severity: 'error',
      code: 'entry-invalid',
      file: '/home/ada/.holt/mcp.json',
      line: 2,
      column: 7,
      server: 'bad',
      message: 'server "bad" cannot be used: it has both "command" and a URL',
      remedy: 'Keep one of the two.',
    },
  ]);
});

test('limits that nobody can mean are told and left out one by one', async () => {
  const timeouts = { startMs: -1, idleMs: 'x', totalMs: 0, phase: 3, phases: { nonsense: 5, ready: 7 } };
  const { definitions, problems } = await readAgent(holt, {
    files: { '~/.holt/mcp.json': JSON.stringify({ mcpServers: { fs: { command: 'x', timeouts } } }) },
  });
  expect(definitions.map((definition) => definition.timeouts)).toEqual([
    { totalMs: 0, phases: { ready: 7 } },
  ]);
  expect(problems.map(({ code, server, message }) => [code, server, message])).toEqual(
    [
      '"timeouts" has no "phase"; it is ignored',
      '"startMs" must be a number that is not negative, but is a number; it is ignored',
      '"idleMs" must be a number that is not negative, but is a string; it is ignored',
      '"nonsense" in "phases" is not a phase; it is ignored',
    ].map((message) => ['field-invalid', 'fs', message]),
  );
});

test('a project file that approves its own tools is warned of, and what it says is part of what is approved', async () => {
  const text = '{"mcpServers":{"fs":{"command":"x","tools":{"include":["a"],"autoApprove":["*"]}}}}';
  const { definitions, problems } = await readAgent(holt, {
    files: { './.holt/mcp.json': text, '~/.holt/mcp.json': text },
  });
  expect(definitions.map(({ origin, tools }) => [origin.scope, tools])).toEqual([
    ['project', { include: ['a'], autoApprove: ['*'] }],
    ['user', { include: ['a'], autoApprove: ['*'] }],
  ]);
  expect(problems.map(({ code, file }) => [code, file])).toEqual([
    ['self-approval', '/srv/shop/.holt/mcp.json'],
  ]);
});

test('how far a server is relied on is for the user to say; a project can only ask for less', async () => {
  const entry = (pinning: string): string =>
    JSON.stringify({ mcpServers: { fs: { command: 'x', pinning, trustAnnotations: true } } });
  const { definitions, problems } = await readAgent(holt, {
    files: {
      '~/.holt/mcp.json': entry('off'),
      './.holt/mcp.json': entry('warn'),
      './.holt/mcp.local.json': entry('strict'),
    },
  });
  expect(
    definitions.map(({ origin, pinning, trustAnnotations }) => [origin.scope, pinning, trustAnnotations]),
  ).toEqual([
    ['local', 'strict', undefined],
    ['project', undefined, undefined],
    ['user', 'off', true],
  ]);
  expect(problems.map(({ code }) => code)).toEqual(['self-approval', 'self-approval', 'self-approval']);
});
