/** What a command line makes of its words: those after `--`, options in the wrong place, `mcp`, `help`; and of Ctrl-C. */

import { existsSync } from 'node:fs';
import { chdir, cwd } from 'node:process';
import { mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

import { commandTable } from '../../src/commands/command-table.ts';
import { until } from '../support/processes.ts';
import { openCommandFixture, type CommandRun, type CommandFixture } from '../support/command-fixture.ts';

let fixture: CommandFixture;

beforeAll(async () => {
  fixture = await openCommandFixture();
});

beforeEach(async () => {
  const touch = (name: string): object => ({
    command: 'sh',
    args: ['-c', `touch ${path.join(fixture.home, name)}`],
  });
  await fixture.write('~/.cursor/mcp.json', { mcpServers: { '--all': touch('one'), other: touch('two') } });
  await fixture.write('.mcp.json', { mcpServers: { '-rf': touch('three'), waiting: touch('four') } });
});

afterAll(() => fixture[Symbol.asyncDispose]());

/** What must stand before the name. */
const before: Readonly<Record<string, readonly string[]>> = {
  import: ['--from', 'cursor', '--to', 'codex', '--user', '--yes'],
  policy: ['explain'],
  pin: ['accept'],
  config: ['get'],
};
/** What is named where that is no server. */
const named: Readonly<Record<string, readonly string[]>> = {
  call: ['--all.tool'],
  policy: ['--all.tool'],
  read: ['--all', 'file:///x'],
  prompt: ['--all', 'x'],
};
const isRefused = ({ code }: CommandRun): boolean => code === 2;
const namesOnly = ({ out, error }: CommandRun): boolean =>
  `${out}${error}`.includes('--all') && !/\bother\b|waiting/.test(out);

test.each(commandTable.map(({ name }) => name).filter((name) => !['serve', 'repl', 'search'].includes(name)))(
  'holt %s -- NAME means that name alone, or is refused',
  async (name) => {
    const words = name === 'overview' ? [] : [name, ...(before[name] ?? [])];
    const run = await fixture.run(...words, '--', ...(named[name] ?? ['--all']));
    expect([run, isRefused(run) || namesOnly(run)]).toEqual([run, true]);
    expect(['two', 'three', 'four'].filter((file) => existsSync(path.join(fixture.home, file)))).toEqual([]);
    await rm(path.join(fixture.home, '.holt/overrides.json'), { force: true });
  },
);

test('a server whose name begins with a dash can be named', async () => {
  await fixture.write('~/.cursor/mcp.json', { mcpServers: { '--all': { command: 'x' } } });
  const got = await fixture.run('get', '--json', '--', '--all');
  expect([got.code, JSON.parse(got.out)]).toMatchObject([0, { server: { name: '--all' } }]);
  const trusted = await fixture.run('trust', '--json', '--', '-rf');
  expect([trusted.code, JSON.parse(trusted.out)]).toMatchObject([4, { entries: [{ name: '-rf' }] }]);
  const removed = await fixture.run('remove', '--agent', 'cursor', '--', '--all');
  expect([removed.code, removed.error]).toEqual([0, '']);
  expect(JSON.parse(await readFile(path.join(fixture.home, '.cursor/mcp.json'), 'utf8'))).toEqual({
    mcpServers: {},
  });
});

test('what follows the dashes of holt add is a program, and a name must stand before them', async () => {
  const added = await fixture.run('add', 'fs', '--user', '--yes', '--', 'fs-server', '--json');
  expect([added.code, added.error]).toEqual([0, '']);
  expect(JSON.parse(await readFile(path.join(fixture.home, '.holt/mcp.json'), 'utf8'))).toMatchObject({
    mcpServers: { fs: { command: 'fs-server', args: ['--json'] } },
  });
  const nameless = await fixture.answering('y', 'add', '--', 'fs-server');
  expect([nameless.code, nameless.error]).toEqual([
    2,
    'holt add needs a name and a command or URL\nholt add NAME -- COMMAND ARGS…\n',
  ]);
});

test.each([
  [['--home', ''], '--home names no folder\nCheck --home.\n'],
  [['--home='], '--home names no folder\nCheck --home.\n'],
  [['--home', '/no/such'], '/no/such is not an existing folder\nCheck --home.\n'],
  [['--home', process.execPath], `${process.execPath} is not an existing folder\nCheck --home.\n`],
  [['--cwd', ''], '--cwd names no folder\nCheck --cwd.\n'],
  [['--cwd', '--home', '/tmp'], '--cwd needs a value\nWrite --cwd DIR.\n'],
  [['--home', '--', 'list'], '--home needs a value\nWrite --home DIR.\n'],
])('%j is refused', async (options, error) => {
  expect(await fixture.bare(...options, 'list')).toEqual({ code: 2, out: '', error });
});

test.each([
  [['mcp', 'list'], ['list']],
  [['-q', 'mcp', 'list'], ['list']],
  [
    ['--json', 'mcp', 'list'],
    ['list', '--json'],
  ],
  [['mcp'], []],
  [['discover'], ['list']],
  [['version'], ['--version']],
  [['tools', 'list'], ['tools']],
  [
    ['search', 'no', 'such', 'words'],
    ['tools', '--search', 'no such words'],
  ],
  [['resources', 'ls'], ['resources']],
  [['prompts', 'list'], ['prompts']],
  [
    ['auth', 'ls'],
    ['auth', 'list'],
  ],
  [['auth'], ['auth', 'list']],
  [['login'], ['auth', 'list']],
  [['help', '--json'], ['help']],
  [
    ['help', 'mcp', 'list', '-q'],
    ['list', '--help'],
  ],
])('%j does what %j does', async (words, same) => {
  const run = await fixture.run(...words);
  expect([run.code, run]).toEqual([0, await fixture.run(...same)]);
});

test('a missing folder is reported with a remedy', async () => {
  const was = cwd();
  const gone = path.join(fixture.home, 'gone');
  await mkdir(gone);
  chdir(gone);
  await rm(gone, { recursive: true });
  const run = await fixture.bare('--home', fixture.home, 'list').finally(() => chdir(was));
  expect(run).toEqual({
    code: 2,
    out: '',
    error:
      'The folder you are in is not there any more\nChange to a folder that is there, or name one with --cwd.\n',
  });
});

test('a denied server is not waited for, and is reported separately', async () => {
  await fixture.write('.mcp.json', { mcpServers: { no: { command: 'x' }, open: { command: 'y' } } });
  await fixture.answering('d', 'trust', 'no');
  const { out } = await fixture.run();
  expect([/waiting for your approval \(1\)/.test(out), /denied \(1\)/.test(out)]).toEqual([true, true]);
  expect(out).toContain('look at what 1 server would run');
  const status = await fixture.run('status', 'no', '--json');
  expect([status.code, JSON.parse(status.out).servers.no.remedy]).toEqual([
    4,
    'holt trust no asks about it again.',
  ]);
});

test('Ctrl-C is reported as an interrupt, and no server is reported as idle', async () => {
  const started = path.join(fixture.home, 'started');
  await fixture.write('~/.cursor/mcp.json', {
    mcpServers: { a: { command: 'sh', args: ['-c', `touch '${started}'; exec cat > /dev/null`] } },
  });
  const isStarted = async (): Promise<void> => {
    await until(() => existsSync(started), 20_000);
    await rm(started);
  };
  for (const words of [['status'], ['test', 'a'], ['call', 'a.t']]) {
    const run = await fixture.interrupted(isStarted, ...words, '--json');
    expect([words, JSON.parse(run.out), run.code]).toEqual([
      words,
      {
        schema: 1,
        error: { code: 'interrupted', message: 'Interrupted', remedy: 'Run it again to start over.' },
      },
      130,
    ]);
  }
});

test('approve and delete are trust and remove, and a lone -v is the version', async () => {
  await fixture.write('~/.cursor/mcp.json', { mcpServers: { gone: { command: 'x' } } });
  expect(await fixture.run('delete', 'gone')).toMatchObject({ code: 0 });
  expect(await fixture.run('approve', 'waiting', '--json')).toMatchObject({ code: 4 });
  expect(await fixture.bare('-v')).toEqual({ code: 0, out: '0.0.0\n', error: '' });
});

test('the agents are listed with their files, and the servers of Claude Desktop are imported', async () => {
  const file = await fixture.write('~/.config/Claude/claude_desktop_config.json', {
    mcpServers: { desk: { command: 'x' } },
  });
  const { out } = await fixture.run('agents', '--json');
  expect(JSON.parse(out)).toMatchObject({
    agents: expect.arrayContaining([
      { agent: 'claude-desktop', files: [{ scope: 'user', file, exists: true, servers: 1 }] },
    ]),
  });
  expect(await fixture.run('add-from-claude-desktop', '--yes')).toMatchObject({ code: 0, error: '' });
  expect(JSON.parse(await readFile(path.join(fixture.home, '.holt/mcp.json'), 'utf8'))).toMatchObject({
    mcpServers: { desk: { command: 'x' } },
  });
});

test.each(['reject', 'reconnect', 'restart', 'rename', 'edit'])(
  'holt %s names the command that does it',
  async (word) => {
    const { code, out, error } = await fixture.run(word, 'waiting');
    expect([code, out, error.split('\n')[0]]).toEqual([2, '', `Unknown command "${word}"`]);
    expect(error).toMatch(/\nholt (trust|test|get) NAME /);
  },
);
