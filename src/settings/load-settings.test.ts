import { mkdir, mkdtemp, rm, writeFile, chmod } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { makeMachine, memoryFiles, type AgentCase } from '../../tests/support/agent-machine.ts';
import { selectAgents } from '../agents/all-agents.ts';
import { realFiles } from '../platform/files/files.ts';
import { readMachine } from '../platform/machine-facts.ts';
import { combineLayers } from './layers/combine-layers.ts';
import { readTextSetting, type SettingsLayer } from './layers/read-layer.ts';
import { loadSettings, type LoadedSettings, type SettingFlags } from './load-settings.ts';
import { settingNames, settingsTable, type SettingName, type Settings } from './settings.ts';
import { usualReceiveLimits } from './values/setting-values.ts';
import { layerNames } from './values/shapes.ts';

const userFile = '/home/ada/.holt/config.json';
const projectFile = '/srv/shop/.holt/config.json';
const localFile = '/srv/shop/.holt/config.local.json';
const managedFile = '/etc/holt/managed.json';

const defaults = Object.fromEntries(settingNames.map((name) => [name, settingsTable[name].fallback]));

function loadCase(
  files: AgentCase['files'],
  env: Record<string, string> = {},
  flags: SettingFlags = {},
): LoadedSettings {
  const machine = makeMachine({ env });
  return loadSettings(machine, memoryFiles(machine, files), flags);
}

function loadJson(
  files: Readonly<Record<string, unknown>>,
  env: Record<string, string> = {},
): LoadedSettings {
  return loadCase(
    Object.fromEntries(Object.entries(files).map(([name, value]) => [name, JSON.stringify(value)])),
    env,
  );
}

test('without files, variables and flags every setting has its default', () => {
  const loaded = loadCase({});
  expect(loaded.settings).toEqual(defaults);
  expect(loaded.origins).toEqual(Object.fromEntries(settingNames.map((name) => [name, { from: 'default' }])));
  expect(loaded.problems).toEqual([]);
  expect(loaded.sources).toEqual([
    { from: 'managed', file: managedFile, outcome: 'missing' },
    { from: 'local', file: localFile, outcome: 'missing' },
    { from: 'project', file: projectFile, outcome: 'missing' },
    { from: 'user', file: userFile, outcome: 'missing' },
  ]);
});

test('managed beats flag beats environment beats local beats project beats user beats default', () => {
  const all = [
    { from: 'managed', files: { [managedFile]: '{"settings":{"concurrency":2}}' }, value: 2 },
    { from: 'flag', flags: { concurrency: '3' }, value: 3 },
    { from: 'environment', env: { HOLT_CONCURRENCY: '4' }, value: 4 },
    { from: 'local', files: { [localFile]: '{"concurrency":5}' }, value: 5 },
    { from: 'project', files: { [projectFile]: '{"concurrency":6}' }, value: 6 },
    { from: 'user', files: { [userFile]: '{"concurrency":7}' }, value: 7 },
    { from: 'default', value: 8 },
  ] as const;
  const won = all.map((_, index) => {
    const present = all.slice(index);
    const files = Object.assign({}, ...present.map((layer) => ('files' in layer ? layer.files : {})));
    const env = Object.assign({}, ...present.map((layer) => ('env' in layer ? layer.env : {})));
    const flags = Object.assign({}, ...present.map((layer) => ('flags' in layer ? layer.flags : {})));
    const { settings, origins } = loadCase(files, env, flags);
    return { from: origins.concurrency.from, value: settings.concurrency };
  });
  expect(won).toEqual(all.map(({ from, value }) => ({ from, value })));
});

test('an origin names the file and line, or the variable', () => {
  const files = { [userFile]: '{\n  // mine\n  "naming": "plain",\n  "daemon": "auto"\n}' };
  const { origins } = loadCase(files, { HOLT_DAEMON: 'off' }, { results: '2048' });
  expect(origins).toMatchObject({
    naming: { from: 'user', file: userFile, line: 3 },
    daemon: { from: 'environment', variable: 'HOLT_DAEMON' },
    results: { from: 'flag' },
    telemetry: { from: 'default' },
  });
});

