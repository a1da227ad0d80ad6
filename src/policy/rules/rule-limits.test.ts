/** How far rules reach, and what they leave alone. */

import { describe, expect, test } from 'vitest';

import { listsOf } from '../../../tests/support/tool-lists.ts';
import { createNameTable } from '../../catalog/public-names.ts';
import type { Origin, Scope } from '../../kernel/servers.ts';
import {
  allow,
  ask,
  deny,
  policyOf,
  serverOf,
  type RuleSample,
} from '../../../tests/support/policy-fixture.ts';
import { createPolicy } from '../policy.ts';

describe('holt’s own tools are allowed', () => {
  test.each<readonly [string, RuleSample]>([
    ['by a rule that is refused', allow('*')],
    ['by a rule about a server', allow('mcp__fs')],
    ['by another agent’s file', allow('holt__mcp_auth', { agent: 'claude-code' })],
    ['by a project’s file', allow('holt__mcp_auth', { guarded: true })],
  ])('never %s', (_by, rule) => {
    expect(policyOf([rule], ['fs']).policy.decideBuiltIn('mcp_auth').decision).toBe('ask');
  });
});

describe('a server of the user’s that also stands in Claude Code’s files', () => {
  test.each<readonly [Scope, string]>([
    ['user', 'allow'],
    ['managed', 'allow'],
    ['plugin', 'allow'],
    ['project', 'ask'],
    ['local', 'ask'],
  ])('in %s scope: %s by a rule of Claude Code’s', (scope, word) => {
    const { ref, definition, approved } = serverOf({ name: 'p' });
    const also: Origin = { agent: 'claude-code', scope, file: '/c.json', line: 1, column: 1 };
    const server = { ref, approved, definition: { ...definition, alsoIn: [{ ...also, enabled: true }] } };
    const rules = [{ ...allow('mcp__p', { agent: 'claude-code' }), form: 'double', guarded: false } as const];
    const policy = createPolicy({ rules, default: 'ask', servers: [server], locked: false });
    expect(policy.decide({ server: 'p', tool: 'x', ...server }).decision).toBe(word);
  });
});

describe('that a project allows itself something', () => {
  const project = { agent: 'mcp-json', scope: 'project' } as const;
  const rules = [allow('mcp__two', { guarded: true })];
  const told = (approved: boolean): readonly string[] =>
    policyOf(rules, ['one', { name: 'two', ...project, approved }]).policy.problems.map(
      ({ message }) => message,
    );

  test('is told of the server that it names, until that is approved', () => {
    expect(told(false)).toEqual([
      'the allow rule "mcp__two" of a project’s file does not count before "two" is approved',
    ]);
    expect(told(true)).toEqual([]);
  });
});

describe('a name with the hash of its pair', () => {
  const tool = 'x'.repeat(90);
  const table = createNameTable({ profile: 'double', maxLength: 64 });
  table.update(listsOf([{ server: 'fs', tool }]));
  const name = table.nameOf({ server: 'fs', tool }) ?? '';

  test('stands for it only as a whole', () => {
    const word = (text: string): string =>
      policyOf([deny(text)], ['fs'], { default: 'allow' }).word('fs', tool);
    expect([name, `${name}0`, `${name}_more`, name.slice(0, -1)].map(word)).toEqual([
      'deny',
      'allow',
      'allow',
      'allow',
    ]);
  });

  test('means nothing in opencode’s patterns', () => {
    const of = (effect: 'allow' | 'deny'): RuleSample => ({
      effect,
      text: name,
      form: 'plain',
      agent: 'opencode',
    });
    const fs = { name: 'fs', agent: 'opencode' } as const;
    expect(policyOf([of('deny')], [fs], { default: 'allow' }).word('fs', tool)).toBe('allow');
    expect(policyOf([of('allow')], [fs]).word('fs', tool)).toBe('ask');
  });
});

describe('the text of a rule', () => {
  const told = (text: string): readonly string[] =>
    policyOf([deny(text)], ['fs']).policy.problems.map(({ message }) =>
      message.replace(/; everything .*/, ''),
    );
  const names = 'rules name tools as mcp__<server>__<tool> or holt__<tool>';

  test.each([
    ['', 'it is empty'],
    [' ', 'it is empty'],
    ['Tool( )', 'it is empty'],
    ['mcp__fs(read)', 'parentheses belong to Tool(…) alone'],
    ['my Tool(mcp__fs)', 'parentheses belong to Tool(…) alone'],
    ['Tool(mcp__fs) too', 'parentheses belong to Tool(…) alone'],
    ['mcp__', names],
    ['git*', names],
    ['fs__read', names],
  ])('%j cannot be read: %s', (text, reason) => {
    expect(told(text)).toEqual([`the deny rule "${text}" cannot be read: ${reason}`]);
  });

  test.each([' mcp__fs ', ' Tool( mcp__fs ) ', 'Tool(mcp__fs)', 'm*', 'mcp__f*'])('%j can', (text) => {
    expect([told(text), policyOf([deny(text)], ['fs']).word('fs', 'x')]).toEqual([[], 'deny']);
  });

  test('has one wildcard, the star; opencode’s question mark is none', () => {
    const world = policyOf([deny('mcp__fs__rea?')], ['fs'], { default: 'allow' });
    expect([world.word('fs', 'read'), world.word('fs', 'rea?')]).toEqual(['allow', 'deny']);
  });

  test('of opencode’s never stands for a name in the other form', () => {
    const rule: RuleSample = { effect: 'deny', text: 'mcp__my__read', form: 'plain', agent: 'opencode' };
    expect(policyOf([rule], ['my'], { default: 'allow' }).word('my', 'read')).toBe('allow');
    expect(policyOf([ask('my_read')], ['my'], { default: 'allow' }).decide('my', 'read').reason).toContain(
      'which cannot be read',
    );
  });

  test('that ends where the tool’s name begins allows no tool, not even one without a name', () => {
    expect(policyOf([allow('mcp__fs__')], ['fs']).word('fs', '')).toBe('ask');
  });
});
