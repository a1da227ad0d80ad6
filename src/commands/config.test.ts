import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { realFiles } from '../platform/files/files.ts';
import { readMachine } from '../platform/machine-facts.ts';
import { schemaDocuments } from '../settings/json-schema.ts';
import { settingNames } from '../settings/settings.ts';
import { createStyle } from '../terminal/style.ts';
import type { CommandContext } from './command.ts';
import { config } from './config.ts';

const style = createStyle({ isTerminal: false, env: {} });
let root: string;
let userFile: string;
let projectFile: string;

beforeEach(async () => {
  root = await mkdtemp(path.join(os.tmpdir(), 'holt-config-'));
  await mkdir(path.join(root, 'home'));
  await mkdir(path.join(root, 'project', '.git'), { recursive: true });
  const { holtHome, projectRoot } = contextWith().machine;
  userFile = path.join(holtHome, 'config.json');
  projectFile = path.join(projectRoot, '.holt', 'config.json');
});

afterEach(() => rm(root, { recursive: true, force: true }));

function contextWith(env: Record<string, string> = {}, cwd = 'project'): CommandContext {
  const machine = readMachine({ cwd: path.join(root, cwd), home: path.join(root, 'home'), env });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- settings need nothing else of the world
  return { machine, editing: { machine, files: realFiles, now: Date.now } } as CommandContext;
}

interface Ran {
  readonly lines: readonly string[];
  readonly json: unknown;
  readonly exitCode: number;
}

interface How {
  readonly flags?: readonly string[];
  readonly scope?: string;
  readonly context?: CommandContext;
}

async function run(
  words: readonly string[],
  { flags = [], scope, context = contextWith() }: How = {},
): Promise<Ran> {
  const values = scope === undefined ? {} : { scope: [scope] };
  const data = await config.run(
    { positionals: words, flags: new Set(flags), values, rest: undefined },
    context,
  );
  return {
    lines: config.render(data, style),
    json: JSON.parse(JSON.stringify(config.json(data))),
    exitCode: config.exitCode?.(data) ?? 0,
  };
}

async function write(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, text);
}

test('get prints one value, and with --origin its source', async () => {
  await write(userFile, '{\n  "naming": "plain",\n  "limits": {"messageBytes": 2048}\n}');
  expect(await run(['get', 'naming'])).toEqual({
    lines: ['plain'],
    json: { name: 'naming', value: 'plain', origin: { from: 'user', file: userFile, line: 2 } },
    exitCode: 0,
  });
  expect((await run(['get', 'limits.messageBytes'], { flags: ['origin'] })).lines).toEqual([
    `2048  user, ${userFile}:3`,
  ]);
  expect((await run(['get', 'results'], { flags: ['origin'] })).lines).toEqual(['262144  default']);
  expect(await run(['get', 'timeouts.startMs'])).toEqual({
    lines: ['not set'],
    json: { name: 'timeouts.startMs', value: null, origin: { from: 'default' } },
    exitCode: 0,
  });
});

test('the origin of a part is the layer that has that part', async () => {
  await write(userFile, '{"timeouts": {"idleMs": 5, "startMs": 7}}');
  const context = contextWith({ HOLT_TIMEOUTS: '{"startMs":6}' });
  const lines = await Promise.all(
    ['timeouts', 'timeouts.idleMs', 'timeouts.startMs'].map(async (name) => {
      const ran = await run(['get', name], { flags: ['origin'], context });
      return ran.lines[0];
    }),
  );
  expect(lines).toEqual([
    '{"idleMs":5,"startMs":6}  environment, HOLT_TIMEOUTS',
    `5  user, ${userFile}:1`,
    '6  environment, HOLT_TIMEOUTS',
  ]);
});

test('T124: a project’s value is shown beside the one that applies to the user’s servers, and does not replace it', async () => {
  await write(userFile, '{"timeouts": {"startMs": 900}}');
  await write(projectFile, '{\n"timeouts": {"startMs": 5, "idleMs": 6},\n"agents": ["!cursor"]}');
  const own = '(only for servers that the project defines)';
  const get = (name: string): Promise<Ran> => run(['get', name], { flags: ['origin'] });
  expect(await get('timeouts.startMs')).toEqual({
    lines: [`900  user, ${userFile}:1`, `5  project, ${projectFile}:2 ${own}`],
    json: {
      name: 'timeouts.startMs',
      value: 900,
      origin: { from: 'user', file: userFile, line: 1 },
      forProject: { value: 5, origin: { from: 'project', file: projectFile, line: 2 } },
    },
    exitCode: 0,
  });
  expect((await get('timeouts.idleMs')).lines).toEqual([
    'not set  default',
    `6  project, ${projectFile}:2 ${own}`,
  ]);
  expect((await run(['get', 'agents'])).lines).toEqual(['["*"]']);
  expect((await run(['get'])).json).toMatchObject({
    settings: { agents: ['*'], timeouts: { startMs: 900 } },
    origins: { agents: { from: 'default' } },
    forProject: { agents: { value: ['*', '!cursor'] }, timeouts: { value: { startMs: 5, idleMs: 6 } } },
  });
  const context = contextWith({ HOLT_TIMEOUTS: '{"startMs":7}' });
  expect((await run(['get', 'timeouts.startMs'], { flags: ['origin'], context })).lines).toEqual([
    '7  environment, HOLT_TIMEOUTS',
  ]);
});

