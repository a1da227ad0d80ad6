import { expect, test } from 'vitest';

import { plainDefinition } from '../../tests/support/plain-definition.ts';
import type { DialectId, Launch, ServerDefinition, StdioLaunch } from '../kernel/servers.ts';
import { contentKey, endpointKey } from './same-server.ts';

const definition = (launch: Launch, dialect: DialectId = 'claude'): ServerDefinition =>
  plainDefinition(dialect, launch);
const program = (command: string, args: readonly string[] = [], env = {}): StdioLaunch => ({
  kind: 'stdio',
  command,
  args,
  env,
  envFrom: {},
});
const remote = (url: string, headers = {}): Launch => ({ kind: 'http', url, headers, headersFrom: {} });

test('the same placeholder in two dialects is equal; a look-alike in a dialect without placeholders is not', () => {
  const claude = contentKey(definition(program('a', [], { T: '${TOKEN}' }), 'claude'));
  expect(contentKey(definition(program('a', [], { T: '${env:TOKEN}' }), 'cursor'))).toBe(claude);
  expect(contentKey(definition(program('a', [], { T: '${TOKEN}' }), 'none'))).not.toBe(claude);
});

test('a variable named by a field equals a placeholder for it', () => {
  const codex: Launch = {
    kind: 'http',
    url: 'https://x.test/',
    headers: {},
    headersFrom: { Authorization: { variable: 'T', prefix: 'Bearer ', suffix: '' } },
  };
  expect(contentKey(definition(codex, 'none'))).toBe(
    contentKey(definition(remote('https://x.test/', { authorization: 'Bearer ${T}' }))),
  );
});

test('switches, timeouts and filters are ignored', () => {
  const plain = definition(program('a'));
  expect(contentKey({ ...plain, enabled: false, timeouts: { idleMs: 1 }, tools: { include: ['t'] } })).toBe(
    contentKey(plain),
  );
});

test.each([
  [program('cmd', ['/c', 'npx', '-y', 'files']), program('npx', ['files'])],
  [program('npx', ['mcp-remote', 'https://X.test:443/mcp/']), remote('https://x.test/mcp')],
  [remote('https://x.test/mcp/'), remote('https://x.test/mcp#part')],
])('two ways to the same server are one endpoint (%#)', (left, right) => {
  expect(endpointKey(definition(left))).toBe(endpointKey(definition(right)));
});

test.each([
  [program('npx', ['a']), program('npx', ['b'])],
  [program('a', [], { K: '1' }), program('a', [], { K: '2' })],
  [remote('https://x.test/a'), remote('https://x.test/b')],
])('two servers are two endpoints (%#)', (left, right) => {
  expect(endpointKey(definition(left))).not.toBe(endpointKey(definition(right)));
});

test.each([
  [program('npx', ['-y', 'files']), program('bunx', ['files'])],
  [program('npx.cmd', ['--yes', 'files', 'x']), program('uvx', ['files', 'x'])],
  [program('CMD.EXE', ['/C', 'npx', 'files']), program('npx', ['files'])],
  [program('npx', ['-y', 'mcp-remote@1.2.3', 'https://x.test/mcp?a=1']), remote('https://x.test/mcp?a=1')],
  [program('/opt/bin/mcp-remote', ['http://x.test/']), remote('http://x.test')],
  [program('a', [], { A: '1', B: '2' }), program('a', [], { B: '2', A: '1' })],
  [remote('${URL}'), remote('${URL}', { A: 'b' })],
])('however it is written, it is one endpoint (%#)', (left, right) => {
  expect(endpointKey(definition(left))).toBe(endpointKey(definition(right)));
});

test.each([
  [program('files', ['-y']), program('files')],
  [program('npx', ['files', 'x']), program('npx', ['files'])],
  [program('cmd', ['/k', 'npx', 'files']), program('npx', ['files'])],
  [program('cmd', ['/c']), program('npx')],
  [program('cmd'), program('npx')],
  [program('https://x.test/'), remote('https://x.test/')],
  [program('xcmd', ['/c', 'npx', 'files']), program('npx', ['files'])],
  [program('cmdx', ['/c', 'npx', 'files']), program('npx', ['files'])],
  [program('npx', ['my-mcp-remote', 'https://x.test/']), remote('https://x.test/')],
  [program('npx', ['mcp-remote-more', 'https://x.test/']), remote('https://x.test/')],
  [program('npx', ['mcp-remote', 'x https://x.test/']), remote('https://x.test/')],
  [program('npx', ['mcp-remote']), program('npx', [])],
  [program('a', [], { K: '1' }), program('a')],
  [{ ...program('a'), cwd: '/x' }, program('a')],
  [remote('https://x.test/a//'), remote('https://x.test/a')],
  [remote('${A}'), remote('${B}')],
])('what only looks alike is two endpoints (%#)', (left, right) => {
  expect(endpointKey(definition(left))).not.toBe(endpointKey(definition(right)));
});