test('every setting can be given by its variable', () => {
  const { settings, origins, problems } = loadCase(
    {},
    {
      HOLT_AGENTS: 'claude-code, !cursor,*',
      HOLT_NAMING: 'single',
      HOLT_MAX_NAME_LENGTH: '48',
      HOLT_PERMISSIONS: '{"deny":["mcp__x"]}',
      HOLT_HOOKS: '{"tool.execute.after":[{"command":"log"}]}',
      HOLT_CREDENTIAL_STORE: 'keychain',
      HOLT_DAEMON: 'auto',
      HOLT_LIMITS: '{"messageBytes":2048}',
      HOLT_START_IN: '{"fs":"home"}',
      HOLT_TRUST: '{"safeDirectories":["~/work"]}',
      HOLT_TIMEOUTS: '{"idleMs":5,"phases":{"connecting":7}}',
      HOLT_CONCURRENCY: '99',
      HOLT_RESULTS: '4096',
      HOLT_NETWORK: '{"caFile":"~/ca.pem","origins":{"https://a.test":{"keyFile":"~/k.pem"}}}',
      HOLT_TELEMETRY: 'https://otlp.test',
    },
  );
  expect(problems).toEqual([]);
  const variables = Object.values(origins).map(({ from }) => from);
  expect(new Set(variables)).toEqual(new Set(['environment']));
  expect(settings).toEqual({
    agents: ['claude-code', '!cursor', '*'],
    naming: 'single',
    maxNameLength: 48,
    permissions: {
      allow: [],
      ask: [],
      deny: [{ rule: 'mcp__x', origin: { from: 'environment', variable: 'HOLT_PERMISSIONS' } }],
    },
    hooks: { 'tool.execute.after': [{ command: 'log' }] },
    credentialStore: 'keychain',
    daemon: 'auto',
    limits: { ...usualReceiveLimits, messageBytes: 2048 },
    startIn: { fs: 'home' },
    trust: { safeDirectories: ['/home/ada/work'] },
    timeouts: { idleMs: 5, phases: { connecting: 7 } },
    concurrency: 99,
    results: 4096,
    network: { caFile: '/home/ada/ca.pem', origins: { 'https://a.test': { keyFile: '/home/ada/k.pem' } } },
    telemetry: 'https://otlp.test',
  });
});

test('a variable that is set to nothing is not set, and one that does not fit is named', () => {
  const { settings, problems } = loadCase({}, { HOLT_NAMING: '', HOLT_CONCURRENCY: 'many' });
  expect(settings).toEqual(defaults);
  expect(problems).toEqual([
    {
      severity: 'warning',
      code: 'setting-invalid',
      file: 'HOLT_CONCURRENCY',
      line: 1,
      column: 1,
      message: '"concurrency" must be a whole number from 1 to 1024, but is "many"; it is ignored',
    },
  ]);
});

test('an unknown key is reported with the nearest known one and costs only itself', () => {
  const { settings, problems } = loadCase({
    [userFile]:
      '{\n "$schema": "x",\n "namign": "plain",\n "limits": {"mesageBytes": 1},\n "concurrency": 3, "zzzz": 1\n}',
  });
  expect(settings).toEqual({ ...defaults, concurrency: 3 });
  const at = { severity: 'warning', code: 'setting-unknown', file: userFile } as const;
  expect(problems).toEqual([
    { ...at, line: 3, column: 2, message: 'unknown setting "namign"', remedy: 'Did you mean "naming"?' },
    {
      ...at,
      line: 4,
      column: 13,
      message: '"limits" has no "mesageBytes"',
      remedy: 'Did you mean "messageBytes"?',
    },
    {
      ...at,
      line: 5,
      column: 20,
      message: 'unknown setting "zzzz"',
      remedy: `Known are ${settingNames.join(', ')}.`,
    },
  ]);
});

