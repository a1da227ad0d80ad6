import { describe, expect, test } from 'vitest';

import { parseJson } from '../../documents/json.ts';
import { createLineIndex } from '../../documents/tree.ts';
import { loadSettings } from '../../settings/load-settings.ts';
import type { SettingOrigin } from '../../settings/settings.ts';
import { makeMachine, memoryFiles } from '../../../tests/support/agent-machine.ts';
import type { PolicyRule } from '../policy-rule.ts';
import { claudeRules, opencodeRules, type RuleFile } from './foreign-rules.ts';
import { programRules, isAllowLocked, settingsRules } from '../load-policy.ts';

function fileOf(text: string, rest: Partial<RuleFile> = {}): RuleFile {
  const document = parseJson(text, { bom: false, utf16: false });
  if (!document.ok) throw new Error(document.message);
  const position = createLineIndex(text);
  return {
    file: '/f',
    agent: 'opencode',
    guarded: false,
    root: document.root,
    lineOf: ({ start }) => position(start).line,
    ...rest,
  };
}
const shown = (rules: readonly PolicyRule[]) =>
  rules.map(({ effect, text, line, unreadable }) =>
    [effect, text, line, ...(unreadable === undefined ? [] : [unreadable])].join(' '),
  );

describe('Claude Code’s rules', () => {
  const read = (text: string) => shown(claudeRules(fileOf(text)));

  test('are its lists, as far as they are about servers, with their places', () => {
    const text = `{"permissions": {
      "allow": ["mcp__fs", "Bash(ls)"],
      "ask": [" Tool( MCP__fs__write"],
      "deny": ["mcp__fs__rm",
        "xmcp__fs"]}}`;
    expect(claudeRules(fileOf(text, { agent: 'claude-code', guarded: true }))).toEqual(
      (
        [
          ['deny', 'mcp__fs__rm', 4],
          ['ask', ' Tool( MCP__fs__write', 3],
          ['allow', 'mcp__fs', 2],
        ] as const
      ).map(([effect, rule, line]) => ({
        effect,
        text: rule,
        form: 'double',
        file: '/f',
        line,
        agent: 'claude-code',
        guarded: true,
      })),
    );
  });

  test.each(['Tool(mcp__fs)', 'Tool(  mcp__fs)', ' mcp__fs', 'MCP__fs'])('%j is about a server', (text) => {
    expect(read(JSON.stringify({ permissions: { deny: [text] } }))).toEqual([`deny ${text} 1`]);
  });

  test('are none where the file is empty', () => {
    expect(claudeRules(fileOf('{}', { root: undefined }))).toEqual([]);
  });

  test('of lists that stand there twice all hold back, and the last one allows', () => {
    const text =
      '{"permissions": {"deny": ["mcp__a"], "deny": ["mcp__b"], "allow": ["mcp__c"], "allow": ["mcp__d"]}}';
    expect(read(text)).toEqual(['deny mcp__a 1', 'deny mcp__b 1', 'allow mcp__d 1']);
  });

  test.each([
    ['[]', []],
    ['{}', []],
    ['{"permissions": null}', []],
    ['{"permissions": {"deny": null}}', []],
    ['{"permissions": 3}', ['deny 3 1 an object of lists belongs there']],
    ['{"permissions": {"deny": "mcp__fs"}}', ['deny mcp__fs 1']],
    ['{"permissions": {"deny": [3]}}', ['deny 3 1 a rule is a string']],
    ['{"permissions": {"ask": {"a": 1}}}', ['ask {"a":1} 1 a rule is a string']],
    ['{"permissions": {"allow": [3]}}', []],
  ])('%s is %j', (text, expected) => {
    expect(read(text)).toEqual(expected);
  });
});

describe('opencode’s rules', () => {
  const doubt = 'it is none of "allow", "ask" and "deny"';

  test.each([
    ['{"tools": {"fs_*": false, "fs_read": true, "x": null}}', ['deny fs_* 1']],
    ['{"tools": {"fs_*": "no"}}', [`deny fs_* 1 ${doubt}`]],
    ['{"tools": false}', []],
    ['{"permission": null}', []],
    ['{}', []],
    ['{"permission": "ask"}', ['ask * 1']],
    ['{"permission": 3}', [`deny * 1 ${doubt}`]],
    ['{"permission": {"a": "allow", "b": "ask", "c": "deny"}}', ['allow a 1', 'ask b 1', 'deny c 1']],
    ['{"permission": {"a": "never", "b": null}}', [`deny a 1 ${doubt}`, `deny b 1 ${doubt}`]],
    ['{"permission": {"a": {"*": "allow", "rm *": "deny", "ls *": "allow"}}}', ['allow a 1', 'ask a 1']],
    ['{"permission": {"a": {"*": "deny", "rm *": 3}}}', ['deny a 1', `ask a 1 ${doubt}`]],
  ])('%s is %j', (text, expected) => {
    expect(shown(opencodeRules(fileOf(text)))).toEqual(expected);
  });

  test('of a project’s file only hold back', () => {
    const text = '{\n"tools": {"a": false},\n"permission": {"b": "allow", "c": "ask"}}';
    expect(opencodeRules(fileOf(text, { guarded: true }))).toEqual([
      { effect: 'deny', text: 'a', form: 'plain', file: '/f', line: 2, agent: 'opencode', guarded: true },
      { effect: 'ask', text: 'c', form: 'plain', file: '/f', line: 3, agent: 'opencode', guarded: true },
    ]);
  });
});

