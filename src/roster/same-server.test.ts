import { expect, test } from 'vitest';

import type { DialectId, Launch, ServerDefinition } from '../kernel/servers.ts';
import { contentKey, endpointKey } from './same-server.ts';

function definition(launch: Launch, dialect: DialectId = 'claude'): ServerDefinition {
  const origin = { agent: 'holt', scope: 'user', file: '/f', line: 1, column: 1 } as const;
  return {
    name: 'x',
    launch,
    enabled: true,
    timeouts: {},
    dialect,
    origin,
    guarded: false,
    parts: [origin],
    alsoIn: [],
  };
}
const program = (command: string, args: readonly string[] = [], env = {}): Launch => ({
  kind: 'stdio',
  command,
  args,
  env,
  envFrom: {},
});
const remote = (url: string, headers = {}): Launch => ({ kind: 'http', url, headers, headersFrom: {} });

test('the same placeholder in two dialects says the same; a look-alike in a dialect without placeholders does not', () => {
  const claude = contentKey(definition(program('a', [], { T: '${TOKEN}' }), 'claude'));
  expect(contentKey(definition(program('a', [], { T: '${env:TOKEN}' }), 'cursor'))).toBe(claude);
  expect(contentKey(definition(program('a', [], { T: '${TOKEN}' }), 'none'))).not.toBe(claude);
});

test('a variable named by a field says the same as a placeholder for it', () => {
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

test('switches, timeouts and filters do not count', () => {
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