test('a key of permissions that there is not in files is reported, a default as well', () => {
  const { settings, problems } = loadCase({
    [userFile]: '{"permissions": {"default": "maybe", "alow": ["mcp__s"]}}',
  });
  expect(settings).toEqual(defaults);
  expect(problems.map(({ code, message }) => [code, message])).toEqual([
    ['setting-unknown', '"permissions" has no "default"'],
    ['setting-unknown', '"permissions" has no "alow"'],
  ]);
});

test.each([
  ['"mcp__s"', '"mcp__s"'],
  ['["mcp__s"]', 'a list'],
])('permissions that are %s hold everything back that they may have meant', (written, found) => {
  const { settings, problems } = loadCase({ [userFile]: `{"permissions": ${written}}` });
  const origin = { from: 'user', file: userFile, line: 1 };
  expect(settings.permissions).toEqual({ allow: [], ask: [], deny: [{ rule: written, origin }] });
  expect(problems.map(({ message }) => message)).toEqual([
    `"permissions" must be an object with allow, ask, deny, but is ${found}; what it may have held back is asked for`,
  ]);
});

test('a value that does not fit is reported with its line and left out', () => {
  const { settings, problems } = loadCase({
    [userFile]:
      '{\n "naming": 5,\n "limits": [],\n "timeouts": {"idleMs": 9, "startMs": "1 s"},\n "agents": ["curser"]\n}',
  });
  // An unknown agent stays in the list: without it the list would mean all of them.
  expect(settings).toEqual({ ...defaults, timeouts: { idleMs: 9 }, agents: ['curser'] });
  expect(problems.map(({ code, line, column, message }) => ({ code, line, column, message }))).toEqual([
    {
      code: 'setting-invalid',
      line: 2,
      column: 12,
      message: '"naming" must be "double" or "single" or "plain" or "bare", but is 5; it is ignored',
    },
    {
      code: 'setting-invalid',
      line: 3,
      column: 12,
      message:
        '"limits" must be an object with messageBytes, messageNodes, listBytes, catalogBytes, inFlightBytes, but is a list; it is ignored',
    },
    {
      code: 'setting-invalid',
      line: 4,
      column: 39,
      message: '"timeouts.startMs" must be a whole number from 1 to 2147483647, but is "1 s"; it is ignored',
    },
    { code: 'setting-invalid', line: 5, column: 13, message: 'Unknown agent "curser"' },
  ]);
});

test('parts of an object come from the strongest layer that has each', () => {
  const { settings, projectSettings, problems } = loadJson(
    {
      [userFile]: { timeouts: { startMs: 1000, idleMs: 2000, phases: { connecting: 30, initializing: 40 } } },
      [projectFile]: { timeouts: { idleMs: 500, phases: { initializing: 20 } } },
    },
    { HOLT_TIMEOUTS: '{"phases":{"connecting":9999999}}' },
  );
  expect(problems).toEqual([]);
  expect([settings.timeouts, projectSettings.timeouts]).toEqual([
    { startMs: 1000, idleMs: 2000, phases: { connecting: 9_999_999, initializing: 40 } },
    { startMs: 1000, idleMs: 500, phases: { connecting: 9_999_999, initializing: 20 } },
  ]);
});

test('rules of all layers add up, each with its place', () => {
  const { settings, problems } = loadCase({
    [userFile]: '{"permissions": {\n"allow": ["mcp__fs"],\n"deny": ["mcp__u"]}}',
    [projectFile]: '{"permissions": {\n"allow": ["mcp__evil"], "ask": ["mcp__fs"],\n"deny": ["mcp__p"]}}',
  });
  const user = { from: 'user', file: userFile } as const;
  const project = { from: 'project', file: projectFile } as const;
  expect(problems).toEqual([]);
  expect(settings.permissions).toEqual({
    allow: [
      { rule: 'mcp__evil', origin: { ...project, line: 2 } },
      { rule: 'mcp__fs', origin: { ...user, line: 2 } },
    ],
    ask: [{ rule: 'mcp__fs', origin: { ...project, line: 2 } }],
    deny: [
      { rule: 'mcp__p', origin: { ...project, line: 3 } },
      { rule: 'mcp__u', origin: { ...user, line: 3 } },
    ],
  });
});

