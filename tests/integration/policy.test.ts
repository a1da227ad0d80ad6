/** Rules from real files: who may say what about whose servers, and what becomes of an answer for good. */

import fs from 'node:fs/promises';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { realFiles } from '../../src/platform/files/files.ts';
import { readIdentity, readMachine } from '../../src/platform/machine-facts.ts';
import { loadPolicy, policyServer, type LoadPolicyParts } from '../../src/policy/load-policy.ts';
import { createPolicy, type Policy, type PolicyRules, type PolicyVerdict } from '../../src/policy/policy.ts';
import { rememberAlways, type Remembered } from '../../src/policy/remember-answer.ts';
import { findServer } from '../../src/roster/copies.ts';
import { loadRoster, type Roster } from '../../src/roster/load-roster.ts';
import { decisionRecord, withDecision } from '../../src/trust/trust-record.ts';
import { loadApprovals } from '../../src/trust/load-approvals.ts';
import { createTrustStore } from '../../src/trust/trust-store.ts';
import { createSandbox, packageRoot, type Sandbox } from '../support/holt-command.ts';

let box: Sandbox;
beforeEach(async () => {
  box = await createSandbox();
});
afterEach(() => box[Symbol.asyncDispose]());

interface Fixture extends LoadPolicyParts {
  readonly roster: Roster;
  readonly policy: Policy;
}

async function load(
  given?: PolicyRules,
  env: Record<string, string> = {},
  digests: readonly string[] = [],
): Promise<Fixture> {
  const machine = readMachine({ cwd: box.project, home: box.home, env: { HOME: box.home, ...env } });
  const store = createTrustStore(machine, realFiles);
  const approvals = loadApprovals(machine, realFiles, { store, digests });
  const parts = { machine, files: realFiles, identity: readIdentity(), approvals, store, given };
  const roster = await loadRoster({}, parts);
  return { ...parts, roster, policy: createPolicy(await loadPolicy(roster, parts)) };
}

function decide({ roster, policy }: Fixture, name: string, tool: string): PolicyVerdict {
  const entry = findServer(roster, name);
  return policy.decide({ server: entry.ref, tool, ...policyServer(entry) });
}

async function approve(name: string): Promise<void> {
  const { roster, store, ...parts } = await load();
  const { definition } = findServer(roster, name);
  const record = decisionRecord(definition, 'approved', { ...parts, now: () => new Date(0) });
  await store.change((records) => withDecision(records, record));
}

async function remember(name: string, tool: string): Promise<Remembered> {
  const { roster, ...parts } = await load();
  const { ref, definition } = findServer(roster, name);
  const servers = [...roster.servers, ...roster.shadowed].map(policyServer);
  return rememberAlways({ server: ref, tool, definition }, { ...parts, now: Date.now, servers });
}

const servers = (...names: readonly string[]): string =>
  JSON.stringify({ mcpServers: Object.fromEntries(names.map((name) => [name, { command: `run-${name}` }])) });
const otterServer = (name: string): string =>
  JSON.stringify({ mcp: { [name]: { type: 'local', command: [`run-${name}`] } } });
const permissions = (rules: Record<string, unknown>): string =>
  JSON.stringify({ permissions: rules }, undefined, 2);

