/** A server that is in several agents' files: each copy has its own state and can be named, and none is touched unasked. */

import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { openCommandFixture, type CommandFixture } from '../support/command-fixture.ts';

let fixture: CommandFixture;
beforeEach(async () => {
  fixture = await openCommandFixture();
});
afterEach(() => fixture[Symbol.asyncDispose]());

const document = async (...words: readonly string[]): Promise<Record<string, unknown>> =>
  JSON.parse((await fixture.run('--json', ...words)).out);
const text = (file: string): Promise<string> => readFile(file, 'utf8');
const entry = { command: 'gh-mcp' };

interface Copy {
  readonly ref: string;
  readonly enabled: boolean;
  readonly disabledBy?: object;
}
const copiesOf = async (name: string): Promise<readonly Copy[]> => {
  const { server } = JSON.parse((await fixture.run('get', name, '--json')).out);
  return server.copies;
};

/** The same server in the files of three agents, off in Kilo's and Cursor's by different means. */
async function threeCopies(): Promise<{ windsurf: string; codex: string; cursor: string }> {
  const windsurf = await fixture.write(
    '~/.codeium/windsurf/mcp_config.json',
    '{\n  "mcpServers": {\n    "gh": {\n      "command": "gh-mcp",\n      "disabled": true\n    }\n  }\n}\n',
  );
  const codex = await fixture.write('~/.codex/config.toml', '[mcp_servers.gh]\ncommand = "gh-mcp"\n');
  const cursor = await fixture.write('~/.cursor/mcp.json', { mcpServers: { gh: entry } });
  return { windsurf, codex, cursor };
}

