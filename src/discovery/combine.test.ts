import { describe, expect, test } from 'vitest';

import { get } from '../documents/tree.ts';
import type { Scope } from '../kernel/servers.ts';
import { combine, formatOf, type Sample } from '../../tests/support/combine-fixture.ts';
import { nameProblem } from './combine.ts';

describe('an agent whose entries replace each other', () => {
  test('has every definition, the strongest file first', () => {
    const { shown, told, definitions } = combine(formatOf('whole'), [
      { scope: 'user', text: '{"a": {"command": "one"},\n "b": {"command": "two"}}' },
      { scope: 'project', guarded: true, text: '{\n  "a": {"command": "three"}}' },
    ]);
    expect(shown).toEqual([
      ['a', 'three', 'project /1:2:3', 'guarded', 'on'],
      ['b', 'two', 'user /0:2:2', 'open', 'on'],
      ['a', 'one', 'user /0:1:2', 'open', 'on'],
    ]);
    expect(told).toEqual([]);
    expect(definitions.map(({ parts, alsoIn, origin }) => [parts, alsoIn, origin])).toEqual(
      definitions.map(({ origin }) => [[origin], [], origin]),
    );
  });

  test('an entry can have another scope than its file, and what its file asks for', () => {
    const question = { id: 'token', description: 'Token', password: true };
    const { definitions } = combine(formatOf('whole'), [
      {
        scope: 'user',
        text: '{"a": {"command": "one"}}',
        layer: { inputs: [question] },
        scopeOf: () => 'local',
      },
      { scope: 'user', text: '{"b": {"command": "two"}}' },
    ]);
    expect(definitions.map(({ origin, inputs }) => [origin.scope, inputs])).toEqual([
      ['user', []],
      ['local', [question]],
    ]);
  });

  test('an entry that cannot be read is told with its name, and the others stay', () => {
    const { shown, told } = combine(formatOf('whole'), [
      { scope: 'user', text: '{"a": {},\n"b": {"command": "two"},\n"c": 3}' },
    ]);
    expect(shown.map(([name]) => name)).toEqual(['b']);
    expect(told).toEqual([
      {
        severity: 'error',
        code: 'entry-invalid',
        server: 'c',
        message: 'server "c" is not an object',
        file: '/0',
        line: 3,
      },
      {
        severity: 'error',
        code: 'entry-invalid',
        server: 'a',
        message: 'no command',
        file: '/0',
        line: 1,
      },
    ]);
  });
});

describe('an entry that is off', () => {
  test('names the line of its switch, or its own line where another field switches it off', () => {
    const text = '{"a": {"command": "one",\n"enabled": false},\n"b": {"command": "two"}}';
    const { definitions } = combine(formatOf('whole'), [{ scope: 'user', text }]);
    const linesOf = (all: typeof definitions): unknown =>
      Object.fromEntries(all.map(({ name, offBy }) => [name, offBy]));
    expect(linesOf(definitions)).toEqual({
      a: [{ kind: 'entry', file: '/0', line: 2 }],
      b: undefined,
    });
    const { read, ...rest } = formatOf('whole');
    const off = formatOf('whole', {
      ...rest,
      read: (node, context) => {
        const reading = read(node, context);
        return reading === undefined ? undefined : { ...reading, enabled: false };
      },
    });
    expect(linesOf(combine(off, [{ scope: 'user', text }]).definitions)).toEqual({
      a: [{ kind: 'entry', file: '/0', line: 2 }],
      b: [{ kind: 'entry', file: '/0', line: 3 }],
    });
  });

  test('a server that its user rejected in the agent is off by that answer, if it is about this entry', () => {
    const text = '{"a": {"command": "one"}, "b": {"command": "two"}, "c": {"command": "three"}}';
    const rejections = [
      { name: 'a', at: 0, isAbout: () => true },
      { name: 'b', at: 0, isAbout: () => false },
    ];
    const { definitions } = combine(formatOf('whole'), [
      { scope: 'project', guarded: true, text },
      { scope: 'user', text: '{}', layer: { rejections } },
    ]);
    const states = definitions.map(({ name, enabled, offBy }) => [name, { enabled, offBy }] as const);
    const rejected = { kind: 'switch', file: '/1', line: 1, agent: 'cursor', rejected: true };
    expect(Object.fromEntries(states)).toEqual({
      a: { enabled: false, offBy: [rejected] },
      b: { enabled: true, offBy: undefined },
      c: { enabled: true, offBy: undefined },
    });
  });
});