describe('files with rules', () => {
  test('holt’s own: a decision names the file and the line', async () => {
    await box.write('~/.holt/mcp.json', servers('fs'));
    await box.write('~/.holt/config.json', permissions({ allow: ['mcp__fs__read'], deny: ['mcp__fs__rm'] }));
    const fixture = await load();
    const file = box.place('~/.holt/config.json');
    expect(decide(fixture, 'fs', 'read').rule).toEqual({ text: 'mcp__fs__read', file, line: 4 });
    expect(decide(fixture, 'fs', 'rm')).toEqual({
      decision: 'deny',
      rule: { text: 'mcp__fs__rm', file, line: 7 },
      reason: `is denied by "mcp__fs__rm" in ${file}:7`,
    });
    expect(decide(fixture, 'fs', 'other').decision).toBe('ask');
  });

  test('T08: a project’s server of the same name does not get the permissions of the user’s server', async () => {
    await box.write('~/.claude.json', servers('github'));
    await box.write('~/.claude/settings.json', permissions({ allow: ['mcp__github'] }));
    await box.write('~/.holt/config.json', permissions({ allow: ['mcp__github'] }));
    await box.write('./.mcp.json', JSON.stringify({ mcpServers: { github: { command: 'evil' } } }));
    expect(decide(await load(), 'github', 'x').decision).toBe('allow');
    expect(decide(await load(), 'github@mcp-json', 'x').decision).toBe('ask');
    await approve('github@mcp-json');
    const fixture = await load();
    expect(findServer(fixture.roster, 'github').definition.guarded).toBe(true);
    expect(decide(fixture, 'github', 'x').decision).toBe('ask');
  });

  describe.each([
    ['mink', '~/.claude/.mcp.json', './.claude/.mcp.json', (name: string) => servers(name)],
    ['otter', '~/.opencode/config.json', './.opencode/config.json', otterServer],
  ] as const)('Claude’s settings count for the servers of %s', (_, ofUser, ofProject, entry) => {
    test.each([
      ['both forms of a rule about one tool', (server: string, tool: string) => `mcp__${server}__${tool}`],
      ['both forms of a rule about all tools', (server: string) => `mcp__${server}`],
    ] as const)('%s: allow, ask and deny', async (_form, name) => {
      for (const spelled of [name, (server: string, tool: string) => `Tool(${name(server, tool)})`]) {
        for (const effect of ['allow', 'ask', 'deny'] as const) {
          await box.write(ofUser, entry('mine'));
          await box.write(ofProject, entry('ours'));
          await approve('ours');
          await box.write('~/.claude/settings.json', permissions({ [effect]: [spelled('mine', 'x')] }));
          await box.write('./.claude/settings.json', permissions({ [effect]: [spelled('ours', 'x')] }));
          const fixture = await load({ default: effect === 'ask' ? 'allow' : 'ask' });
          const words = ['mine', 'ours'].map((server) => decide(fixture, server, 'x').decision);
          expect([spelled('s', 't'), effect, ...words]).toEqual([spelled('s', 't'), effect, effect, effect]);
        }
      }
    });

    test('a project’s rule allows nothing of it before it is approved', async () => {
      await box.write(ofProject, entry('ours'));
      await box.write('./.claude/settings.json', permissions({ allow: ['Tool(mcp__ours)'] }));
      expect(decide(await load(), 'ours', 'x').decision).toBe('ask');
    });
  });

  test('Claude’s three files: only rules about servers count, for Claude’s servers and the shared file', async () => {
    await box.write('~/.claude.json', servers('c'));
    await box.write('~/.cursor/mcp.json', servers('u'));
    await box.write('~/.mcp.json', servers('shared'));
    const all = ['mcp__c', 'mcp__u', 'Tool(mcp__shared)', 'Bash(ls)', 'Read'];
    await box.write(
      '~/.claude/settings.json',
      permissions({ allow: all, deny: ['Bash(rm *)', '*', 'WebFetch'] }),
    );
    await box.write('./.claude/settings.json', permissions({ deny: ['mcp__c__project'], allow: ['mcp__u'] }));
    await box.write('./.claude/settings.local.json', permissions({ ask: ['mcp__c__local'] }));
    const fixture = await load();
    const words = [
      ['c', 'x'],
      ['u', 'x'],
      ['shared', 'x'],
      ['c', 'project'],
      ['c', 'local'],
    ].map(([server = '', tool = '']) => decide(fixture, server, tool).decision);
    expect(words).toEqual(['allow', 'ask', 'allow', 'deny', 'ask']);
    expect(fixture.policy.problems.map(({ code, file, line }) => ({ code, file, line }))).toEqual([
      { code: 'self-approval', file: box.place('./.claude/settings.json'), line: 7 },
    ]);
  });

  test('CLAUDE_CONFIG_DIR moves the user’s file; inside the project it is the project’s', async () => {
    await box.write('~/other/settings.json', permissions({ allow: ['mcp__fs'] }));
    await box.write('./claude/settings.json', permissions({ allow: ['mcp__fs'] }));
    await box.write('~/.mcp.json', servers('fs'));
    const moved = await load(undefined, { CLAUDE_CONFIG_DIR: box.place('~/other') });
    expect(decide(moved, 'fs', 'x').decision).toBe('allow');
    const inside = await load(undefined, { CLAUDE_CONFIG_DIR: box.place('./claude') });
    expect(decide(inside, 'fs', 'x').decision).toBe('ask');
  });

  test('a project’s allow counts for its approved servers, and for them alone', async () => {
    await box.write('./.mcp.json', servers('p'));
    await box.write('~/.holt/mcp.json', servers('mine'));
    await box.write(
      './.holt/config.json',
      permissions({ allow: ['mcp__p', 'mcp__mine'], deny: ['mcp__mine__rm'] }),
    );
    const before = await load();
    expect(decide(before, 'p', 'x').decision).toBe('ask');
    await approve('p');
    const after = await load();
    expect(decide(after, 'p', 'x').decision).toBe('allow');
    expect([decide(after, 'mine', 'x').decision, decide(after, 'mine', 'rm').decision]).toEqual([
      'ask',
      'deny',
    ]);
    expect(before.policy.problems.map(({ code }) => code)).toEqual(['self-approval', 'self-approval']);
    expect(after.policy.problems.map(({ code }) => code)).toEqual(['self-approval']);
  });

  test('opencode’s tools and permission, from the user’s files and the project’s', async () => {
    await box.write(
      '~/.config/opencode/opencode.jsonc',
      `{ // mine
        "mcp": { "oc": { "type": "local", "command": ["run"] } },
        "tools": { "oc_off": false, "oc_on": true },
        "permission": { "oc_*": "allow", "oc_write": "ask", "bash": "allow", "oc_args": { "*": "allow", "rm*": "deny" } }
      }`,
    );
    await box.write(
      './opencode.json',
      JSON.stringify({ tools: { 'oc_gone*': false }, permission: { oc_odd: 'never', 'x_*': 'allow' } }),
    );
    await box.write('~/.holt/mcp.json', servers('x'));
    const fixture = await load();
    const words = ['read', 'off', 'on', 'write', 'args', 'gone_1', 'odd'].map(
      (tool) => decide(fixture, 'oc', tool).decision,
    );
    expect(words).toEqual(['allow', 'deny', 'allow', 'ask', 'ask', 'deny', 'ask']);
    expect(decide(fixture, 'x', 'read').decision).toBe('ask');
    expect(decide(fixture, 'oc', 'write').rule).toEqual({
      text: 'oc_write',
      file: box.place('~/.config/opencode/opencode.jsonc'),
      line: 4,
    });
    expect(fixture.policy.problems.map(({ severity, file }) => ({ severity, file }))).toEqual([
      { severity: 'error', file: box.place('./opencode.json') },
    ]);
  });

  test.each(['"deny"', '"ask"', '{ "*": "deny" }'])(
    'opencode’s permission %s is about all tools',
    async (value) => {
      await box.write('~/.holt/mcp.json', servers('fs'));
      await box.write('~/.holt/config.json', permissions({ allow: ['mcp__fs'] }));
      await box.write('./opencode.json', `{ "permission": ${value} }`);
      expect(decide(await load(), 'fs', 'x').decision).toBe(value.includes('deny') ? 'deny' : 'ask');
    },
  );

  test('rules of the program are merged, and its default applies where no rule matches', async () => {
    await box.write('~/.holt/mcp.json', servers('fs', 'db'));
    await box.write('~/.holt/config.json', permissions({ deny: ['mcp__fs__rm'] }));
    const fixture = await load({ default: 'deny', allow: ['mcp__fs'], ask: ['mcp__fs__write'] });
    const words = ['read', 'write', 'rm'].map((tool) => decide(fixture, 'fs', tool).decision);
    expect([...words, decide(fixture, 'db', 'x').decision]).toEqual(['allow', 'ask', 'deny', 'deny']);
    expect(decide(fixture, 'fs', 'read').rule).toEqual({ text: 'mcp__fs' });
  });

  test.each([
    ['~/.holt/config.json', '{ "permissions": '],
    ['~/.claude/settings.json', 'nonsense'],
    ['./.claude/settings.local.json', '{ "permissions": { "deny": [ 5 ] } }'],
    ['./.holt/config.json', '{ "permissions": { "deny": [ 5 ] } }'],
    ['~/.claude/settings.json', '{ "permissions": "none" }'],
    ['./opencode.json', '{'],
  ])('rules of %s that cannot be read put everything to ask (%s)', async (file, text) => {
    await box.write('~/.holt/mcp.json', servers('fs'));
    await box.write(file, text);
    const verdict = decide(await load({ allow: ['mcp__fs'] }), 'fs', 'x');
    expect({ decision: verdict.decision, file: verdict.rule?.file }).toEqual({
      decision: 'ask',
      file: box.place(file),
    });
  });

  test('files without a word about rules change nothing', async () => {
    await box.write('~/.holt/mcp.json', servers('fs'));
    await box.write('~/.claude/settings.json', '{ "permissions": null, "model": "x" }');
    await box.write('./.claude/settings.json', '{ "permissions": { "allow": null, "deny": [] } }');
    await box.write('./opencode.json', '{ "permission": null, "tools": {} }');
    const fixture = await load({ allow: ['mcp__fs'] });
    expect([decide(fixture, 'fs', 'x').decision, fixture.policy.problems]).toEqual(['allow', []]);
  });
});