describe('each copy has its own state', () => {
  test('list shows the winner’s, and with --agent that agent’s own', async () => {
    const { windsurf, cursor } = await threeCopies();
    expect(await document('list')).toMatchObject({
      servers: [
        {
          name: 'gh',
          agent: 'codex',
          enabled: true,
          alsoIn: [
            { agent: 'cursor', file: cursor, enabled: true },
            { agent: 'windsurf', file: windsurf, enabled: false },
          ],
        },
      ],
    });
    expect(await document('list', '--agent', 'windsurf')).toMatchObject({
      servers: [{ name: 'gh', agent: 'windsurf', file: windsurf, enabled: false, source: 'user' }],
    });
    expect((await fixture.run('list', '--agent', 'windsurf')).out).toContain('user (disabled)\n');
    expect((await fixture.run('list', '--agent', 'cursor')).out).not.toContain('(disabled)');
  });

  test('list --long shows agent, file and line before the source', async () => {
    const { windsurf, codex } = await threeCopies();
    await fixture.write('~/.cursor/mcp.json', '{"mcpServers": {\n\n"gh": {"command": "other"}}}');
    const cells = ({ out }: { readonly out: string }): readonly (readonly string[])[] =>
      out
        .trimEnd()
        .split('\n')
        .map((row) => row.split(/ {2,}/));
    const head = ['NAME', 'TRANSPORT', 'CONNECT', 'AGENT', 'FILE:LINE', 'SOURCE'];
    const winner = ['gh', 'stdio', 'gh-mcp', 'codex', `${codex}:1`, 'user'];
    expect(cells(await fixture.run('list', '--long'))).toEqual([head, winner]);
    expect(cells(await fixture.run('list', '--long', '--all'))).toEqual([
      head,
      winner,
      ['gh@cursor', 'stdio', 'other', 'cursor', `${path.join(fixture.home, '.cursor/mcp.json')}:3`, 'user'],
    ]);
    expect(cells(await fixture.run('list', '--long', '--agent', 'windsurf'))).toEqual([
      head,
      ['gh', 'stdio', 'gh-mcp', 'windsurf', `${windsurf}:3`, 'user (disabled)'],
    ]);
  });

  test('import takes the state of the agent that is copied from', async () => {
    await threeCopies();
    await fixture.run('import', '--from', 'windsurf', '--scope', 'user', '--yes');
    expect(JSON.parse(await text(path.join(fixture.home, '.holt/mcp.json'))).mcpServers).toEqual({
      gh: { command: 'gh-mcp', enabled: false },
    });
  });

  test('get lists every copy with its place and state, and the file and line that switched it off', async () => {
    const { windsurf, codex, cursor } = await threeCopies();
    await fixture.run('disable', 'gh@cursor');
    const overrides = path.join(fixture.home, '.holt/overrides.json');
    const line = (await text(overrides)).split('\n').findIndex((row) => row.includes('"enabled"')) + 1;
    const user = { agent: '', scope: 'user' };
    const expected = [
      { ...user, ref: 'gh@codex', agent: 'codex', file: codex, line: 1, enabled: true },
      {
        ...user,
        ref: 'gh@cursor',
        agent: 'cursor',
        file: cursor,
        line: 1,
        enabled: false,
        disabledBy: { kind: 'override', file: overrides, line },
      },
      {
        ...user,
        ref: 'gh@windsurf',
        agent: 'windsurf',
        file: windsurf,
        line: 3,
        enabled: false,
        disabledBy: { kind: 'entry', file: windsurf, line: 5 },
      },
    ];
    expect(await copiesOf('gh')).toEqual(expected);
    expect(await copiesOf('gh@windsurf')).toEqual(expected);
    const { out } = await fixture.run('get', 'gh');
    expect(out).toContain(`gh@codex  ${codex}:1 (codex, user), on\n`);
    expect(out).toContain(`gh@windsurf  ${windsurf}:3 (windsurf, user), off: its entry, ${windsurf}:5\n`);
    expect(out).toContain(`off: holt's override, ${overrides}:${line}\n`);
    expect((await fixture.run('get', 'gh@windsurf')).out).toMatch(/^enabled +no: its entry, /m);
  });

  test('what another agent has switched off in a file of its own is named with its line', async () => {
    await fixture.write('~/.copilot/mcp-config.json', { mcpServers: { gh: entry } });
    const settings = await fixture.write(
      '~/.copilot/settings.json',
      '{\n  "disabledMcpServers": [\n    "gh"\n  ]\n}\n',
    );
    expect(await copiesOf('gh')).toMatchObject([
      { ref: 'gh@copilot-cli', enabled: false, disabledBy: { kind: 'switch', file: settings, line: 3 } },
    ]);
  });

  test('a server of the project that was rejected in Claude Code is listed as rejected there', async () => {
    await fixture.write('.mcp.json', { mcpServers: { gh: entry, other: { command: 'o' } } });
    const settings = await fixture.write(
      '.claude/settings.local.json',
      '{\n  "disabledMcpjsonServers": ["gh"]\n}',
    );
    expect(await copiesOf('gh')).toMatchObject([
      {
        ref: 'gh@mcp-json',
        enabled: false,
        disabledBy: { kind: 'switch', file: settings, line: 2 },
        rejectedIn: 'claude-code',
      },
    ]);
    expect((await fixture.run('get', 'gh')).out).toContain(`no: rejected in Claude Code, ${settings}:2\n`);
    const { out } = await fixture.run('list', '--agent', 'claude-code');
    expect(out).toContain('project (disabled) (untrusted) (rejected in Claude Code)\n');
    expect(out).toMatch(/^other .* project \(untrusted\)$/m);
    // Another reader of the file has its own answers.
    expect((await fixture.run('list', '--agent', 'copilot-cli')).out).not.toContain('disabled');
  });

  test('a server of the project that was rejected in Qwen Code is listed as rejected there', async () => {
    await fixture.write('.qwen/settings.json', { mcpServers: { gh: { command: 'gh-mcp' } } });
    const hash = '103a0381403c828b6afd6d07a5a303d612519845a3e5963fdd2b7fd701ecb051';
    const answers = await fixture.write(
      '~/.qwen/mcpApprovals.json',
      JSON.stringify({ [fixture.project]: { gh: { hash, status: 'rejected' } } }, undefined, 2),
    );
    expect(await copiesOf('gh')).toMatchObject([
      { enabled: false, disabledBy: { kind: 'switch', file: answers, line: 3 }, rejectedIn: 'qwen' },
    ]);
    expect((await fixture.run('get', 'gh')).out).toContain(`no: rejected in Qwen Code, ${answers}:3\n`);
  });
});

