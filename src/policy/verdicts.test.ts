import { describe, expect, test } from 'vitest';

import { allow, ask, deny, policyOf, serverOf } from '../../tests/support/policy-fixture.ts';
import { createPolicy } from './policy.ts';
import type { Answers } from './sources/answers.ts';

const here = { file: '/rules.json', line: 3 };

describe('a verdict says which rule made it', () => {
  test.each([
    [deny('mcp__fs__rm', here), 'rm', 'deny', 'is denied by "mcp__fs__rm" in /rules.json:3'],
    [deny('mcp__fs__rm', { file: '/r' }), 'rm', 'deny', 'is denied by "mcp__fs__rm" in /r'],
    [deny('mcp__fs__rm'), 'rm', 'deny', 'is denied by "mcp__fs__rm"'],
    [deny('mcp__fs__rm', { file: '', line: 3 }), 'rm', 'deny', 'is denied by "mcp__fs__rm"'],
    [deny('mcp__fs__rm', here), 'RM', 'deny', 'looks like what is denied by "mcp__fs__rm" in /rules.json:3'],
    [ask('mcp__fs__rm', here), 'rm', 'ask', 'is asked for by "mcp__fs__rm" in /rules.json:3'],
    [ask('mcp__fs__rm', here), 'RM', 'ask', 'looks like what is asked for by "mcp__fs__rm" in /rules.json:3'],
    [allow('mcp__fs__rm', here), 'rm', 'allow', 'is allowed by "mcp__fs__rm" in /rules.json:3'],
    [
      deny('nonsense', here),
      'rm',
      'ask',
      'may have been held back by "nonsense" in /rules.json:3, which cannot be read',
    ],
  ])('%j, %s', (rule, tool, decision, reason) => {
    const { text, file, line } = { file: undefined, line: undefined, ...rule };
    const place = file === undefined || file === '' ? {} : { file, ...(line === undefined ? {} : { line }) };
    expect(policyOf([rule], ['fs'], { default: 'allow' }).decide('fs', tool)).toEqual({
      decision,
      rule: { text, ...place },
      reason,
    });
  });

  test('none where none matched', () => {
    expect(policyOf([], ['fs']).decide('fs', 'rm')).toEqual({
      decision: 'ask',
      reason: 'matches no rule, and the default is ask',
    });
  });

  test('the lists of the server’s own entry have a place as well', () => {
    const world = policyOf([], [{ name: 'fs', tools: { exclude: ['rm'], autoApprove: ['ls'] } }]);
    expect([world.decide('fs', 'rm'), world.decide('fs', 'ls')]).toEqual([
      {
        decision: 'deny',
        rule: { text: 'tools', file: '/holt/user.json', line: 7 },
        reason: 'is left out by the list of tools of the server, "tools" in /holt/user.json:7',
      },
      {
        decision: 'allow',
        rule: { text: 'autoApprove', file: '/holt/user.json', line: 7 },
        reason: 'is allowed by the entry of the server, "autoApprove" in /holt/user.json:7',
      },
    ]);
  });
});