describe('the names of servers', () => {
  test('a name that is not a string is refused', () => {
    expect(nameProblem(5)).toBe('a server name is not a string');
  });

  test.each([
    ['', 'a server has an empty name'],
    [' \t', 'a server has an empty name'],
    ['n'.repeat(101), 'a server name has 101 characters; at most 100 are allowed'],
    ['a\u0007b', 'a server name has control characters'],
    ['a\ud800', 'a server name has control characters'],
    ['a\u200bb', 'a server name has characters that cannot be seen'],
  ])('%j is refused', (name, message) => {
    const { shown, told } = combine(formatOf('whole'), [
      { scope: 'user', text: JSON.stringify({ [name]: { command: 'x' } }) },
    ]);
    expect(shown).toEqual([]);
    expect(told).toEqual([
      {
        severity: 'error',
        code: 'entry-invalid',
        server: name.slice(0, 100),
        message,
        file: '/0',
        line: 1,
      },
    ]);
  });

  test.each(['n'.repeat(100), ' a ', 'ünï', '__proto__'])('%j is one', (name) => {
    const { shown, told } = combine(formatOf('whole'), [
      { scope: 'user', text: `{${JSON.stringify(name)}: {"command": "x"}}` },
    ]);
    expect([shown.map(([first]) => first), told]).toEqual([[name], []]);
  });
});

describe('a name that stands twice in one file', () => {
  const twice = '{"a": {"command": "one"},\n"b": {"command": "two"},\n"a": {"command": "three"}}';

  test("the last one counts where the file is the user's, and that is said once", () => {
    const { shown, told } = combine(formatOf('whole'), [{ scope: 'user', text: twice }]);
    expect(shown.map(([name, command]) => [name, command])).toEqual([
      ['a', 'three'],
      ['b', 'two'],
    ]);
    expect(told).toEqual([
      {
        severity: 'warning',
        code: 'entry-duplicate',
        server: 'a',
        message: '"a" is in this file twice; the last one counts',
        remedy: 'Remove one of them.',
        file: '/0',
        line: 3,
      },
    ]);
  });

  test("neither counts where the file is the project's", () => {
    const { shown, told } = combine(formatOf('whole'), [{ scope: 'project', guarded: true, text: twice }]);
    expect(shown.map(([name]) => name)).toEqual(['b']);
    expect(told).toEqual([
      {
        severity: 'error',
        code: 'entry-duplicate',
        server: 'a',
        message: '"a" is in this file twice; neither is used',
        remedy: 'Remove one of them.',
        file: '/0',
        line: 3,
      },
    ]);
  });

  test.each([
    ['user', false, ['a'], 'warning', 'the last one counts'],
    ['project', true, [], 'error', 'the entry is not used'],
  ] as const)('of a field, at any depth, in a file of the %s', (scope, guarded, names, severity, outcome) => {
    for (const [key, text] of [
      ['command', '{"a": {"command": "one",\n"command": "two"}}'],
      ['K', '{"a": {"command": "one", "env": {"K": "1",\n"K": "2"}}}'],
      ['x', '{"a": {"command": "one", "args": [[{"x": 1,\n"x": 2}]]}}'],
    ] as const) {
      const { shown, told } = combine(formatOf('whole'), [{ scope, guarded, text }]);
      expect(shown.map(([name]) => name)).toEqual(names);
      expect(told).toMatchObject([
        {
          severity,
          code: 'entry-duplicate',
          server: 'a',
          line: 2,
          message: `"${key}" is twice in "a"; ${outcome}`,
        },
      ]);
    }
  });

  test('two scopes in one file are no repetition', () => {
    const scopes: Scope[] = ['user', 'local'];
    const { shown, told } = combine(formatOf('whole'), [
      {
        scope: 'user',
        text: '{"a": {"command": "one"}, "a": {"command": "two"}}',
        scopeOf: () => scopes.shift(),
      },
    ]);
    expect(shown.map(([name, command]) => [name, command])).toEqual([
      ['a', 'two'],
      ['a', 'one'],
    ]);
    expect(told).toEqual([]);
  });
});

describe('a file that is the only one', () => {
  const user: Sample = { scope: 'user', text: '{"a": {"command": "one"}}' };
  const empty: Sample = { scope: 'project', guarded: true, text: '{}' };
  const managed: Sample = {
    scope: 'managed',
    text: '{"b": {"command": "two"}}',
    layer: { exclusive: true },
  };

  test('switches all others off, and those that have servers are told of', () => {
    const { shown, told } = combine(formatOf('whole'), [user, empty, managed]);
    expect(shown.map(([name]) => name)).toEqual(['b']);
    expect(told).toEqual([
      {
        severity: 'warning',
        code: 'agent-ignores',
        message: 'Cursor does not look at this file: /2 is exclusive',
        file: '/0',
        line: 1,
      },
    ]);
  });

  test('nothing is said where there is none', () => {
    expect(combine(formatOf('whole'), [user, empty]).told).toEqual([]);
  });
});