describe('an entry that two agents read is one entry to change', () => {
  // Kilo reads opencode's files.
  const shared = (more: object): object => ({
    mcp: { gh: { type: 'local', command: ['gh-mcp'], ...more } },
  });
  const read = async (file: string): Promise<unknown> => JSON.parse(await text(file));

  test.each([[[]], [['--everywhere']], [['--agent', 'kilo']]])('with %j', async (more) => {
    const file = await fixture.write('opencode.json', shared({}));
    expect((await copiesOf('gh')).map(({ ref }) => ref)).toEqual(['gh@opencode', 'gh@kilo']);
    const off = await document('disable', 'gh', ...more);
    expect(off).toMatchObject({ how: 'file', file, notes: [], copies: [{ file }] });
    expect(await read(file)).toEqual(shared({ enabled: false }));
    expect((await copiesOf('gh')).map(({ enabled }) => enabled)).toEqual([false, false]);
    expect(await document('enable', 'gh', ...more)).toMatchObject({ how: 'file', notes: [] });
    expect(await document('remove', 'gh', ...more)).toMatchObject({ removed: 'gh', notes: [] });
    expect(await read(file)).toEqual({ mcp: {} });
  });
});

describe('every copy can be named', () => {
  test.each([
    ['gh@cursor', 'cursor'],
    ['gh@cursor:user', 'cursor'],
    ['gh@codex', 'codex'],
    ['gh@Windsurf', 'windsurf'],
  ])('remove %s', async (ref, agent) => {
    const files: Readonly<Record<string, string>> = { ...(await threeCopies()) };
    const before = Object.fromEntries(
      await Promise.all(Object.entries(files).map(async ([id, file]) => [id, await text(file)])),
    );
    expect((await fixture.run('remove', ref)).code).toBe(0);
    for (const [id, file] of Object.entries(files))
      expect([id, (await text(file)) === before[id]]).toEqual([id, id !== agent]);
  });

  test('the copy that is named is the one that holt test starts', async () => {
    await threeCopies();
    const { code, out } = await fixture.run('test', 'gh@windsurf');
    expect([code, out]).toEqual([1, expect.stringContaining('Server "gh@windsurf" is disabled')]);
    // The others are on, and there is no such program.
    expect((await fixture.run('test', 'gh@cursor')).code).toBe(6);
  });

  test('the scope is named where the agent is not enough', async () => {
    await fixture.write('~/.cursor/mcp.json', { mcpServers: { gh: entry } });
    await fixture.write('.cursor/mcp.json', { mcpServers: { gh: { command: 'other' } } });
    expect((await copiesOf('gh')).map(({ ref }) => ref)).toEqual(['gh@cursor:user', 'gh@cursor:project']);
    expect(await fixture.run('get', 'gh@cursor')).toMatchObject({ code: 2 });
    expect(await document('get', 'gh@cursor:project')).toMatchObject({ server: { command: 'other' } });
  });

  test('a name with an @ of its own is taken literally first', async () => {
    await fixture.write('~/.cursor/mcp.json', {
      mcpServers: { 'gh@codex': { command: 'literal' }, gh: entry },
    });
    await fixture.write('~/.codex/config.toml', '[mcp_servers.gh]\ncommand = "second"\n');
    expect(await document('get', 'gh@codex')).toMatchObject({ server: { command: 'literal' } });
    expect(await document('get', 'gh@codex@cursor')).toMatchObject({ server: { command: 'literal' } });
  });

  test('no copy is listed under the name of another server', async () => {
    const cursor = await fixture.write('~/.cursor/mcp.json', {
      mcpServers: { 'gh@codex': { command: 'literal' }, gh: entry },
    });
    const codex = await fixture.write('~/.codex/config.toml', '[mcp_servers.gh]\ncommand = "second"\n');
    const before = await text(cursor);
    expect((await copiesOf('gh')).map(({ ref }) => ref)).toEqual(['gh@codex:user', 'gh@cursor']);
    expect((await fixture.run('remove', 'gh')).error).toContain('holt remove gh@codex:user,');
    expect((await fixture.run('remove', 'gh@codex:user')).code).toBe(0);
    expect([await text(codex), await text(cursor)]).toEqual(['', before]);
  });

  test('what is listed for one scope can be asked for by the name it is listed under', async () => {
    await fixture.write('~/.codex/config.toml', '[mcp_servers.gh]\ncommand = "gh-mcp"\n');
    await fixture.write('~/.cursor/mcp.json', { mcpServers: { gh: { command: 'mine' } } });
    await fixture.write('.cursor/mcp.json', { mcpServers: { gh: { command: 'other' } } });
    const { shadowed } = JSON.parse((await fixture.run('list', '--scope', 'user', '--json')).out);
    expect(shadowed).toMatchObject([{ ref: 'gh@cursor:user', connect: 'mine' }]);
  });

  test.each(['get', 'test', 'remove', 'enable', 'disable'])(
    '%s takes agent and scope in any case and by any name',
    async (command) => {
      await fixture.write('.mcp.json', { mcpServers: { gh: entry } });
      await fixture.write('~/.claude.json', { mcpServers: { gh: { command: 'no-such-program' } } });
      await fixture.write('~/.cursor/mcp.json', { mcpServers: { gh: entry } });
      const { code, error } = await fixture.run(command, 'gh@Claude:User');
      expect([command === 'test' ? 0 : code, error]).toEqual([0, '']);
    },
  );

  test.each(['get', 'test', 'remove', 'enable', 'disable'])(
    '%s names the copies there are where one is missing',
    async (command) => {
      await threeCopies();
      const { code, error } = await fixture.run(command, 'gh@zed');
      expect([code, error]).toEqual([
        2,
        'Unknown server "gh@zed"\n"gh" has gh@codex, gh@cursor, gh@windsurf.\n',
      ]);
    },
  );
});