describe('rules that cannot be used', () => {
  test('are told with their place, and once', () => {
    const { problems } = policyOf([deny('nonsense', here), ask('x', { reported: true })], ['fs']).policy;
    expect(problems).toEqual([
      {
        severity: 'error',
        code: 'setting-invalid',
        file: '/rules.json',
        line: 3,
        column: 1,
        message: expect.stringMatching(
          /^the deny rule "nonsense" cannot be read: .+; everything it may have held back is asked for$/,
        ),
        remedy: 'Write mcp__<server>, mcp__<server>__<tool> or a pattern with "*".',
      },
    ]);
    expect(policyOf([deny('nonsense')], []).policy.problems).toMatchObject([{ file: '', line: 1 }]);
  });

  test('in a file that is lost hold back everything, in opencode’s form what their pattern says', () => {
    const lost = deny('permissions', { unreadable: 'it is broken', lost: true, ...here });
    const world = policyOf([lost], ['fs'], { default: 'allow' });
    expect(world.word('fs', 'rm')).toBe('ask');
    expect(world.policy.problems).toMatchObject([
      {
        severity: 'error',
        code: 'file-unreadable',
        message:
          'the rules for tools in this file are lost: it is broken; everything they may have held back is asked for',
        remedy: 'Fix the file, or remove it.',
      },
    ]);
    const plain = deny('fs_*', { form: 'plain', unreadable: 'no such word' });
    const some = policyOf([plain], ['fs', 'web'], { default: 'allow' });
    expect([some.word('fs', 'rm'), some.word('web', 'rm')]).toEqual(['ask', 'allow']);
    expect(
      policyOf([deny('mcp__fs', { unreadable: 'x' })], ['web'], { default: 'allow' }).word('web', 'a'),
    ).toBe('ask');
  });

  test('an allow rule is told as a mistake in holt’s files, as a warning in another agent’s', () => {
    const told = (rule: ReturnType<typeof allow>, servers: readonly string[] = ['fs']) =>
      policyOf([rule], servers).policy.problems.map(({ severity, code, message, remedy }) => [
        severity,
        code,
        message,
        remedy,
      ]);
    const named = 'allows nothing: an allow rule names its server, letter for letter';
    const each = 'Write one rule for each server: mcp__<server>.';
    expect(told(allow('mcp__*'))).toEqual([
      ['error', 'setting-ignored', `the allow rule "mcp__*" ${named}`, each],
    ]);
    expect(told(allow('mcp__*', { agent: 'claude-code' }))).toEqual([
      ['warning', 'setting-ignored', `the allow rule "mcp__*" ${named}`, each],
    ]);
    expect(told(allow('nonsense'))).toEqual([
      [
        'error',
        'setting-invalid',
        expect.stringMatching(/^the allow rule "nonsense" cannot be read: ./),
        undefined,
      ],
    ]);
    expect(told(allow('mcp__fs__a b*c d'))).toEqual([
      [
        'error',
        'setting-ignored',
        'the allow rule "mcp__fs__a b*c d" allows nothing: names in rules have only letters, digits, "_" and "-"',
        'Write mcp__fs__a_b*c_d.',
      ],
    ]);
    expect(told(allow('*', { form: 'plain', agent: 'opencode' }))).toEqual([
      [
        'info',
        'setting-ignored',
        'the allow rule "*" allows no server’s tools: an allow rule names its server, letter for letter',
        'Write one rule for each server: "<server>_*".',
      ],
    ]);
    expect(told(allow('mcp__a__b__c'), ['a', 'a__b'])).toEqual([
      [
        'error',
        'setting-ignored',
        'the allow rule "mcp__a__b__c" allows nothing: it can mean tool "b__c" of "a" or tool "c" of "a__b"',
        'Rename one of the servers, or use the name with the eight digits that holt tools shows.',
      ],
    ]);
    expect(told(allow('mcp__other__x'))).toEqual([]);
  });
});

describe('an answer for good', () => {
  const remembered: Answers = { file: '/trust.json', allows: (_, tool) => tool === 'ls' };
  const decide = (tool: string, sample: { readonly guarded: boolean; readonly approved: boolean }) => {
    const server = serverOf({ name: 'fs', scope: 'project', ...sample });
    const policy = createPolicy({ rules: [], default: 'ask', servers: [server], locked: false, remembered });
    return policy.decide({ server: 'fs', tool, ...server });
  };

  test('allows that tool of a project’s approved server, and nothing else', () => {
    expect(decide('ls', { guarded: true, approved: true })).toEqual({
      decision: 'allow',
      rule: { text: 'always', file: '/trust.json' },
      reason: 'is allowed by an answer for good, "always" in /trust.json',
    });
    expect([
      decide('rm', { guarded: true, approved: true }).decision,
      decide('ls', { guarded: true, approved: false }).decision,
      decide('ls', { guarded: false, approved: true }).decision,
    ]).toEqual(['ask', 'ask', 'ask']);
  });
});