describe('an answer for good', () => {
  test('becomes a rule in the user’s file, and every comment stays', async () => {
    await box.write('~/.holt/mcp.json', servers('fs'));
    const text = `{
  // how I like it
  "permissions": {
    "allow": [
      "mcp__db", // the small one
    ],
  },
}
`;
    const file = await box.write('~/.holt/config.json', text);
    expect(await remember('fs', 'read')).toEqual({ kind: 'saved', file, rule: 'mcp__fs__read' });
    expect(await fs.readFile(file, 'utf8')).toBe(
      text.replace('// the small one\n', '// the small one\n      "mcp__fs__read",\n'),
    );
    const fixture = await load();
    expect([decide(fixture, 'fs', 'read').decision, decide(fixture, 'fs', 'write').decision]).toEqual([
      'allow',
      'ask',
    ]);
    await remember('fs', 'read');
    expect((await fs.readFile(file, 'utf8')).split('mcp__fs__read')).toHaveLength(2);
  });

  test('makes the file where there is none, private, and names the pair alone', async () => {
    await box.write('~/.holt/mcp.json', servers('a', 'a__b', 'my.fs'));
    await remember('a__b', 'c');
    await remember('a', 'b__c');
    await remember('my.fs', 'read file');
    const fixture = await load();
    expect(decide(fixture, 'a__b', 'c').decision).toBe('allow');
    expect(decide(fixture, 'a', 'b__c').decision).toBe('allow');
    expect(decide(fixture, 'my.fs', 'read file').decision).toBe('allow');
    expect(decide(fixture, 'my.fs', 'read_file').decision).toBe('ask');
    expect(fixture.policy.problems).toEqual([]);
    const written = JSON.parse(await fs.readFile(box.place('~/.holt/config.json'), 'utf8')) as {
      permissions: { allow: string[] };
    };
    expect(written.permissions.allow).toEqual([
      expect.stringMatching(/^mcp__a__b__c_[0-9a-f]{8}$/),
      expect.stringMatching(/^mcp__a__b__c_[0-9a-f]{8}$/),
      expect.stringMatching(/^mcp__my_fs__read_file_[0-9a-f]{8}$/),
    ]);
  });

  test('about a project’s server is stored with its approval, and ends with it', async () => {
    await box.write('./.mcp.json', servers('p', 'q'));
    await approve('p');
    await approve('q');
    const file = box.place('~/.holt/trust.json');
    expect(await remember('p', 'read')).toEqual({ kind: 'saved', file, rule: 'read' });
    await remember('p', 'list');
    const fixture = await load();
    expect(decide(fixture, 'p', 'read')).toEqual({
      decision: 'allow',
      rule: { text: 'always', file },
      reason: `is allowed by an answer for good, "always" in ${file}`,
    });
    expect([decide(fixture, 'p', 'list').decision, decide(fixture, 'p', 'rm').decision]).toEqual([
      'allow',
      'ask',
    ]);
    expect(decide(fixture, 'q', 'read').decision).toBe('ask');
    await expect(fs.access(path.join(box.home, '.holt', 'config.json'))).rejects.toThrow(/ENOENT/);

    await box.write('./.mcp.json', JSON.stringify({ mcpServers: { p: { command: 'other' } } }));
    expect(decide(await load(), 'p', 'read').decision).toBe('ask');
    await approve('p');
    expect(decide(await load(), 'p', 'read').decision).toBe('ask');
  });

  test('does not hold for a changed entry that is approved for one run', async () => {
    await box.write('./.mcp.json', servers('p'));
    await approve('p');
    await remember('p', 'read');
    await box.write('./.mcp.json', JSON.stringify({ mcpServers: { p: { command: 'other' } } }));
    const { roster, approvals } = await load();
    const { digest } = approvals.fingerprintOf(findServer(roster, 'p').definition);
    const fixture = await load({}, {}, [digest]);
    expect(policyServer(findServer(fixture.roster, 'p')).approved).toBe(true);
    expect(decide(fixture, 'p', 'read').decision).toBe('ask');
  });

  test('a deny beats it', async () => {
    await box.write('./.mcp.json', servers('p'));
    await approve('p');
    await remember('p', 'read');
    await box.write('~/.holt/config.json', permissions({ deny: ['mcp__p'] }));
    expect(decide(await load(), 'p', 'read').decision).toBe('deny');
  });

  test('about an entry that is approved for one run is not written down', async () => {
    await box.write('./.mcp.json', servers('p'));
    expect(await remember('p', 'read')).toEqual({
      kind: 'not-saved',
      reason: '"p" is approved for this run only',
    });
  });

  test('approvals that were written before there were answers are still read', async () => {
    await box.write('./.mcp.json', servers('p'));
    await approve('p');
    const text = await fs.readFile(box.place('~/.holt/trust.json'), 'utf8');
    expect(text).not.toContain('"allow"');
    const fixture = await load();
    expect([fixture.store.load().map(({ allow }) => allow), decide(fixture, 'p', 'x').decision]).toEqual([
      [undefined],
      'ask',
    ]);
  });
});

