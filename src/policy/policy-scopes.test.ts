import { describe, expect, test } from 'vitest';

import { allow, ask, deny, policyOf, serverOf, type RuleSample } from '../../tests/support/policy-fixture.ts';
import { createPolicy } from './policy.ts';

const messages = (world: ReturnType<typeof policyOf>): readonly string[] =>
  world.policy.problems.map(({ severity, code, message }) => `${severity} ${code}: ${message}`);

describe('whose server a rule may allow', () => {
  const project = { name: 'p', agent: 'mcp-json', scope: 'project', approved: true } as const;
  const rule = (more: object): readonly RuleSample[] => [allow('mcp__p', more)];

  test.each([
    ['user', 'holt', 'allow'],
    ['managed', 'claude-code', 'allow'],
    ['plugin', 'claude-code', 'allow'],
    ['runtime', 'holt', 'allow'],
    ['project', 'mcp-json', 'ask'],
    ['local', 'holt', 'ask'],
  ] as const)('a rule of the user’s file covers a %s definition of %s: %s', (scope, agent, word) => {
    expect(policyOf(rule({}), [{ name: 'p', scope, agent, approved: true }]).word('p', 'x')).toBe(word);
  });

  test('Claude’s local scope lies in the user’s file and is the user’s', () => {
    const local = { name: 'p', agent: 'claude-code', scope: 'local', guarded: false } as const;
    expect(policyOf(rule({}), [local]).word('p', 'x')).toBe('allow');
  });

  test.each([
    ['claude-code', 'allow'],
    ['mcp-json', 'allow'],
    ['chimera-mink', 'allow'],
    ['chimera-otter', 'allow'],
    ['cursor', 'ask'],
    ['holt', 'ask'],
  ] as const)('a rule of Claude’s own file covers a server of %s: %s', (agent, word) => {
    expect(policyOf(rule({ agent: 'claude-code' }), [{ name: 'p', agent }]).word('p', 'x')).toBe(word);
  });

  test('a rule of opencode’s own file does not cover a server of otter', () => {
    const world = policyOf(rule({ agent: 'opencode' }), [{ name: 'p', agent: 'chimera-otter' }]);
    expect(world.word('p', 'x')).toBe('ask');
  });

  test('a rule of a project’s file covers approved servers of the project alone', () => {
    const guarded = { guarded: true, file: '/p/.holt/config.json', line: 2 };
    expect(policyOf(rule(guarded), [project]).word('p', 'x')).toBe('allow');
    const waiting = policyOf(rule(guarded), [{ ...project, approved: false }]);
    expect([waiting.word('p', 'x'), messages(waiting)]).toEqual([
      'ask',
      [
        'warning self-approval: the allow rule "mcp__p" of a project’s file does not count before "p" is approved',
      ],
    ]);
    const users = policyOf(rule(guarded), ['p']);
    expect([users.word('p', 'x'), messages(users)]).toEqual([
      'ask',
      [
        'warning self-approval: the allow rule "mcp__p" of a project’s file does not count: "p" is not this project’s',
      ],
    ]);
  });

  test('a rule of a project’s file that is about nothing here, or about holt itself, is told of', () => {
    const guarded = { guarded: true, file: '/p/.claude/settings.json', agent: 'claude-code' as const };
    const rules = [allow('mcp__gone__x', guarded), allow('holt__*', guarded), allow('mcp__gone__x')];
    expect(messages(policyOf(rules, ['p']))).toEqual([
      'info self-approval: the allow rule "mcp__gone__x" of a project’s file does not count: no server here is called so',
      'warning self-approval: the allow rule "holt__*" of a project’s file does not count: it has no say about holt’s own tools',
    ]);
    const plain = { ...allow('gone_x', guarded), form: 'plain' as const };
    expect(messages(policyOf([plain], ['p']))).toEqual([]);
    // Refused anyhow: once is enough.
    expect(messages(policyOf([allow('mcp__*__x', guarded)], ['p']))).toHaveLength(1);
  });

  test('deny and ask rules match any server, from whichever file', () => {
    for (const more of [
      {},
      { guarded: true },
      { agent: 'claude-code' as const },
      { agent: 'opencode' as const, guarded: true },
    ]) {
      expect(policyOf([deny('mcp__p', more)], [project]).word('p', 'x')).toBe('deny');
      expect(policyOf([ask('mcp__p', more)], ['p'], { default: 'allow' }).word('p', 'x')).toBe('ask');
    }
  });

  test('a rule that has no say is named in the reason', () => {
    expect(policyOf(rule({ file: '/u.json', line: 1 }), [project]).decide('p', 'x').reason).toBe(
      'matches no rule, and the default is ask; the allow rule "mcp__p" in /u.json:1 has no say about this server, which comes from another file',
    );
  });

  test('one that is the same in a file of Claude Code’s, too, counts as Claude Code’s', () => {
    const { ref, definition, approved } = serverOf({ name: 'p' });
    const also = { agent: 'claude-code', scope: 'user', file: '/c.json', line: 1, column: 1 } as const;
    const joined = { ref, approved, definition: { ...definition, alsoIn: [{ ...also, enabled: true }] } };
    const rules = [{ ...allow('mcp__p', { agent: 'claude-code' }), form: 'double', guarded: false } as const];
    const policy = createPolicy({ rules, default: 'ask', servers: [joined], locked: false });
    expect(policy.decide({ server: 'p', tool: 'x', ...joined }).decision).toBe('allow');
  });
});