test('a rule that is no text is kept where it was to hold something back, and left out where it was to allow', () => {
  const { settings, problems } = loadJson({
    [userFile]: { permissions: { allow: [7], ask: 'mcp__a', deny: [{ x: 1 }] } },
  });
  const origin = { from: 'user', file: userFile, line: 1 };
  expect(settings.permissions).toEqual({
    allow: [],
    ask: [{ rule: 'mcp__a', origin }],
    deny: [{ rule: '{"x":1}', origin }],
  });
  expect(problems.map(({ message }) => message)).toEqual([
    '"permissions.allow[0]" must be a rule as text, but is 7; it is ignored',
    '"permissions.ask" must be a list of rules, but is "mcp__a"; what it may have held back is asked for',
    '"permissions.deny[0]" must be a rule as text, but is an object; what it may have held back is asked for',
  ]);
});

test.each([
  ['hooks', { 'tool.execute.before': [{ command: 'evil' }] }],
  ['credentialStore', 'memory'],
  ['daemon', 'auto'],
  ['network', { proxy: 'http://evil.test' }],
  ['trust', { safeDirectories: ['/'] }],
] as const)('%s is ignored in a project’s files, with a warning', (name, value) => {
  const { settings, problems } = loadJson({
    [projectFile]: { [name]: value },
    [localFile]: { [name]: value },
  });
  expect(settings).toEqual(defaults);
  const warning = {
    severity: 'warning',
    code: 'setting-ignored',
    line: 1,
    column: 2,
    message: `"${name}" does not count here: it is not read from a project’s file`,
    remedy: `Set it in your own settings: holt config set ${name} … --scope user.`,
  };
  expect(problems).toEqual([
    { ...warning, file: projectFile },
    { ...warning, file: localFile },
  ]);
  expect(loadJson({ [userFile]: { [name]: value } }).settings).toEqual({ ...defaults, [name]: value });
});

/** What a project wants, what the user has, what comes out, and how many warnings it takes. */
const tightening: readonly (readonly [SettingName, unknown, unknown, unknown, number])[] = [
  ['concurrency', undefined, 4, 4, 0],
  ['concurrency', undefined, 9, 8, 1],
  ['concurrency', 20, 9, 9, 0],
  ['concurrency', 2, 3, 2, 1],
  ['results', undefined, 2048, 2048, 0],
  ['results', undefined, 1 << 20, 262_144, 1],
  ['maxNameLength', undefined, 32, 32, 0],
  ['maxNameLength', undefined, 65, 64, 1],
  ['limits', undefined, { messageBytes: 2048 }, { ...usualReceiveLimits, messageBytes: 2048 }, 0],
  ['limits', undefined, { messageBytes: 32 << 20 }, usualReceiveLimits, 1],
  [
    'limits',
    { messageBytes: 64 << 20 },
    { messageBytes: 32 << 20 },
    { ...usualReceiveLimits, messageBytes: 32 << 20 },
    0,
  ],
  [
    'limits',
    undefined,
    { listBytes: 65 << 20, catalogBytes: 1 << 20 },
    { ...usualReceiveLimits, catalogBytes: 1 << 20 },
    1,
  ],
  ['limits', undefined, { messageNodes: 2_000_001, inFlightBytes: 257 << 20 }, usualReceiveLimits, 2],
  ['timeouts', undefined, { startMs: 5000 }, { startMs: 5000 }, 0],
  ['timeouts', { startMs: 100 }, { startMs: 5000, idleMs: 10 }, { startMs: 100, idleMs: 10 }, 1],
  ['timeouts', undefined, { idleMs: 30_001, totalMs: 600_001 }, {}, 2],
  ['timeouts', { idleMs: 90_000 }, { idleMs: 60_000 }, { idleMs: 60_000 }, 0],
  [
    'timeouts',
    undefined,
    { phases: { connecting: 30_001, initializing: 10 } },
    { phases: { initializing: 10 } },
    1,
  ],
  ['naming', undefined, 'plain', 'plain', 0],
  ['naming', undefined, 'bare', 'double', 1],
  ['naming', 'bare', 'bare', 'bare', 0],
  ['telemetry', undefined, 'https://evil.test', 'off', 1],
  ['telemetry', 'https://mine.test', 'https://evil.test', 'https://mine.test', 1],
  ['telemetry', 'https://mine.test', 'off', 'off', 0],
  ['agents', undefined, ['!cursor'], ['*', '!cursor'], 0],
  ['agents', ['codex', '*'], ['cursor', '*'], ['cursor', 'codex', '*'], 0],
  ['agents', ['codex', 'cursor'], ['!cursor', 'zed', '*'], ['codex', 'cursor', '!cursor'], 1],
  ['agents', ['cursor', '*', '!zed'], ['codex', 'cursor', 'zed'], ['codex', 'cursor'], 1],
  ['agents', ['!zed'], ['cursor', '*', '!codex'], ['cursor', '*', '!zed', '!codex'], 0],
  ['agents', ['!zed'], ['codex', 'zed'], ['codex'], 1],
  ['agents', ['codex'], ['cursor'], [], 1],
  ['agents', [], ['cursor'], [], 1],
  ['agents', undefined, [], [], 0],
  ['agents', undefined, ['*'], ['*'], 0],
];