test('a variable that a field names is part of the endpoint, whatever its value', () => {
  const named: Launch = {
    kind: 'stdio',
    command: 'a',
    args: [],
    env: {},
    envFrom: { T: { variable: 'TOKEN', prefix: '', suffix: '' } },
  };
  expect(endpointKey(definition(named))).toBe('[["a"],null,[["T",null]]]');
  expect(endpointKey(definition({ ...program('a', ['b'], { Z: '1', T: '2' }), cwd: '/x' }))).toBe(
    '[["a","b"],"/x",[["T","2"],["Z","1"]]]',
  );
});

test.each<readonly [Launch, string]>([
  [program('bunx', ['-y', 'files']), '[["npx","files"],null,[]]'],
  [program('npx', ['mcp-remote', 'files']), '[["npx","mcp-remote","files"],null,[]]'],
  [
    program('npx', ['mcp-remote', '--to=https://x.test']),
    '[["npx","mcp-remote","--to=https://x.test"],null,[]]',
  ],
  [remote('https://X.test/mcp/?a=1#part'), 'https://x.test/mcp?a=1'],
  [remote('not a URL#part'), 'not a URL#part'],
])('an endpoint is known by its words, or by its address without fragment (%#)', (launch, key) => {
  expect(endpointKey(definition(launch))).toBe(key);
});

test('a placeholder is equal in two dialects in every field', () => {
  const launches = (value: string): readonly Launch[] => [
    program(value),
    program('a', [value]),
    { ...program('a'), cwd: value },
    program('a', [], { K: value }),
    remote(value),
    remote('https://x.test/', { K: value }),
  ];
  expect(launches('${T}').map((launch) => contentKey(definition(launch, 'copilot')))).toEqual(
    launches('${env:T}').map((launch) => contentKey(definition(launch, 'vscode'))),
  );
});

test('the content of a stdio server is everything that is started, as its dialect reads it', () => {
  const full: Launch = {
    kind: 'stdio',
    command: 'a',
    args: ['b', 'c'],
    cwd: '/x',
    env: { Z: '1', A: '2' },
    envFrom: { M: { variable: 'TOKEN', prefix: 'p-', suffix: '-s' } },
    inheritEnv: 'all',
  };
  const other = { ...full, env: { A: '2', Z: '1', M: 'p-${TOKEN}-s' }, envFrom: {} };
  expect(contentKey(definition(full))).toBe(contentKey(definition(other)));
  expect(JSON.parse(contentKey(definition(full)))).toMatchObject({
    0: 'stdio',
    2: { length: 2 },
    4: [
      ['A', expect.anything()],
      ['M', expect.anything()],
      ['Z', expect.anything()],
    ],
    5: 'all',
  });
  const changes: readonly Partial<typeof full>[] = [
    { command: 'z' },
    { args: ['c', 'b'] },
    { cwd: '/y' },
    { env: { Z: '1' } },
    { envFrom: {} },
    { inheritEnv: 'safe' },
  ];
  const keys = [full, ...changes.map((change) => ({ ...full, ...change })), program('a')].map((launch) =>
    contentKey(definition(launch)),
  );
  expect(new Set(keys).size).toBe(keys.length);
});

test('the content of a remote server is its URL, its headers in any case, and its login', () => {
  const full: Launch = {
    kind: 'http',
    url: 'https://x.test/',
    headers: { 'X-Two': '2', Authorization: 'Bearer ${T}' },
    headersFrom: { 'X-One': { variable: 'ONE', prefix: '', suffix: '' } },
  };
  const written: Launch = {
    ...full,
    headers: { authorization: 'Bearer ${T}', 'x-one': '${ONE}', 'x-two': '2' },
    headersFrom: {},
  };
  expect(contentKey(definition(written))).toBe(contentKey(definition(full)));
  const changes: readonly Launch[] = [
    { ...full, kind: 'sse' },
    { ...full, url: 'https://y.test/' },
    { ...full, headers: {} },
    { ...full, headersFrom: {} },
    { ...full, headersHelper: 'helper' },
    { ...full, oauth: { clientId: 'me' } },
    { ...full, tls: { caFile: '/ca.pem' } },
  ];
  const keys = [full, ...changes].map((launch) => contentKey(definition(launch)));
  expect(new Set(keys).size).toBe(keys.length);
});