describe('holt’s own rules', () => {
  const machine = makeMachine();
  const load = (files: Readonly<Record<string, string>>) =>
    loadSettings(machine, memoryFiles(machine, files));
  const rule = (text: string): string => JSON.stringify({ permissions: { deny: [text] } });

  test('come from every layer with their places; those of the project are guarded', () => {
    const loaded = load({
      '~/.holt/config.json': rule('mcp__u'),
      './.holt/config.json': rule('mcp__p'),
      './.holt/config.local.json': rule('mcp__l'),
    });
    const places = settingsRules(loaded, machine).map(({ effect, text, form, file, line, guarded }) =>
      [effect, text, form, file, line, guarded].join(' '),
    );
    expect(places.toSorted()).toEqual([
      'deny mcp__l double /srv/shop/.holt/config.local.json 1 true',
      'deny mcp__p double /srv/shop/.holt/config.json 1 true',
      'deny mcp__u double /home/ada/.holt/config.json 1 false',
    ]);
  });

  test('without a file stand under the name of the variable or the flag', () => {
    const loaded = load({});
    const placed = (origin: SettingOrigin) =>
      settingsRules(
        {
          ...loaded,
          settings: {
            ...loaded.settings,
            permissions: { ...loaded.settings.permissions, ask: [{ rule: 'mcp__a', origin }] },
          },
        },
        machine,
      );
    const expected = { effect: 'ask', text: 'mcp__a', form: 'double', guarded: false };
    expect(placed({ from: 'flag' })).toEqual([{ ...expected, file: '--permissions' }]);
    expect(placed({ from: 'environment', variable: 'HOLT_P' })).toEqual([{ ...expected, file: 'HOLT_P' }]);
    expect(placed({ from: 'user' })).toEqual([{ ...expected, file: '--user' }]);
    const inside = { from: 'user', file: '/srv/shop/mine.json', line: 2 } as const;
    expect(placed(inside)).toEqual([{ ...expected, file: inside.file, line: 2, guarded: true }]);
    const managed = { ...inside, from: 'managed' } as const;
    expect(placed(managed)).toEqual([{ ...expected, file: inside.file, line: 2 }]);
  });

  test('of a file that cannot be used are in doubt, and a file that is not there has none', () => {
    const loaded = load({ '~/.holt/config.json': '{', './.holt/config.json': 'x' });
    const lost = { effect: 'deny', text: 'permissions', form: 'double', line: 1, lost: true, reported: true };
    const why = { unreadable: 'the file cannot be used' };
    expect(settingsRules(loaded, machine)).toEqual([
      { ...lost, ...why, file: '/srv/shop/.holt/config.json', guarded: true },
      { ...lost, ...why, file: '/home/ada/.holt/config.json', guarded: false },
    ]);
  });

  test('only an administrator’s list of what is allowed locks the others out', () => {
    const managed = (permissions: object): boolean =>
      isAllowLocked(load({ '/etc/holt/managed.json': JSON.stringify({ settings: { permissions } }) }));
    expect(managed({ allow: ['mcp__a'] })).toBe(true);
    expect(managed({ allow: [] })).toBe(true);
    expect(managed({ deny: ['mcp__a'] })).toBe(false);
    const user = load({ '~/.holt/config.json': '{"permissions": {"allow": ["mcp__a"]}}' });
    expect([user.settings.permissions.allow.length, isAllowLocked(user)]).toEqual([1, false]);
  });

  test('of a program have no place', () => {
    expect(programRules({ allow: ['mcp__a'], deny: ['mcp__b'] })).toEqual([
      { effect: 'deny', text: 'mcp__b', form: 'double', guarded: false },
      { effect: 'allow', text: 'mcp__a', form: 'double', guarded: false },
    ]);
  });
});