test('a setting that is saved for the project’s own servers has the last word there', async () => {
  await write(userFile, '{"timeouts": {"startMs": 900}}');
  const saved = await run(['set', 'timeouts.startMs', '5'], { scope: 'project' });
  expect(saved.lines).toEqual([`wrote ${projectFile}`, 'timeouts.startMs = 5']);
});

test('get alone, and nothing at all, shows all settings', async () => {
  await write(userFile, '{"permissions": {"deny": ["mcp__x"]}}');
  const all = await run(['get']);
  expect(all).toEqual(await run([]));
  expect(all.lines.map((line) => line.split(/\s+/)[0])).toEqual(settingNames);
  expect(all.lines).toContain('permissions      {"allow":[],"ask":[],"deny":["mcp__x"]}');
  expect(all.json).toMatchObject({
    settings: { naming: 'double', permissions: { allow: [], ask: [], deny: ['mcp__x'] } },
    origins: { naming: { from: 'default' }, permissions: { from: 'user', file: userFile, line: 1 } },
  });
});

test('with --origin each rule has its place', async () => {
  await write(userFile, '{"permissions": {"deny": ["mcp__x"]}}');
  await write(projectFile, '{"permissions": {\n"deny": ["mcp__y"]}}');
  expect((await run(['get', 'permissions.deny'], { flags: ['origin'] })).json).toMatchObject({
    value: [
      { rule: 'mcp__y', origin: { from: 'project', file: projectFile, line: 2 } },
      { rule: 'mcp__x', origin: { from: 'user', file: userFile, line: 1 } },
    ],
  });
});

test('secrets in URLs and arguments are not shown, and control characters are made visible', async () => {
  const hook = { command: 'log', args: ['--token', 'hunter2hunter2'] };
  await write(
    userFile,
    JSON.stringify({
      network: { proxy: 'http://ada:hunter2@proxy.test:3128' },
      hooks: { 'tool.execute.after': [hook] },
      telemetry: 'https://otlp.test/\u001b[31m',
    }),
  );
  const { lines: table, json } = await run(['get']);
  const lines = [...table, ...(await run(['get', 'telemetry'])).lines];
  expect(lines.join('\n') + JSON.stringify(json)).not.toContain('hunter2');
  expect(lines.join('\n')).not.toContain('\u001b');
});

test('set writes the user’s file, preserves comments and prints its path', async () => {
  await write(userFile, '{\n  // mine\n  "naming": "plain"\n}\n');
  expect(await run(['set', 'limits.messageBytes', '4096'])).toEqual({
    lines: [`wrote ${userFile}`, 'limits.messageBytes = 4096'],
    json: {
      file: userFile,
      outcome: 'changed',
      name: 'limits.messageBytes',
      value: 4096,
      warnings: [],
      notes: [],
      problems: [],
    },
    exitCode: 0,
  });
  expect(await readFile(userFile, 'utf8')).toBe(
    '{\n  // mine\n  "naming": "plain",\n  "limits": {\n    "messageBytes": 4096\n  }\n}\n',
  );
});

test('set takes JSON, else text, and words with commas for a list', async () => {
  await run(['set', 'naming', 'single']);
  await run(['set', 'daemon', '"auto"']);
  await run(['set', 'agents', 'codex,!cursor,*']);
  await run(['set', 'permissions.deny', '["mcp__x"]']);
  await run(['set', 'concurrency', '2'], { scope: 'project' });
  const written = JSON.parse(await readFile(userFile, 'utf8'));
  expect(written).toEqual({
    $schema: './cache/schemas/config.json',
    naming: 'single',
    daemon: 'auto',
    agents: ['codex', '!cursor', '*'],
    permissions: { deny: ['mcp__x'] },
  });
  expect(JSON.parse(await readFile(projectFile, 'utf8'))).toMatchObject({ concurrency: 2 });
});

test('set null takes a setting out again', async () => {
  await write(userFile, '{\n  "naming": "plain",\n  "concurrency": 2\n}\n');
  expect((await run(['set', 'naming', 'null'])).lines).toEqual([
    `wrote ${userFile}`,
    'naming is no longer set',
  ]);
  expect(await readFile(userFile, 'utf8')).toBe('{\n  "concurrency": 2\n}\n');
  expect((await run(['set', 'naming', 'null'])).lines[0]).toBe(`nothing to change in ${userFile}`);
});

