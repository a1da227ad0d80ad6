import { expect, test } from 'vitest';
import { isObject, type JsonObject } from '../kernel/json.ts';
import { readAgent } from '../../tests/support/agent-machine.ts';
import { holt, holtShape } from '../agents/holt.ts';
import { checkValue } from './edit-settings.ts';
import { findSetting } from './find-setting.ts';
import { readMachine } from '../platform/machine-facts.ts';
import { schemaDocuments, schemaReference, serverFields } from './json-schema.ts';
import { settingNames } from './settings.ts';

/** The keywords our schemas use, checked by hand; any other one fails the test. */
const keywords: Readonly<Record<string, (value: unknown, rule: unknown, schema: JsonObject) => boolean>> = {
  type: (value, rule) => [rule].flat().some((name) => typeNames(value).includes(String(name))),
  enum: (value, rule) => Array.isArray(rule) && rule.includes(value),
  const: (value, rule) => value === rule,
  minimum: (value, rule) => typeof value !== 'number' || value >= Number(rule),
  maximum: (value, rule) => typeof value !== 'number' || value <= Number(rule),
  minLength: (value, rule) => typeof value !== 'string' || value.length >= Number(rule),
  maxLength: (value, rule) => typeof value !== 'string' || value.length <= Number(rule),
  pattern: (value, rule) => typeof value !== 'string' || new RegExp(String(rule), 'u').test(value),
  items: (value, rule) => !Array.isArray(value) || value.every((item) => matches(item, rule)),
  required: (value, rule) =>
    !isObject(value) || [rule].flat().every((key) => Object.hasOwn(value, String(key))),
  properties: (value, rule) =>
    !isObject(value) ||
    !isObject(rule) ||
    Object.entries(rule).every(([key, child]) => !Object.hasOwn(value, key) || matches(value[key], child)),
  additionalProperties: (value, rule, { properties }) => {
    const known = isObject(properties) ? Object.keys(properties) : [];
    const others = isObject(value) ? Object.entries(value).filter(([key]) => !known.includes(key)) : [];
    return others.every(([, child]) => matches(child, rule));
  },
  propertyNames: (value, rule) => !isObject(value) || Object.keys(value).every((key) => matches(key, rule)),
  anyOf: (value, rule) => [rule].flat().some((child) => matches(value, child)),
  oneOf: (value, rule) => [rule].flat().filter((child) => matches(value, child)).length === 1,
  $schema: (_, rule) => rule === 'https://json-schema.org/draft/2020-12/schema',
  title: (_, rule) => typeof rule === 'string',
  description: (_, rule) => typeof rule === 'string',
  default: () => true,
};

function matches(value: unknown, schema: unknown): boolean {
  if (typeof schema === 'boolean') return schema;
  if (!isObject(schema)) throw new Error('no schema');
  return Object.entries(schema).every(([keyword, rule]) => {
    const check = keywords[keyword];
    if (check === undefined) throw new Error(`keyword ${keyword}`);
    return check(value, rule, schema);
  });
}

function typeNames(value: unknown): readonly string[] {
  if (value === null) return ['null'];
  if (Array.isArray(value)) return ['array'];
  return Number.isInteger(value) ? ['integer', 'number'] : [typeof value];
}

test('the schema of config.json takes a file with every setting', () => {
  const sample = {
    $schema: './cache/schemas/config.json',
    agents: ['claude-code', '!cursor', '*'],
    naming: 'plain',
    maxNameLength: 48,
    permissions: { allow: ['mcp__fs__read'], ask: ['mcp__fs'], deny: ['mcp__*__delete*'] },
    hooks: { 'tool.execute.before': [{ command: 'check', args: ['-x'], required: true }] },
    credentialStore: 'keychain',
    daemon: 'auto',
    limits: { messageBytes: 1_048_576 },
    startIn: { fs: 'project' },
    trust: { safeDirectories: ['~/work'] },
    timeouts: { startMs: 1, idleMs: 2, totalMs: 3, phases: { listing_tools: 4 } },
    concurrency: 4,
    results: 65_536,
    network: {
      proxy: 'http://p.test',
      noProxy: ['x'],
      origins: { 'https://a.test': { certFile: '/c', keyFile: '/k' } },
    },
    telemetry: 'https://otlp.test',
  };
  expect(Object.keys(sample)).toEqual(['$schema', ...settingNames]);
  expect(matches(sample, schemaDocuments().config)).toBe(true);
});

const words = ['*', 'codex', 'double', 'off', 'auto', 'file', 'https://x.test', '/srv', '', 'x'];
const numbers = [0, 1, 8, 64, 1024, 1.5, 2 ** 31];
const lists = [[], ['*'], ['codex', '!zed'], ['nobody'], [1]];
const objects = [
  {},
  { other: 1 },
  { messageBytes: 2048 },
  { messageBytes: 1 },
  { deny: ['x'] },
  { deny: 'x' },
  { deny: [1] },
  { idleMs: 5, phases: { ready: 1 } },
  { phases: { no: 1 } },
  { safeDirectories: ['~/x', 'C:\\x'] },
  { safeDirectories: ['x'] },
  { proxy: 'direct' },
  { proxy: 'x' },
  { origins: { 'https://a.test': { caFile: '/x' } } },
  { origins: { 'a.test': {} } },
  { 'tool.execute.after': [{ command: 'x' }] },
  { 'tool.execute.after': [{ required: true }] },
];
const samples: readonly unknown[] = [...words, ...numbers, true, ...lists, ...objects];