test('holt policy explain shows the decision, the rule, the file and the line', async () => {
  const server = path.join(packageRoot, 'dist', 'example-server', 'server.js');
  const entry = { command: process.execPath, args: [server] };
  await box.write('~/.holt/mcp.json', JSON.stringify({ mcpServers: { ex: entry } }));
  const file = await box.write('~/.holt/config.json', permissions({ deny: ['mcp__ex__a*'] }));
  expect(await box.json('policy', 'explain', 'ex.add')).toEqual({
    schema: 1,
    name: 'mcp__ex__add',
    server: 'ex',
    tool: 'add',
    decision: 'deny',
    rule: { text: 'mcp__ex__a*', file, line: 4 },
    reason: `is denied by "mcp__ex__a*" in ${file}:4`,
  });
  const { code, stdout } = await box.holt('policy', 'explain', 'mcp__ex__add');
  expect([code, stdout]).toEqual([
    0,
    [
      'mcp__ex__add  deny',
      '  server  ex',
      '  tool    add',
      '  rule    mcp__ex__a*',
      `  file    ${file}:4`,
      `  reason  is denied by "mcp__ex__a*" in ${file}:4`,
      '',
    ].join('\n'),
  ]);
});

test('holt policy takes explain and one tool', async () => {
  expect((await box.holt('policy')).code).toBe(2);
  expect((await box.holt('policy', 'explain')).code).toBe(2);
  expect((await box.holt('policy', 'explain', 'a', 'b', 'c')).code).toBe(2);
  expect((await box.holt('policy', 'show', 'x')).code).toBe(2);
});

test('holt doctor shows rules that cannot be read and rules that do not count', async () => {
  await box.write('~/.holt/mcp.json', JSON.stringify({ mcpServers: { fs: { command: process.execPath } } }));
  await box.write('~/.holt/config.json', permissions({ allow: ['mcp__*'], deny: ['mcp_fs_rm'] }));
  const { ok, problems } = await box.json<{ ok: boolean; problems: { code: string; line: number }[] }>(
    'doctor',
  );
  expect(ok).toBe(false);
  expect(problems.map(({ code, line }) => ({ code, line }))).toEqual([
    { code: 'setting-invalid', line: 7 },
    { code: 'setting-ignored', line: 4 },
    { code: 'folder-untrusted', line: 1 },
  ]);
});