describe('which copy is meant', () => {
  test('holt’s own, when it has exactly one: the others are named and stay', async () => {
    const { cursor } = await threeCopies();
    await fixture.run('add', 'gh', '--user', '--yes', '--', 'mine');
    const before = await text(cursor);
    const { code, out } = await fixture.run('remove', 'gh');
    expect([code, await text(cursor)]).toEqual([0, before]);
    expect(out).toContain(`removed gh in ${path.join(fixture.home, '.holt/mcp.json')}\n`);
    expect(out).toContain(`"gh" is still defined in ${cursor}:1 (cursor, user, on): holt remove gh@cursor\n`);
  });

  test.each(['remove', 'enable', 'disable'])(
    '%s refuses without a terminal and lists them',
    async (command) => {
      const files = Object.values(await threeCopies());
      const before = await Promise.all(files.map(text));
      const { code, error } = await fixture.run(command, 'gh');
      expect([code, await Promise.all(files.map(text))]).toEqual([2, before]);
      for (const ref of ['gh@codex', 'gh@cursor', 'gh@windsurf']) expect(error).toContain(ref);
      expect(error).toContain(`holt ${command} gh@codex, or use --agent, --scope or --everywhere.`);
      expect(JSON.parse((await fixture.run(command, 'gh', '--json')).out).error.code).toBe(
        'server-ambiguous',
      );
    },
  );

  test('on a terminal it asks', async () => {
    const { codex, cursor } = await threeCopies();
    expect((await fixture.answering('', 'remove', 'gh')).code).toBe(2);
    const { code, out } = await fixture.answering('2', 'remove', 'gh');
    expect([code, JSON.parse(await text(cursor))]).toEqual([0, { mcpServers: {} }]);
    expect(out).toContain(`  1  gh@codex  ${codex}:1 (on)\n`);
  });

  test('--agent and --scope choose one', async () => {
    const { cursor } = await threeCopies();
    await fixture.write('.cursor/mcp.json', { mcpServers: { gh: entry } });
    expect((await fixture.run('remove', 'gh', '--agent', 'cursor')).code).toBe(2);
    expect((await fixture.run('remove', 'gh', '--agent', 'cursor', '--scope', 'user')).code).toBe(0);
    expect(JSON.parse(await text(cursor))).toEqual({ mcpServers: {} });
    const none = await fixture.run('remove', 'gh', '--agent', 'zed');
    expect([none.code, none.error]).toEqual([2, expect.stringContaining('"gh" has no copy of zed\n')]);
  });

  test('--everywhere means all of them, which one undo takes back', async () => {
    const files = Object.values(await threeCopies());
    const before = await Promise.all(files.map(text));
    const removed = await document('remove', 'gh', '--everywhere');
    expect(removed['copies']).toHaveLength(3);
    expect(await document('list')).toMatchObject({ servers: [] });
    expect((await fixture.run('undo')).code).toBe(0);
    expect(await Promise.all(files.map(text))).toEqual(before);
    expect(await document('disable', 'gh', '--everywhere')).toMatchObject({ disabled: 'gh' });
    expect((await copiesOf('gh')).map(({ enabled }) => enabled)).toEqual([false, false, false]);
    await fixture.run('undo');
    expect(await Promise.all(files.map(text))).toEqual(before);
  });

  test('--everywhere and a named copy contradict each other', async () => {
    const files = Object.values(await threeCopies());
    const before = await Promise.all(files.map(text));
    const { code, error } = await fixture.run('remove', 'gh@cursor', '--everywhere');
    expect([code, error.split('\n')[0], await Promise.all(files.map(text))]).toEqual([
      2,
      '--everywhere means every copy, and "gh@cursor" names one',
      before,
    ]);
  });

  test('add and then remove leave every other agent’s entry, however many copies holt has', async () => {
    const files = Object.values(await threeCopies());
    const before = await Promise.all(files.map(text));
    await fixture.run('add', 'gh', '--user', '--yes', '--', 'mine');
    await fixture.run('add', 'gh', '--yes', '--', 'mine');
    const both = await fixture.run('remove', 'gh');
    expect([both.code, both.error]).toEqual([2, expect.stringContaining('gh@holt:project')]);
    for (const scope of ['project', 'user'])
      expect((await fixture.run('remove', 'gh', '--agent', 'holt', '--scope', scope)).code).toBe(0);
    expect((await fixture.run('remove', 'gh')).code).toBe(2);
    expect(await Promise.all(files.map(text))).toEqual(before);
  });

  test('a reader of the shared file may be named for it', async () => {
    const shared = await fixture.write('.mcp.json', { mcpServers: { gh: entry } });
    expect((await fixture.run('remove', 'gh', '--agent', 'claude')).code).toBe(0);
    expect(JSON.parse(await text(shared))).toEqual({ mcpServers: {} });
  });
});