test.each(tightening)(
  '%s: a project can tighten and never loosen (user %j, project %j)',
  (name, user, wanted, result, warnings) => {
    for (const file of [projectFile, localFile]) {
      const own = user === undefined ? {} : { [userFile]: { [name]: user } };
      const { settings, projectSettings, problems } = loadJson({ ...own, [file]: { [name]: wanted } });
      expect(projectSettings).toEqual({ ...defaults, [name]: result });
      expect(settings).toEqual(settingsTable[name].forOwnServers ? loadJson(own).settings : projectSettings);
      expect(problems.map(({ severity, code, file: where }) => ({ severity, code, file: where }))).toEqual(
        Array.from({ length: warnings }, () => ({ severity: 'warning', code: 'setting-ignored', file })),
      );
    }
  },
);

test('a warning about loosening says what holds and what a project may do', () => {
  const { problems } = loadCase({ [projectFile]: '{\n  "concurrency": 9\n}' });
  expect(problems).toEqual([
    {
      severity: 'warning',
      code: 'setting-ignored',
      file: projectFile,
      line: 2,
      column: 3,
      message: '"concurrency" does not count here: 9 is more than the 8 that holds without it',
      remedy:
        'A project’s settings can tighten and never loosen: it may only get smaller in a project’s file.',
    },
  ]);
});

test('a local file wins over the project’s, below the same ceiling', () => {
  const files = { [userFile]: { concurrency: 10 }, [projectFile]: { concurrency: 2 } };
  expect(loadJson({ ...files, [localFile]: { concurrency: 5 } }).settings.concurrency).toBe(5);
  expect(loadJson({ ...files, [localFile]: { concurrency: 11 } }).settings.concurrency).toBe(2);
});

test('what an administrator has set cannot be changed, and the others are told', () => {
  const { settings, origins, problems } = loadJson(
    {
      [managedFile]: {
        mcpServers: {},
        denied: 1,
        settings: {
          daemon: 'off',
          limits: { messageBytes: 4096 },
          timeouts: { idleMs: 10 },
          permissions: { deny: ['mcp__m'] },
        },
      },
      [userFile]: { daemon: 'auto', timeouts: { startMs: 20 }, permissions: { allow: ['mcp__fs'] } },
      [projectFile]: { limits: { messageBytes: 2048 } },
    },
    { HOLT_TIMEOUTS: '{"idleMs":99}' },
  );
  const managed = { from: 'managed', file: managedFile, line: 1 };
  expect(settings).toEqual({
    ...defaults,
    daemon: 'off',
    limits: { ...usualReceiveLimits, messageBytes: 4096 },
    timeouts: { startMs: 20, idleMs: 10 },
    permissions: {
      allow: [{ rule: 'mcp__fs', origin: { from: 'user', file: userFile, line: 1 } }],
      ask: [],
      deny: [{ rule: 'mcp__m', origin: managed }],
    },
  });
  expect(origins).toMatchObject({ daemon: managed, limits: managed, timeouts: managed });
  expect(problems.map(({ code, file, message }) => ({ code, file, message }))).toEqual(
    [
      ['daemon', userFile],
      ['limits', projectFile],
      ['timeouts', 'HOLT_TIMEOUTS'],
    ].map(([name, file]) => ({
      code: 'setting-ignored',
      file,
      message: `"${name}" does not count here: an administrator has set it in ${managedFile}`,
    })),
  );
});