test('set reports when another file takes precedence, and when a project’s value has no effect', async () => {
  const ran = await run(['set', 'naming', 'plain'], { context: contextWith({ HOLT_NAMING: 'single' }) });
  expect(ran.lines).toEqual([
    `wrote ${userFile}`,
    'naming = plain',
    'Another file takes precedence: environment, HOLT_NAMING',
  ]);
  const loose = await run(['set', 'concurrency', '99'], { scope: 'project' });
  expect(loose.lines.slice(0, 4)).toEqual([
    `wrote ${projectFile}`,
    'concurrency = 99',
    'Another file takes precedence: default',
    `${projectFile}:2:3: warning: "concurrency" does not count here: 99 is more than the 8 that holds without it`,
  ]);
});

test.each([
  [['set', 'naming'], {}, 'holt config set takes a name and a value'],
  [['set', 'naming', 'a', 'b'], {}, 'holt config set takes a name and a value'],
  [['set', 'namin', 'plain'], {}, 'Unknown setting "namin"'],
  [['set', 'concurrency', 'many'], {}, '"concurrency" must be a whole number from 1 to 1024, but is "many"'],
  [['set', 'daemon', 'auto'], { scope: 'project' }, '"daemon" has no effect in a project’s file'],
  [['set', 'naming', 'plain'], { scope: 'managed' }, 'Unknown scope "managed"'],
  [['get', 'nam'], {}, 'Unknown setting "nam"'],
  [['get', 'naming', 'agents'], {}, 'holt config get takes one name'],
  [['gte'], {}, 'Unknown command "config gte"'],
  [['constructor'], {}, 'Unknown command "config constructor"'],
  [['path', 'x'], {}, 'holt config path takes no arguments'],
  [['schema', 'mpc'], {}, 'Unknown schema "mpc"'],
])('%j %j is wrong usage: %s', async (words, how, message) => {
  await expect(run(words, how)).rejects.toMatchObject({ code: 'usage-invalid', message });
});

test('an unknown setting or sub-command suggests the nearest', async () => {
  await expect(run(['get', 'limits.mesageBytes'])).rejects.toMatchObject({
    details: { given: 'limits.mesageBytes', nearest: 'limits.messageBytes' },
    remedy: 'Did you mean "limits.messageBytes"?',
  });
  await expect(run(['vaildate'])).rejects.toMatchObject({
    details: { given: 'vaildate', nearest: 'validate' },
    remedy: 'Did you mean "validate"?',
  });
});

test('there is no project’s scope in the home folder', async () => {
  const context = { ...contextWith({}, 'home') };
  await expect(run(['set', 'naming', 'plain'], { scope: 'project', context })).rejects.toMatchObject({
    code: 'usage-invalid',
    message: 'There is no project here: this is your home folder',
  });
});

test('path lists the files, the strongest first', async () => {
  await write(userFile, '{}');
  const { json, lines } = await run(['path']);
  const local = path.join(path.dirname(projectFile), 'config.local.json');
  expect(json).toEqual({
    files: [
      { scope: 'managed', file: '/etc/holt/managed.json', exists: false },
      { scope: 'local', file: local, exists: false },
      { scope: 'project', file: projectFile, exists: false },
      { scope: 'user', file: userFile, exists: true },
    ],
  });
  expect(lines.at(-1)).toBe(`user     ${userFile}`);
});

test('validate is content with good files and with warnings', async () => {
  await write(userFile, '{"naming": "plain"}');
  expect(await run(['validate'])).toMatchObject({
    lines: ['ok: 1 settings file, nothing wrong'],
    json: { ok: true, problems: [] },
    exitCode: 0,
  });
  await write(projectFile, '{"daemn": "auto"}');
  expect(await run(['validate'])).toMatchObject({
    lines: [`${projectFile}:1:2: warning: unknown setting "daemn"`, '  Did you mean "daemon"?'],
    exitCode: 0,
  });
});

test('validate fails for values that do not fit and for broken text', async () => {
  await write(userFile, '{"naming": "triple"}');
  expect(await run(['validate'])).toMatchObject({ json: { ok: false }, exitCode: 1 });
  await write(userFile, '{"naming" }');
  expect(await run(['validate'])).toMatchObject({
    lines: [
      `${userFile}:1:11: error: not valid JSON: ":" is missing after a property name`,
      '  Fix the text; nothing of this file is used until then.',
    ],
    exitCode: 1,
  });
});

test('schema prints the document itself', async () => {
  const documents = JSON.parse(JSON.stringify(schemaDocuments()));
  expect(JSON.parse((await run(['schema'])).lines.join('\n'))).toEqual(documents.config);
  expect(JSON.parse((await run(['schema', 'mcp'])).lines.join('\n'))).toEqual(documents.mcp);
  expect((await run(['schema', 'mcp'])).json).toEqual({ document: documents.mcp });
});
