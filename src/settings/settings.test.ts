import { expect, test } from 'vitest';
import { checkValue } from './edit-settings.ts';
import { dottedNames, findSetting, plainRules } from './find-setting.ts';
import { settingNames, settingsTable, variableOf } from './settings.ts';

test('the settings, their defaults, their variables and what a project may do with them are these', () => {
  const rows = settingNames.map((name) => {
    const { fallback, inProject, forOwnServers } = settingsTable[name];
    return [name, fallback, variableOf(name), inProject.kind, ...(forOwnServers ? ['own servers'] : [])];
  });
  expect(rows).toEqual([
    ['agents', ['*'], 'HOLT_AGENTS', 'cut', 'own servers'],
    ['naming', 'double', 'HOLT_NAMING', 'checked'],
    ['maxNameLength', 64, 'HOLT_MAX_NAME_LENGTH', 'checked'],
    ['permissions', { allow: [], ask: [], deny: [] }, 'HOLT_PERMISSIONS', 'checked'],
    ['hooks', {}, 'HOLT_HOOKS', 'ignored'],
    ['credentialStore', 'file', 'HOLT_CREDENTIAL_STORE', 'ignored'],
    ['daemon', 'off', 'HOLT_DAEMON', 'ignored'],
    [
      'limits',
      {
        messageBytes: 16_777_216,
        messageNodes: 2_000_000,
        listBytes: 67_108_864,
        catalogBytes: 268_435_456,
        inFlightBytes: 268_435_456,
      },
      'HOLT_LIMITS',
      'cut',
      'own servers',
    ],
    ['startIn', {}, 'HOLT_START_IN', 'ignored'],
    ['trust', { safeDirectories: [] }, 'HOLT_TRUST', 'ignored'],
    ['timeouts', {}, 'HOLT_TIMEOUTS', 'cut', 'own servers'],
    ['concurrency', 8, 'HOLT_CONCURRENCY', 'checked'],
    ['results', 262_144, 'HOLT_RESULTS', 'checked', 'own servers'],
    ['network', {}, 'HOLT_NETWORK', 'ignored'],
    ['telemetry', 'off', 'HOLT_TELEMETRY', 'checked'],
  ]);
});

test('every default is a value that could be set', () => {
  const errors = settingNames.flatMap((name) => {
    const place = findSetting(name);
    const fallback = JSON.parse(JSON.stringify(plainRules(settingsTable[name].fallback)));
    return place === undefined ? [name] : checkValue(place, fallback);
  });
  expect(errors).toEqual([]);
});

function pathOf(name: string): readonly string[] | undefined {
  return findSetting(name)?.path;
}

test('a dotted name leads to its place, also through keys that have dots themselves', () => {
  expect({
    naming: pathOf('naming'),
    leaf: pathOf('limits.messageBytes'),
    deep: pathOf('timeouts.phases.connecting'),
    hook: pathOf('hooks.tool.execute.before'),
    origin: pathOf('network.origins.https://a.test:8443'),
    originLeaf: pathOf('network.origins.https://a.test:8443.proxy'),
    none: pathOf('limits.messageByte'),
    tooDeep: pathOf('naming.x'),
    inherited: pathOf('constructor'),
    inheritedBelow: pathOf('limits.constructor'),
  }).toEqual({
    naming: ['naming'],
    leaf: ['limits', 'messageBytes'],
    deep: ['timeouts', 'phases', 'connecting'],
    hook: ['hooks', 'tool.execute.before'],
    origin: ['network', 'origins', 'https://a.test:8443'],
    originLeaf: ['network', 'origins', 'https://a.test:8443', 'proxy'],
    none: undefined,
    tooDeep: undefined,
    inherited: undefined,
    inheritedBelow: undefined,
  });
});

test('every name that is suggested exists', () => {
  const names = dottedNames();
  expect(names.length).toBeGreaterThan(settingNames.length);
  expect(names.filter((name) => findSetting(name) === undefined)).toEqual([]);
});

const right: Readonly<Record<string, readonly unknown[]>> = {
  agents: [[], ['*'], ['claude-code', '!cursor', '*']],
  naming: ['double', 'single', 'plain', 'bare'],
  maxNameLength: [16, 256],
  permissions: [{}, { allow: ['mcp__fs'], ask: [], deny: ['mcp__*'] }],
  hooks: [{}, { 'tool.execute.before': [{ command: 'x', args: ['a'], required: true }] }],
  credentialStore: ['file', 'keychain', 'memory'],
  daemon: ['off', 'auto'],
  limits: [
    {},
    { messageBytes: 1024 },
    { messageNodes: 1000, listBytes: 1024, catalogBytes: 1024, inFlightBytes: 65_536 },
  ],
  trust: [{}, { safeDirectories: ['/srv', '~/work', '~', 'C:\\src', '\\\\host\\share'] }],
  timeouts: [{}, { startMs: 1, idleMs: 2, totalMs: 3, phases: { connecting: 4 } }],
  concurrency: [1, 1024],
  results: [1024],
  network: [
    { proxy: 'http://p.test:3128', noProxy: ['localhost'], caFile: '/ca.pem' },
    { origins: { 'https://a.test': { proxy: 'direct', certFile: '~/c.pem', keyFile: '~/k.pem' } } },
  ],
  telemetry: ['off', 'https://otlp.test/v1'],
};

const wrong: Readonly<Record<string, readonly unknown[]>> = {
  agents: ['claude-code', [1], ['nobody'], {}],
  naming: ['triple', 1, true],
  maxNameLength: [15, 257, 20.5, '64'],
  permissions: [[], 'deny', { deny: 'mcp__x' }, { ask: [1] }, { allow: [null] }, { denied: [] }],
  hooks: [
    [],
    { 'tool.execute.before': {} },
    { 'tool.execute.before': [{ args: [] }] },
    { 'tool.before': [] },
  ],
  credentialStore: ['File', 'disk'],
  daemon: [true, 'on'],
  limits: [
    16,
    { messageBytes: 0 },
    { messageBytes: '1 MiB' },
    { bytes: 1 },
    { messageNodes: 999 },
    { listBytes: 1023 },
    { catalogBytes: 0 },
    { inFlightBytes: 65_535 },
  ],
  trust: [
    true,
    { safeDirectories: ['relative/path'] },
    { safeDirectories: '/srv' },
    { safeDirectories: ['*'] },
  ],
  timeouts: [1000, { startMs: 0 }, { phases: { conecting: 1 } }, { phases: [] }, { idleMs: 2 ** 31 }],
  concurrency: [0, -1, 1.5, '8', null, [8]],
  results: ['256 KiB', 1],
  network: [
    { proxy: 'p.test' },
    { caFile: 'ca.pem' },
    { origins: { 'a.test': {} } },
    { origins: { 'https://user@a.test': {} } },
    { origins: { 'https://a.test/path': {} } },
  ],
  telemetry: ['on', true, 'ftp://x'],
};

test.each(settingNames)('%s takes what fits and refuses what does not', (name) => {
  const place = findSetting(name);
  if (place === undefined) throw new Error(name);
  const accepts = (value: unknown): boolean =>
    value !== null && checkValue(place, JSON.parse(JSON.stringify(value))).length === 0;
  expect((right[name] ?? []).filter((value) => !accepts(value))).toEqual([]);
  expect((wrong[name] ?? []).filter(accepts)).toEqual([]);
});