test('an administrator’s list of allow rules, even an empty one, takes the others’ away but not what they hold back', () => {
  const { settings, problems } = loadJson({
    [managedFile]: { settings: { permissions: { allow: [] } } },
    [userFile]: { permissions: { allow: ['mcp__fs'], deny: ['mcp__x'] } },
  });
  expect(settings.permissions).toEqual({
    allow: [],
    ask: [],
    deny: [{ rule: 'mcp__x', origin: { from: 'user', file: userFile, line: 1 } }],
  });
  expect(problems.map(({ code, file }) => ({ code, file }))).toEqual([
    { code: 'setting-ignored', file: userFile },
  ]);
});

test('administrators have their file where the system keeps such files', () => {
  const paths = (['linux', 'macos', 'windows'] as const).map((system) => {
    const machine = makeMachine({ os: system });
    return loadSettings(machine, memoryFiles(machine, {})).sources[0]?.file;
  });
  expect(paths).toEqual([
    '/etc/holt/managed.json',
    '/Library/Application Support/holt/managed.json',
    'C:\\ProgramData\\holt\\managed.json',
  ]);
});

test('text that cannot be parsed costs that file and says where', () => {
  const { settings, problems, sources } = loadCase({
    [userFile]: '{\n  "naming" "plain"\n}',
    [projectFile]: '{"concurrency":2}',
  });
  expect(settings).toEqual({ ...defaults, concurrency: 2 });
  expect(problems).toEqual([
    {
      severity: 'error',
      code: 'file-syntax',
      file: userFile,
      line: 2,
      column: 12,
      message: 'not valid JSON: ":" is missing after a property name',
      remedy: 'Fix the text; nothing of this file is used until then.',
    },
  ]);
  expect(sources.find(({ from }) => from === 'user')).toEqual({
    from: 'user',
    file: userFile,
    outcome: 'refused',
  });
});

test('a file that nests too deep or holds no object is refused', () => {
  const deep = loadCase({ [userFile]: `${'{"a":'.repeat(70)}1${'}'.repeat(70)}` });
  expect(deep.problems.map(({ code }) => code)).toEqual(['file-too-deep']);
  const list = loadCase({ [userFile]: '[]', [managedFile]: '{"settings":3}' });
  expect(list.problems.map(({ code, severity, file }) => ({ code, severity, file }))).toEqual([
    { code: 'file-shape', severity: 'error', file: managedFile },
    { code: 'file-shape', severity: 'error', file: userFile },
  ]);
  expect(list.settings).toEqual(defaults);
});

test('empty files, comments, null and hostile keys are harmless', () => {
  const { settings, problems } = loadCase({
    [userFile]: '\ufeff// nothing yet\n',
    [projectFile]:
      '{"concurrency": null, "__proto__": {"daemon": "auto"}, "constructor": 1, "limits": {"constructor": 1, "__proto__": 1}}',
  });
  expect(settings).toEqual(defaults);
  expect(problems.map(({ code }) => code)).toEqual(Array.from({ length: 4 }, () => 'setting-unknown'));
});