describe('an agent that merges its files', () => {
  const user: Sample = { scope: 'user', text: '{"a": {"command": "one", "cwd": "/u"}}' };
  const project: Sample = { scope: 'project', guarded: true, text: '{\n"a": {"command": "two"}}' };

  test("makes one server of the user's files; the strongest part says where it stands", () => {
    const { shown, definitions } = combine(formatOf('fields'), [
      user,
      { scope: 'user', text: '{\n\n"a": {"command": "two"}, "b": {"command": "three"}}' },
    ]);
    expect(shown).toEqual([
      ['a', 'two /u', 'user /1:3:1', 'open', 'on'],
      ['b', 'three', 'user /1:3:26', 'open', 'on'],
    ]);
    expect(definitions.map(({ parts, alsoIn }) => [parts.map(({ file }) => file), alsoIn])).toEqual([
      [['/0', '/1'], []],
      [['/1'], []],
    ]);
  });

  test("keeps what the user's own files make beneath a mixture with the project's", () => {
    const { shown } = combine(formatOf('fields'), [user, project]);
    expect(shown).toEqual([
      ['a', 'two /u', 'project /1:2:1', 'guarded', 'on'],
      ['a', 'one /u', 'user /0:1:2', 'open', 'on'],
    ]);
  });

  test("a mixture is the project's also where the user's file is the stronger one", () => {
    const { shown } = combine(formatOf('fields'), [project, user]);
    expect(shown).toEqual([
      ['a', 'one /u', 'project /1:1:2', 'guarded', 'on'],
      ['a', 'one /u', 'user /1:1:2', 'open', 'on'],
    ]);
  });

  test("has nothing beneath what is the project's alone", () => {
    expect(combine(formatOf('fields'), [project, project]).shown).toEqual([
      ['a', 'two', 'project /1:2:1', 'guarded', 'on'],
    ]);
  });

  test("a project may switch a user's server off without becoming part of it", () => {
    const off: Sample = { scope: 'project', guarded: true, text: '{"a": {"enabled": false}}' };
    expect(combine(formatOf('fields'), [user, off]).shown).toEqual([
      ['a', 'one /u', 'user /0:1:2', 'open', 'off'],
    ]);
  });

  test("a switch of the project's holds beneath the mixture as well", () => {
    const off: Sample = { scope: 'project', guarded: true, text: '{"a": {"enabled": false}}' };
    expect(combine(formatOf('fields'), [user, project, off]).shown).toEqual([
      ['a', 'two /u', 'project /1:2:1', 'guarded', 'off'],
      ['a', 'one /u', 'user /0:1:2', 'open', 'off'],
    ]);
  });

  test('a switch for a server that is nowhere defined makes none, and is no mistake', () => {
    const off: Sample = { scope: 'project', guarded: true, text: '{"a": {"enabled": false}}' };
    expect(combine(formatOf('fields'), [off, off])).toMatchObject({ shown: [], told: [] });
  });

  test('a mistake is told once, where it stands in the strongest part, else at the name of that part', () => {
    const broken: Sample = { scope: 'user', text: '{"a": {\n"cwd": "/u",\n\n"args": []}}' };
    const more: Sample = { scope: 'project', guarded: true, text: `{${'\n'.repeat(40)}"a":\n{"cwd": "/p"}}` };
    const tell = (samples: readonly Sample[]) =>
      combine(formatOf('fields'), samples).told.map(({ file, line, server }) => [file, line, server]);
    expect(tell([broken])).toEqual([['/0', 4, 'a']]);
    expect(tell([broken, more])).toEqual([['/1', 41, 'a']]);
    expect(tell([more, broken])).toEqual([['/1', 4, 'a']]);
    const above: Sample = { scope: 'user', text: '{"a":\n{"cwd": "/u"}\n\n\n}' };
    expect(tell([above])).toEqual([['/0', 2, 'a']]);
    expect(tell([broken, above])).toEqual([['/1', 1, 'a']]);
  });

  test('a part that its agent does not accept has no part in it', () => {
    const picky = formatOf('fields', {
      accepts: (node, { report, entry }) => {
        if (get(node, 'cwd') === undefined) return true;
        report({ severity: 'error', code: 'entry-invalid', at: entry.at, message: 'no cwd here' });
        return false;
      },
    });
    const { shown, told } = combine(picky, [user, project]);
    expect(shown).toEqual([['a', 'two', 'project /1:2:1', 'guarded', 'on']]);
    expect(told).toEqual([
      { severity: 'error', code: 'entry-invalid', server: 'a', message: 'no cwd here', file: '/0', line: 1 },
    ]);
  });
});