describe('--dry-run shows file, entry and differences, and writes nothing', () => {
  /** Every folder and file of home and project, with what is in it; the cache apart, which reading writes as well. */
  const treeNow = async (): Promise<string> => {
    const root = path.dirname(fixture.home);
    const items = await readdir(root, { recursive: true, withFileTypes: true });
    const rows = items
      .map((item) => ({ item, name: path.join(item.parentPath, item.name) }))
      .filter(({ name }) => !name.startsWith(path.join(fixture.home, '.holt', 'cache')))
      .toSorted((left, right) => (left.name < right.name ? -1 : 1))
      .map(async ({ item, name }) => [name, item.isFile() ? await text(name) : '']);
    return JSON.stringify(await Promise.all(rows));
  };

  test('add', async () => {
    const file = await fixture.write('~/.holt/mcp.json', { mcpServers: { gh: { command: 'old' } } });
    const before = await treeNow();
    const { code, out } = await fixture.run('add', 'gh', '--user', '--replace', '--dry-run', '--', 'new');
    expect([code, await treeNow()]).toEqual([0, before]);
    expect(out).toBe(
      `About to replace MCP server 'gh' (user scope):\n  file:  ${file}\n  entry: {"command":"new"}\n` +
        `  - {"command":"old"}\n  + {"command":"new"}\nnothing was written (--dry-run)\n`,
    );
    expect(await document('add', 'other', '--user', '--dry-run', '--', 'new')).toMatchObject({
      written: false,
      dryRun: true,
      file,
    });
    expect(await treeNow()).toBe(before);
  });

  test.each([
    [['add', 'new', '--dry-run', '--', 'new']],
    [['add', 'new', '--dry-run', '--yes', '--trust', '--', 'new']],
    [['add', 'new', '--dry-run', '--user', '--url', 'https://shop.test/mcp', '--token', 'shop-token']],
    [['add', 'new', '--dry-run', '--user', '--agent', 'codex', '--start-in', 'home', '--', 'new']],
    [['add-json', 'new', '{"command":"new"}', '--dry-run', '--scope', 'local']],
    [['import', '--from', 'cursor', '--to', 'claude', '--dry-run', '--yes']],
    [['import', '--from', 'cursor', '--scope', 'project', '--dry-run']],
    [['remove', 'gh', '--dry-run']],
    [['remove', 'gh', '--everywhere', '--dry-run']],
  ])('holt %j', async (words) => {
    await threeCopies();
    await fixture.run('add', 'gh', '--user', '--yes', '--', 'mine');
    await fixture.run('disable', 'gh@cursor');
    const before = await treeNow();
    const { code, out } = await fixture.run(...words);
    expect([code, await treeNow()]).toEqual([0, before]);
    expect(out).toMatch(/^ {2}[-+] \{/m);
    expect(out).toMatch(/nothing was written \(--dry-run\)\n$/);
  });

  test('import', async () => {
    await fixture.write('~/.omp/agent/mcp.json', {
      mcpServers: { gh: { ...entry, env: { TOKEN: 'MYVAR' } } },
    });
    const before = await treeNow();
    const { code, out } = await fixture.run('import', '--from', 'oh-my-pi', '--to', 'claude', '--dry-run');
    expect([code, await treeNow()]).toEqual([0, before]);
    expect(out).toContain('  + {"command":"gh-mcp","env":{"TOKEN":"${MYVAR}"}}\n');
    expect(out).toContain('warning: env.TOKEN is the variable MYVAR, as the agent it comes from reads it\n');
    expect(out).toMatch(/nothing was written \(--dry-run\)\n$/);
  });

  test('remove', async () => {
    const file = await fixture.write('~/.cursor/mcp.json', { mcpServers: { gh: entry } });
    await fixture.run('disable', 'gh');
    const before = await treeNow();
    const { code, out } = await fixture.run('remove', 'gh', '--dry-run');
    expect([code, await treeNow()]).toEqual([0, before]);
    expect(out).toBe(
      `would be removed: gh in ${file}\n  - {"command":"gh-mcp"}\nnothing was written (--dry-run)\n`,
    );
    expect(await document('remove', 'gh', '--dry-run')).toMatchObject({ dryRun: true, server: 'gh', file });
  });
});