describe('a rule of Claude Code’s file in a project', () => {
  const also = { agent: 'claude-code', scope: 'user', file: '/c.json', line: 1, column: 1 } as const;

  test.each([
    ['claude-code', 'allow'],
    ['mcp-json', 'allow'],
    ['cursor', 'ask'],
  ] as const)('covers an approved server of %s: %s, wherever else that is written', (agent, word) => {
    const { ref, definition } = serverOf({ name: 'p', agent, scope: 'project' });
    const server = {
      ref,
      definition: { ...definition, alsoIn: [{ ...also, enabled: true }] },
      approved: true,
    };
    const rules = [{ ...allow('mcp__p', { agent: 'claude-code' }), form: 'double', guarded: true } as const];
    const policy = createPolicy({ rules, default: 'ask', servers: [server], locked: false });
    expect(policy.decide({ server: 'p', tool: 'x', ...server }).decision).toBe(word);
  });
});

describe('opencode’s patterns', () => {
  const of = (effect: 'allow' | 'ask' | 'deny', text: string): RuleSample => ({
    effect,
    text,
    form: 'plain',
    agent: 'opencode',
  });
  const mine = { name: 'my', agent: 'opencode' } as const;

  test('they are matched against the plain name', () => {
    const words = (text: string): readonly string[] =>
      ['read', 'write'].map((tool) =>
        policyOf([of('deny', text)], [mine], { default: 'allow' }).word('my', tool),
      );
    expect(words('my_read')).toEqual(['deny', 'allow']);
    expect(words('my_*')).toEqual(['deny', 'deny']);
    expect(words('my*')).toEqual(['deny', 'deny']);
    expect(words('*_write')).toEqual(['allow', 'deny']);
    expect(words('my_rea?')).toEqual(['deny', 'allow']);
    expect(words('mcp__my')).toEqual(['allow', 'allow']);
    expect(words('bash')).toEqual(['allow', 'allow']);
  });

  test('an allow names one server of opencode, or nothing', () => {
    expect(policyOf([of('allow', 'my_*')], [mine]).word('my', 'x')).toBe('allow');
    expect(policyOf([of('allow', 'my_*')], ['my']).word('my', 'x')).toBe('ask');
    const two = policyOf([of('allow', 'my_fs_read')], [mine, { name: 'my_fs', agent: 'opencode' }]);
    expect([two.word('my_fs', 'read'), messages(two).length]).toEqual(['ask', 1]);
    const wide = policyOf([of('allow', '*'), of('allow', 'bash'), of('allow', 'webfetch')], [mine]);
    expect([wide.word('my', 'x'), messages(wide)]).toEqual([
      'ask',
      [
        'info setting-ignored: the allow rule "*" allows no server’s tools: an allow rule names its server, letter for letter',
      ],
    ]);
  });

  test('a deny catches look-alikes of the plain name', () => {
    expect(policyOf([of('deny', 'my_read')], [mine], { default: 'allow' }).word('my', 'Rеad')).toBe('deny');
  });
});