test('a key that stands twice counts as written last in the user’s file and not at all in a project’s', () => {
  const twice =
    '{"concurrency": 2,\n"concurrency": 3, "limits": {"messageBytes": 1024, "messageBytes": 2048}}';
  const user = loadCase({ [userFile]: twice });
  expect(user.settings).toEqual({
    ...defaults,
    concurrency: 3,
    limits: { ...usualReceiveLimits, messageBytes: 2048 },
  });
  expect(user.problems.map(({ code, line, message }) => ({ code, line, message }))).toEqual([
    { code: 'entry-duplicate', line: 2, message: '"concurrency" stands here twice; the last one counts' },
    {
      code: 'entry-duplicate',
      line: 2,
      message: '"limits.messageBytes" stands here twice; the last one counts',
    },
  ]);
  const project = loadCase({ [projectFile]: twice });
  expect(project.settings).toEqual(defaults);
  expect(project.problems.map(({ message }) => message)).toEqual([
    '"concurrency" stands here twice; neither counts',
    '"limits.messageBytes" stands here twice; neither counts',
  ]);
});

test('where the home folder is the project there are no project’s files', () => {
  const machine = { ...makeMachine(), projectRoot: '/home/ada', hasProject: false };
  const files = memoryFiles(machine, {
    '/home/ada/.holt/config.json': '{"daemon":"auto"}',
    '/home/ada/.holt/config.local.json': '{"concurrency":2}',
  });
  const { settings, sources, problems } = loadSettings(machine, files);
  expect(settings).toEqual({ ...defaults, daemon: 'auto' });
  expect(sources.map(({ from }) => from)).toEqual(['managed', 'user']);
  expect(problems).toEqual([]);
});

test('a settings folder that lies inside the project is the project’s', () => {
  const machine = makeMachine({ env: { HOLT_HOME: '/srv/shop/sub' } });
  const { settings, problems } = loadSettings(
    machine,
    memoryFiles(machine, { '/srv/shop/sub/config.json': '{"daemon":"auto","concurrency":2}' }),
  );
  expect(settings).toEqual({ ...defaults, concurrency: 2 });
  expect(problems.map(({ code, file }) => ({ code, file }))).toEqual([
    { code: 'setting-ignored', file: '/srv/shop/sub/config.json' },
  ]);

  const same = makeMachine({ env: { HOLT_HOME: '/srv/shop/.holt' } });
  const once = loadSettings(same, memoryFiles(same, { [projectFile]: '{"daemon":"auto"}' }));
  expect(once.problems).toHaveLength(1);
  expect(once.sources.map(({ from }) => from)).toEqual(['managed', 'local', 'project']);
});