test.each(settingNames)('%s: the schema and the reader agree on what fits', (name) => {
  const place = findSetting(name);
  if (place === undefined) throw new Error(name);
  const { config } = schemaDocuments();
  const disagreed = samples.filter(
    (sample) =>
      matches({ [name]: sample }, config) !==
      (checkValue(place, JSON.parse(JSON.stringify(sample))).length === 0),
  );
  expect(disagreed).toEqual([]);
});

test('the schema of config.json refuses what no setting is called', () => {
  expect(matches({ namign: 'plain' }, schemaDocuments().config)).toBe(false);
});

const servers = {
  fs: {
    type: 'stdio',
    command: 'fs-server',
    args: ['--root', 1],
    env: { TOKEN: '${TOKEN}', EMPTY: null },
    cwd: '/srv',
    inheritEnv: ['PATH'],
    phase_timeouts: { initializing: 20.5 },
    timeouts: { startMs: 5, idleMs: 6, totalMs: 7, phases: { connecting: 8 } },
    timeout: 0,
    tools: { include: ['a'], exclude: ['b'], autoApprove: ['c'] },
    enabled: false,
    disabled: true,
    startIn: 'project',
    sharing: 'shared',
    pinning: 'strict',
    trustAnnotations: true,
  },
  web: {
    transport: 'streamable-http',
    url: 'https://x.test/mcp',
    headers: { Authorization: 'Bearer ${TOKEN}' },
    oauth: { clientId: 'c', scopes: 'a b', callbackPort: 19_876 },
    auth: { type: 'oauth', credentialId: 'mcp:web' },
    tls: { caFile: '/ca.pem', certFile: '/c.pem', keyFile: '/k.pem' },
    resource: 'omit',
  },
  open: { url: 'wss://x.test', oauth: false, alwaysAllow: ['a field of another agent'] },
};

test('the schema of mcp.json takes servers with every field, and so does the reader', async () => {
  const sample = { $schema: '../node_modules/holt/dist/schemas/mcp.json', mcpServers: servers };
  expect(matches(sample, schemaDocuments().mcp)).toBe(true);
  const { definitions, problems } = await readAgent(holt, {
    files: { '~/.holt/mcp.json': JSON.stringify(sample) },
  });
  expect(problems).toEqual([]);
  expect(definitions.map(({ name }) => name).toSorted()).toEqual(['fs', 'open', 'web']);
});

test('every field of the schema stands in that sample, and every word the reader knows stands in the schema', () => {
  const used = new Set([...Object.keys(servers.fs), ...Object.keys(servers.web)]);
  expect(Object.keys(serverFields).filter((field) => !used.has(field))).toEqual([]);
  const {
    types = [],
    urls = [],
    typeNames: names = {},
    oauth: { key = '', also = {}, writesFalse: _, ...oauth } = {},
  } = holtShape;
  const known = [...types, ...urls.map((url) => url.key), key];
  expect(known.filter((field) => serverFields[field] === undefined)).toEqual([]);
  expect(serverFields['type']?.schema).toEqual({ enum: Object.keys(names) });
  const login = serverFields[key]?.schema;
  const spellings = [...Object.values(oauth), ...Object.values(also).flat()];
  expect(spellings.filter((field) => !JSON.stringify(login).includes(`"${field}":`))).toEqual([]);
});

test.each([
  ['neither command nor url', {}],
  ['both command and url', { command: 'x', url: 'https://x.test' }],
  ['an unknown type', { command: 'x', type: 'carrier-pigeon' }],
  ['an empty command', { command: '' }],
  ['a number as an environment', { command: 'x', env: 1 }],
  ['an unknown phase', { command: 'x', phase_timeouts: { conecting: 1 } }],
  ['an unknown way to inherit', { command: 'x', inheritEnv: 'some' }],
  ['a login without an id', { url: 'https://x.test', auth: { type: 'oauth' } }],
])('the schema of mcp.json refuses %s', (_, server) => {
  expect(matches({ mcpServers: { server } }, schemaDocuments().mcp)).toBe(false);
});

test('a file holt writes names a schema that is there and means the same on every machine', () => {
  const machine = readMachine({ cwd: '/shop', home: '/home/ada', env: {} });
  const having = (file: string | undefined) => ({
    machine,
    files: { exists: (path: string) => path === file },
  });
  const installed = '/shop/node_modules/holt/dist/schemas/mcp.json';
  expect([
    schemaReference('config', 'user', having(undefined)),
    schemaReference('config', 'project', having(installed)),
    schemaReference('mcp', 'local', having(installed)),
  ]).toEqual(['./cache/schemas/config.json', undefined, '../node_modules/holt/dist/schemas/mcp.json']);
});