describe('holt’s own tools', () => {
  test('rules name them holt__…, and mcp_auth is never unasked by default', () => {
    const words = (
      rules: readonly RuleSample[],
      fallback: 'allow' | 'ask' | 'deny' = 'ask',
    ): readonly string[] => {
      const { policy } = policyOf(rules, ['fs'], { default: fallback });
      return ['list_mcp_resources', 'mcp_auth'].map((tool) => policy.decideBuiltIn(tool).decision);
    };
    expect(words([])).toEqual(['ask', 'ask']);
    expect(words([], 'allow')).toEqual(['allow', 'ask']);
    expect(words([], 'deny')).toEqual(['deny', 'deny']);
    expect(words([allow('holt__mcp_auth')])).toEqual(['ask', 'allow']);
    expect(words([allow('holt__*')])).toEqual(['allow', 'allow']);
    expect(words([deny('holt__mcp_*'), allow('holt__*')])).toEqual(['allow', 'deny']);
    expect(words([deny('*')], 'allow')).toEqual(['deny', 'deny']);
    expect(words([allow('holt__*', { guarded: true })])).toEqual(['ask', 'ask']);
    expect(words([deny('nonsense')], 'allow')).toEqual(['ask', 'ask']);
  });

  test('T68: a server called holt has no part in them', () => {
    const world = policyOf([allow('holt__mcp_auth'), allow('holt__*')], ['holt', 'holt__']);
    expect([world.word('holt', 'mcp_auth'), world.word('holt__', 'mcp_auth')]).toEqual(['ask', 'ask']);
    const { policy } = policyOf([allow('mcp__holt')], ['holt']);
    expect(policy.decideBuiltIn('mcp_auth').decision).toBe('ask');
  });
});

describe('lists in a server’s own entry', () => {
  test('what an entry leaves out is denied, whatever allows it', () => {
    const world = policyOf([allow('mcp__fs')], [{ name: 'fs', tools: { exclude: ['rm'] } }]);
    expect(world.decide('fs', 'rm')).toEqual({
      decision: 'deny',
      rule: { text: 'tools', file: '/holt/user.json', line: 7 },
      reason: 'is left out by the list of tools of the server, "tools" in /holt/user.json:7',
    });
    expect(world.word('fs', 'ls')).toBe('allow');
  });

  test('what goes unasked by the entry is allowed, unless a rule says otherwise', () => {
    const entry = { name: 'fs', agent: 'kiro', tools: { autoApprove: ['ls', 'rm'] } } as const;
    const world = policyOf([ask('mcp__fs__rm')], [entry]);
    expect(world.decide('fs', 'ls')).toMatchObject({ decision: 'allow', rule: { text: 'autoApprove' } });
    expect([world.word('fs', 'rm'), world.word('fs', 'cat')]).toEqual(['ask', 'ask']);
  });

  test('T66: what a tool says about itself has no part in it', () => {
    const annotated = {
      ...serverOf({ name: 'fs' }),
      server: 'fs',
      tool: 'delete',
      annotations: { readOnlyHint: true },
    };
    expect(policyOf([], ['fs']).policy.decide(annotated).decision).toBe('ask');
  });

  test('where an administrator says what is allowed, an entry’s own list adds nothing', () => {
    const entry = { name: 'fs', tools: { autoApprove: ['ls'] } };
    expect(policyOf([], [entry], { locked: true }).word('fs', 'ls')).toBe('ask');
    expect(policyOf([], [{ ...entry, scope: 'managed' }], { locked: true }).word('fs', 'ls')).toBe('allow');
  });
});
