/** Threats by their ids: what a config file, its place or its text could try. */

import { spawnSync } from 'node:child_process';
import { access, chmod, chown, mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { codex } from '../../src/agents/codex.ts';
import { continueDev } from '../../src/agents/continue.ts';
import type { Problem } from '../../src/kernel/problems.ts';
import { readAgent } from '../support/agent-machine.ts';
import { createSandbox, executable, type Sandbox } from '../support/holt-command.ts';
import { createRealLaunch } from '../support/real-launch.ts';
import { runInTerminal } from '../support/terminal.ts';

interface Listing {
  readonly servers: readonly {
    readonly name: string;
    readonly connect: string;
    readonly scope: string;
    readonly trusted: boolean;
  }[];
  readonly shadowed: readonly { readonly ref: string; readonly connect: string; readonly trusted: boolean }[];
  readonly problems: readonly Problem[];
}

const problemsOf = async (sandbox: Sandbox): Promise<readonly Problem[]> =>
  (await sandbox.json<{ readonly problems: readonly Problem[] }>('doctor')).problems;
const servers = (entries: object): string => JSON.stringify({ mcpServers: entries });

describe('T03: a project cannot approve itself', () => {
  test.each<readonly [string, string, string, string | undefined]>([
    [
      'enableAllProjectMcpServers',
      './.claude/settings.json',
      '{"enableAllProjectMcpServers":true}',
      './.mcp.json',
    ],
    ['enabledMcpjsonServers', './.claude/settings.json', '{"enabledMcpjsonServers":["shop"]}', './.mcp.json'],
    [
      'enableAllProjectMcpServers',
      './.claude/settings.local.json',
      '{"enableAllProjectMcpServers":true}',
      './.mcp.json',
    ],
    [
      'enableAllProjectMcpServers',
      './.mcp.json',
      '{"enableAllProjectMcpServers":true,"mcpServers":{"shop":{"command":"x"}}}',
      undefined,
    ],
    ['trust', './.gemini/settings.json', servers({ shop: { command: 'x', trust: true } }), undefined],
    ['trust', './.qwen/settings.json', servers({ shop: { command: 'x', trust: true } }), undefined],
    [
      'autoApprove',
      './.kiro/settings/mcp.json',
      servers({ shop: { command: 'x', autoApprove: ['*'] } }),
      undefined,
    ],
    ['alwaysAllow', './.roo/mcp.json', servers({ shop: { command: 'x', alwaysAllow: ['a'] } }), undefined],
    [
      'alwaysAllow',
      './.kilocode/mcp.json',
      servers({ shop: { command: 'x', alwaysAllow: ['a'] } }),
      undefined,
    ],
    [
      'approval modes',
      './.codex/config.toml',
      '[mcp_servers.shop]\ncommand = "x"\ndefault_tools_approval_mode = "approve"\n',
      undefined,
    ],
  ])('with %s in %s: it stays untrusted, with one warning', async (key, file, text, entryFile) => {
    await using sandbox = await createSandbox();
    await sandbox.write(file, text);
    if (entryFile !== undefined) await sandbox.write(entryFile, servers({ shop: { command: 'x' } }));
    const { entries } = await sandbox.json<{
      readonly entries: readonly { readonly name: string; readonly state: string }[];
    }>('trust', '--list');
    expect(new Set(entries.map(({ name, state }) => `${name} ${state}`))).toEqual(
      new Set(['shop untrusted']),
    );
    const warnings = (await problemsOf(sandbox)).filter(({ code }) => code === 'self-approval');
    expect(
      warnings.map(({ file: where, severity, message }) => [where, severity, message.includes(key)]),
    ).toEqual([[sandbox.place(file), 'warning', true]]);
  });

  test('with settings of holt’s own: trust is not read from a project', async () => {
    await using sandbox = await createSandbox();
    const file = await sandbox.write('./.holt/config.json', '{"trust":{"safeDirectories":["/"]}}');
    const ignored = (await problemsOf(sandbox)).filter((problem) => problem.file === file);
    expect(ignored.map(({ code, severity }) => [code, severity])).toEqual([['setting-ignored', 'warning']]);
  });

  test('with calls that go unasked in holt’s own file: they are part of what is approved', async () => {
    await using sandbox = await createSandbox();
    const digests = new Set<string>();
    for (const tools of [undefined, { autoApprove: ['delete'] }, { autoApprove: ['delete', 'drop'] }]) {
      await sandbox.write('./.holt/mcp.json', servers({ shop: { command: 'x', tools } }));
      const { entries } = await sandbox.json<{ readonly entries: readonly { readonly digest: string }[] }>(
        'trust',
        '--list',
      );
      digests.add(entries[0]?.digest ?? '');
    }
    expect(digests.size).toBe(3);
  });
});

const isRoot = process.getuid?.() === 0;
/** Runs the executable as another user; only root can. */
function holtAs(uid: number, cwd: string, home: string, ...args: readonly string[]): Listing {
  const { stdout } = spawnSync(process.execPath, [executable, ...args, '--json'], {
    cwd,
    uid,
    gid: uid,
    env: { HOME: home, PATH: process.env['PATH'] },
    encoding: 'utf8',
  });
  return JSON.parse(stdout) as Listing; // the tests say what they expect
}

describe.runIf(isRoot)('T06: a file that another user could have written', () => {
  async function sharedFolder(
    sandbox: Sandbox,
  ): Promise<{ readonly shared: string; readonly mine: string; readonly home: string }> {
    const shared = sandbox.place('./shared');
    const mine = path.join(shared, 'mine');
    const home = path.join(sandbox.home, 'ada');
    await mkdir(mine, { recursive: true });
    await mkdir(home);
    await chmod(path.dirname(sandbox.project), 0o755);
    for (const [folder, uid] of [
      [shared, 1001],
      [mine, 1000],
      [home, 1000],
    ] as const)
      await chown(folder, uid, uid);
    const file = path.join(shared, '.mcp.json');
    await writeFile(file, servers({ theirs: { command: 'touch', args: ['/tmp/pwned'] } }));
    await chown(file, 1001, 1001);
    return { shared, mine, home };
  }

  test('is not read, and its owner is named', async () => {
    await using sandbox = await createSandbox();
    const { shared, mine, home } = await sharedFolder(sandbox);
    await mkdir(path.join(shared, '.git'));
    const { servers: found, problems } = holtAs(1000, mine, home, 'list');
    expect(found).toEqual([]);
    expect(problems.map(({ code, file, message }) => [code, file, message])).toEqual([
      [
        'file-unsafe',
        path.join(shared, '.mcp.json'),
        'the file is not read: it belongs to another user (uid 1001)',
      ],
    ]);
  });

  test('above the folder, without a repository around both, is not even looked for', async () => {
    await using sandbox = await createSandbox();
    const { mine, home } = await sharedFolder(sandbox);
    await mkdir(path.join(mine, '.git'));
    expect(holtAs(1000, mine, home, 'list')).toMatchObject({ servers: [], problems: [] });
  });
});

describe('T07: the project does not decide where holt stores its files', () => {
  test('by a .env file, which is never loaded', async () => {
    await using sandbox = await createSandbox();
    await sandbox.write('./.env', `HOLT_HOME=${sandbox.project}/evil\nCODEX_HOME=${sandbox.project}/evil\n`);
    await sandbox.write('./evil/mcp.json', servers({ evil: { command: 'x' } }));
    await sandbox.write('./evil/config.toml', '[mcp_servers.evil]\ncommand = "x"\n');
    expect(await sandbox.json<Listing>('list')).toMatchObject({ servers: [], problems: [] });
  });

  test('by a variable that was exported for real: refused, and nothing is made there', async () => {
    const home = { HOLT_HOME: '' };
    await using sandbox = await createSandbox(home);
    home.HOLT_HOME = sandbox.place('./.evil');
    for (const words of [['list'], ['trust'], ['doctor'], ['config', 'get']]) {
      const { code, stdout, stderr } = await sandbox.holt(...words);
      expect([code, stdout, stderr.split('\n')[0]]).toEqual([
        1,
        '',
        `${home.HOLT_HOME} lies inside the project ${sandbox.project}, so holt does not use it as its own folder`,
      ]);
    }
    expect((await sandbox.json<{ readonly error: unknown }>('list')).error).toMatchObject({
      code: 'folder-unsafe',
      remedy: 'Unset HOLT_HOME, or set it to a folder outside the project.',
    });
    await expect(access(home.HOLT_HOME)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('by another agent’s variable: what lies in the project is the project’s', async () => {
    const env = { CODEX_HOME: '' };
    await using sandbox = await createSandbox(env);
    env.CODEX_HOME = sandbox.place('./..hidden');
    await sandbox.write('./..hidden/config.toml', '[mcp_servers.evil]\ncommand = "x"\n');
    expect((await sandbox.json<Listing>('list')).servers).toMatchObject([
      { name: 'evil', scope: 'project', trusted: false },
    ]);
  });
});

test('T08: a project’s entry takes a user’s name only once it is approved', async () => {
  await using sandbox = await createSandbox();
  await sandbox.write('~/.cursor/mcp.json', servers({ github: { type: 'http', url: 'https://mine.test' } }));
  await sandbox.write(
    './.cursor/mcp.json',
    servers({ github: { type: 'http', url: 'https://theirs.test' } }),
  );
  const before = await sandbox.json<Listing>('list');
  expect(before.servers).toMatchObject([{ name: 'github', connect: 'https://mine.test', trusted: true }]);
  expect(before.shadowed).toMatchObject([
    { ref: 'github@cursor:project', connect: 'https://theirs.test', trusted: false },
  ]);
  const run = runInTerminal(sandbox, ['trust', 'github']);
  await run.waitFor('[y/N/d]: ');
  run.type('y\r');
  expect(await run.exited).toBe(0);
  const after = await sandbox.json<Listing>('list');
  expect(after.servers).toMatchObject([{ name: 'github', connect: 'https://theirs.test', trusted: true }]);
  expect(after.shadowed).toMatchObject([{ ref: 'github@cursor:user', connect: 'https://mine.test' }]);
});

test('T12: an entry that is passed without a terminal is written only with --yes, and waits for approval', async () => {
  await using sandbox = await createSandbox();
  const entry = JSON.stringify({ command: 'touch', args: [sandbox.place('./ran')] });
  expect((await sandbox.holt('add-json', 'evil', entry)).code).toBe(2);
  expect(await readdir(sandbox.project)).toEqual(['.git']);
  expect((await sandbox.holt('add-json', 'evil', entry, '--yes')).code).toBe(0);
  expect((await sandbox.json<Listing>('list')).servers).toMatchObject([{ name: 'evil', trusted: false }]);
  expect(await readdir(sandbox.project)).toEqual(['.git', '.holt']);
});

test('T13: names such as __proto__ are approved, listed and revoked like any other', async () => {
  await using sandbox = await createSandbox();
  await sandbox.write(
    './.mcp.json',
    '{"mcpServers":{"__proto__":{"command":"sh","args":["-c","echo a"]},"constructor":{"command":"sh","args":["-c","echo b"]}}}',
  );
  const { find, run } = createRealLaunch({
    cwd: sandbox.project,
    home: sandbox.home,
    confirmTrust: async () => 'allow',
  });
  expect([await run(await find('__proto__')), await run(await find('constructor'))]).toEqual(['a\n', 'b\n']);
  const states = async (): Promise<readonly string[]> =>
    (
      await sandbox.json<{ readonly entries: readonly { readonly name: string; readonly state: string }[] }>(
        'trust',
        '--list',
      )
    ).entries.map(({ name, state }) => `${name} ${state}`);
  expect(await states()).toEqual(['__proto__ approved', 'constructor approved']);
  await sandbox.holt('trust', '--revoke', '__proto__');
  expect(await states()).toEqual(['__proto__ untrusted', 'constructor approved']);
  expect(({} as Record<string, unknown>)['command']).toBeUndefined();
});

describe('T131: a long TOML or YAML file', () => {
  const tables = Array.from({ length: 2000 }, (_, at) => `[mcp_servers.s${at}]\ncommand = "x"\n`).join('');
  const lines = Array.from({ length: 2000 }, (_, at) => `  - {name: s${at}, command: x}\n`).join('');
  const blocks = `name: blocks\nversion: 1.0.0\nmcpServers:\n${lines}`;
  test.each([
    ['codex', codex, './.codex/config.toml', '~/.codex/config.toml', tables],
    ['continue', continueDev, './.continue/mcpServers/a.yaml', '~/.continue/mcpServers/a.yaml', blocks],
  ] as const)('T131: of a project is one problem, of the user it is read (%s)', async (...row) => {
    const [, format, shared, own, content] = row;
    const found = await readAgent(format, { files: { [shared]: content } });
    expect([found.definitions, found.problems]).toEqual([
      [],
      [
        expect.objectContaining({
          code: 'file-syntax',
          message: expect.stringContaining('made of more than 10000 parts'),
        }),
      ],
    ]);
    expect((await readAgent(format, { files: { [own]: content } })).definitions.length).toBe(2000);
  });
});

test('T16: a command for a value in a project’s file runs after approval, which shows it, and not before', async () => {
  await using sandbox = await createSandbox();
  const trace = sandbox.place('~/ran');
  await sandbox.write(
    './.holt/mcp.json',
    servers({ shop: { url: 'https://x.test', headers: { A: `!sh -c "touch ${trace}; echo value"` } } }),
  );
  const refused = createRealLaunch({ cwd: sandbox.project, home: sandbox.home });
  await expect(refused.plan(await refused.find('shop'))).rejects.toMatchObject({ code: 'trust-required' });
  await expect(access(trace)).rejects.toMatchObject({ code: 'ENOENT' });
  const shown: string[] = [];
  const asked = createRealLaunch({
    cwd: sandbox.project,
    home: sandbox.home,
    confirmTrust: async ({ commands }) => (shown.push(...commands), 'allow'),
  });
  const plan = await asked.plan(await asked.find('shop'));
  expect([shown, plan.kind !== 'stdio' && plan.headers['A']?.reveal()]).toEqual([
    [`sh -c "touch ${trace}; echo value"`],
    'value',
  ]);
  await access(trace);
});

/** Sequences that move, hide, rename, ring, link or switch something at a terminal. */
const sequences = [
  '\u001b[2J',
  '\u001b[1A\u001b[2K',
  '\u001b]0;title\u0007',
  '\u001b]8;;http://evil.test\u001b\\x',
  '\u001bP1$r\u001b\\',
  '\u001b_x\u001b\\',
  '\u001b^x\u001b\\',
  '\u009b31m',
  '\u009d0;t\u009c',
  '\u0090q\u009c',
  '\r',
  '\b',
  '\u0007',
  '\u007f',
  '\u001bc',
  '\u001b(0',
  '\u000e',
  '\u0085',
  '\u001b[?1049h',
];
const invisible = [
  '\u200b',
  '\u202e',
  '\u2066',
  '\ufeff',
  '\u00ad',
  '\u{e0041}\u{e0042}',
  '\u2028',
  '\ufff9',
  '\u{1d173}',
  '\u115f',
  '\ufe0f',
];

describe('T55, T56: at a real terminal', () => {
  const commands = [
    [],
    ['list', '--all'],
    ['get', 's0'],
    ['get', 's1'],
    ['doctor', '-v'],
    ['trust', '--list'],
    ['list', '--json'],
    ['get', 's0', '--json'],
    ['doctor', '--json'],
    ['get', 'gone\u001b[2J'],
    ['config', 'get'],
    ['completion', 'words', '--', 'get', ''],
  ];

  test('no command lets a byte of foreign text act, whichever field it is in', async () => {
    await using sandbox = await createSandbox();
    const evil = [...sequences, ...invisible].join('|');
    const folder = `./in\u001b[2J\u202e${sequences[7]}`;
    await mkdir(path.join(sandbox.place(folder), '.git'), { recursive: true });
    const entries = {
      s0: { command: evil, args: [evil, `--token=${evil}`], env: { [evil]: evil }, cwd: evil },
      s1: { type: 'http', url: `https://x.test/${evil}?a=${evil}`, headers: { [evil]: evil } },
      s2: { type: evil, url: evil },
      [`n${evil}`]: { command: 'x' },
    };
    await sandbox.write(`${folder}/.mcp.json`, servers(entries));
    await sandbox.write(`${folder}/.holt/config.json`, JSON.stringify({ [evil]: evil, agents: [evil] }));
    await sandbox.write('~/.cursor/mcp.json', `{"mcpServers": ${evil}`);
    for (const words of commands) {
      const run = runInTerminal(sandbox, [...words, '--cwd', sandbox.place(folder)]);
      await run.exited;
      const shown = run.shown().replaceAll('\r\n', '\n');
      const acting = Array.from(shown).filter(
        (character) =>
          character !== '\n' && /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u.test(character),
      );
      expect([words, acting.map((character) => character.codePointAt(0)?.toString(16))]).toEqual([words, []]);
    }
  });

  test.each([...sequences, ...invisible])('a name with %j in it is refused, and shown', async (text) => {
    await using sandbox = await createSandbox();
    await sandbox.write(
      '~/.cursor/mcp.json',
      servers({ [`git${text}hub`]: { command: 'x' }, ok: { command: 'y' } }),
    );
    const { servers: found, problems } = await sandbox.json<Listing>('list');
    expect([found.map(({ name }) => name), problems.map(({ code }) => code)]).toEqual([
      ['ok'],
      ['entry-invalid'],
    ]);
  });
});
