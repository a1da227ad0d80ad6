/** The type of passed-in servers and the fields that are read are the same list. */

import { expect, test } from 'vitest';
import { serverFields } from '../settings/json-schema.ts';
import type { RemoteServerConfig, ServerConfig, StdioServerConfig } from './server-config.ts';
import { validateServerConfig } from './validate-server-config.ts';

const fields: Readonly<Record<keyof StdioServerConfig | keyof RemoteServerConfig, true>> = {
  type: true,
  transport: true,
  command: true,
  args: true,
  env: true,
  cwd: true,
  startIn: true,
  inheritEnv: true,
  url: true,
  headers: true,
  oauth: true,
  resource: true,
  auth: true,
  tls: true,
  enabled: true,
  disabled: true,
  timeout: true,
  timeouts: true,
  phase_timeouts: true,
  tools: true,
  sharing: true,
  pinning: true,
  trustAnnotations: true,
};

test('ServerConfig has a field for each field of an entry', () => {
  expect(Object.keys(fields).toSorted()).toEqual(Object.keys(serverFields).toSorted());
});

const common = {
  enabled: true,
  timeout: 5000,
  timeouts: { startMs: 1, phases: { connecting: 2 } },
  phase_timeouts: { initializing: 12 },
  tools: { include: ['a'], exclude: ['b'], autoApprove: ['c'] },
  pinning: 'review',
  trustAnnotations: true,
  startIn: 'home',
  auth: { credentialId: 'mcp:x' },
} as const;

test.each<ServerConfig>([
  { command: 'x' },
  { ...common, type: 'stdio', command: 'x', args: ['y', 1, true], env: { A: 1, B: null }, inheritEnv: ['C'] },
  { url: 'https://example.com/mcp' },
  { ...common, type: 'streamable-http', url: 'https://example.com', headers: { A: 'b' }, oauth: false },
  { transport: 'websocket', url: 'wss://example.com', tls: { caFile: '/ca.pem' }, resource: 'omit' },
  { url: 'https://example.com', oauth: { client_id: 'x', scope: 'a b', callbackPort: 4000 } },
  { type: 'local', command: ['x', 'y'], environment: { A: 'b' }, enabled: false, timeout: 60_000 },
  { type: 'remote', url: 'https://example.com', headers: {}, oauth: { clientId: 'x' }, timeout: 60_000 },
])('%j is accepted', (config) => {
  expect(validateServerConfig(config)).toMatchObject({ ok: true, config });
});