test('a project’s file that is too large, not a file, or writable by others is not read', async () => {
  const root = await mkdtemp(path.join(os.tmpdir(), 'holt-settings-'));
  try {
    const machine = readMachine({ cwd: path.join(root, 'project'), home: path.join(root, 'home'), env: {} });
    const project = path.join(root, 'project', '.holt');
    const home = path.join(root, 'home', '.holt');
    await mkdir(project, { recursive: true });
    await mkdir(home, { recursive: true });
    const file = path.join(project, 'config.json');
    const identity = { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 };
    const codes = (): readonly string[] =>
      loadSettings(
        { ...machine, projectRoot: path.join(root, 'project') },
        realFiles,
        {},
        identity,
      ).problems.map(({ code }) => code);

    await writeFile(file, `{"concurrency": 2}${' '.repeat(1 << 20)}`);
    expect(codes()).toEqual(['file-too-large']);
    await writeFile(path.join(home, 'config.json'), `{"concurrency": 2}${' '.repeat(1 << 20)}`);
    await writeFile(file, '{"concurrency": 2}');
    expect(codes()).toEqual([]);
    await chmod(file, 0o666);
    expect(codes()).toEqual(['file-unsafe']);
    await writeFile(
      path.join(home, 'config.json'),
      JSON.stringify({ trust: { safeDirectories: [path.join(root, 'project')] } }),
    );
    expect(codes()).toEqual([]);
    await rm(file);
    await mkdir(file);
    expect(codes()).toEqual(['file-not-regular']);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});

/** One layer with some settings, as loading would have made it. */
function layerOf(from: SettingsLayer['from'], values: Partial<Record<SettingName, unknown>>): SettingsLayer {
  const guarded = from === 'project' || from === 'local';
  const source = {
    from,
    guarded,
    file: `/${from}`,
    position: () => ({ line: 1, column: 1 }),
    report: () => undefined,
  };
  const given = settingNames
    .filter((name) => values[name] !== undefined)
    .map((name) => readTextSetting(name, JSON.stringify(values[name]), source));
  return { from, guarded, given: Object.assign({}, ...given) };
}

const rules = fc.array(fc.constantFrom('mcp__a', 'mcp__b'), { maxLength: 2 });
const agentList = fc.array(fc.constantFrom('*', 'codex', 'cursor', 'zed', '!codex', '!cursor', '!zed'), {
  maxLength: 4,
});
const someSettings = fc.record(
  {
    agents: agentList,
    naming: fc.constantFrom('double', 'single', 'plain', 'bare'),
    concurrency: fc.integer({ min: 1, max: 1024 }),
    daemon: fc.constantFrom('off', 'auto'),
    telemetry: fc.constantFrom('off', 'https://a.test', 'https://b.test'),
    permissions: fc.record({ allow: rules, ask: rules, deny: rules }, { requiredKeys: [] }),
    timeouts: fc.record(
      { startMs: fc.integer({ min: 1, max: 9 }), idleMs: fc.integer({ min: 1, max: 90_000 }) },
      { requiredKeys: [] },
    ),
    limits: fc.record({ messageBytes: fc.integer({ min: 1024, max: 64 << 20 }) }, { requiredKeys: [] }),
  },
  { requiredKeys: [] },
);
const someLayers = fc
  .record(
    Object.fromEntries(layerNames.filter((name) => name !== 'default').map((name) => [name, someSettings])),
    { requiredKeys: [] },
  )
  .map((layers) =>
    layerNames.flatMap((name) => (layers[name] === undefined ? [] : [layerOf(name, layers[name])])),
  );

test('what holds does not depend on the order in which layers are read', () => {
  const shuffled = someLayers.chain((layers) =>
    fc.tuple(fc.constant(layers), fc.shuffledSubarray(layers, { minLength: layers.length })),
  );
  fc.assert(
    fc.property(shuffled, ([layers, other]) => {
      expect(combineLayers(other)).toEqual(combineLayers(layers));
    }),
  );
});

function selects({ agents }: Settings, id: string): boolean {
  return selectAgents(agents).some((agent) => agent.id === id);
}

test('T124: no project’s file, whatever it says, loosens anything, nor sets limits or agents of the user’s servers', () => {
  fc.assert(
    fc.property(someSettings, someSettings, someSettings, (user, project, local) => {
      const own = combineLayers([layerOf('user', user)]).settings;
      const loaded = combineLayers([
        layerOf('user', user),
        layerOf('project', project),
        layerOf('local', local),
      ]);
      const all = loaded.projectSettings;
      for (const name of settingNames.filter((each) => settingsTable[each].forOwnServers))
        expect(loaded.settings[name]).toEqual(own[name]);
      expect(all.concurrency).toBeLessThanOrEqual(own.concurrency);
      expect(all.limits.messageBytes).toBeLessThanOrEqual(own.limits.messageBytes);
      expect(all.timeouts.idleMs ?? 0).toBeLessThanOrEqual(own.timeouts.idleMs ?? 30_000);
      expect(all.daemon).toBe(own.daemon);
      expect(['off', own.telemetry]).toContain(all.telemetry);
      expect(all.permissions.deny).toEqual(expect.arrayContaining([...own.permissions.deny]));
      expect(all.permissions.ask).toEqual(expect.arrayContaining([...own.permissions.ask]));
      expect(all.permissions.allow.filter(({ origin }) => origin.from === 'user')).toEqual(
        own.permissions.allow,
      );
      for (const id of ['codex', 'cursor', 'zed', 'holt'])
        expect(!selects(all, id) || selects(own, id)).toBe(true);
    }),
  );
});
