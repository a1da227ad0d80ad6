import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import type { JsonValue } from '../../kernel/json.ts';
import type { Edit, Path } from '../edit.ts';
import { editText } from './edit-text.ts';
import { tomlTools } from './toml-edit.ts';

function edit(text: string, change: Edit): string {
  const result = editText(text, change, tomlTools);
  return result.ok ? result.text : `refused: ${result.reason}`;
}

const server = { command: 'npx', args: ['-y', 'docs'], env: { A: '1' } };

function insert(text: string, path: Path, key = 'new', value: JsonValue = server): string {
  return edit(text, { kind: 'insert', path, key, value });
}

function remove(text: string, path: Path, key: string | number): string {
  return edit(text, { kind: 'remove', path, key });
}

test('a table joins its siblings and leaves again without a trace', () => {
  const text = `# Codex
model = "gpt" # fast

# the first
[mcp_servers.a]
command = "x" # tail
# args = []

[mcp_servers.a.env]
K = "v"

# not a server
[tui]
theme = "dark"
`;
  const expected = `# Codex
model = "gpt" # fast

# the first
[mcp_servers.a]
command = "x" # tail
# args = []

[mcp_servers.a.env]
K = "v"

[mcp_servers.new]
command = "npx"
args = ["-y", "docs"]

[mcp_servers.new.env]
A = "1"

# not a server
[tui]
theme = "dark"
`;
  expect(insert(text, ['mcp_servers'])).toBe(expected);
  expect(remove(expected, ['mcp_servers'], 'new')).toBe(text);
  expect(remove(expected, ['mcp_servers'], 'a')).toBe(`# Codex
model = "gpt" # fast

[mcp_servers.new]
command = "npx"
args = ["-y", "docs"]

[mcp_servers.new.env]
A = "1"

# not a server
[tui]
theme = "dark"
`);
});

test.each([
  ['', '[s.new]\nk = 1\n'],
  ['\n', '[s.new]\nk = 1\n'],
  ['# mine\n', '# mine\n\n[s.new]\nk = 1\n'],
  ['a = 1\r\n', 'a = 1\r\n\r\n[s.new]\r\nk = 1\r\n'],
  ['a = 1', 'a = 1\n\n[s.new]\nk = 1'],
  ['[s.a]\nx = 1\n[t]\ny = 1\n', '[s.a]\nx = 1\n[s.new]\nk = 1\n[t]\ny = 1\n'],
  ['[s.a]\nx = 1\n\n\n', '[s.a]\nx = 1\n\n[s.new]\nk = 1\n\n\n'],
  ['[s]\n', '[s]\n\n[s.new]\nk = 1\n'],
  ['[s]\na = { k = 0 } # a\n', '[s]\na = { k = 0 } # a\nnew = { k = 1 }\n'],
  ['s.a.k = 0\nt = 1\n', 's.a.k = 0\ns.new = { k = 1 }\nt = 1\n'],
  ['[t]\ns.a.k = 0\n[u]\n', '[t]\ns.a.k = 0\n[u]\n\n[s.new]\nk = 1\n'],
  ['s = { a = { k = 0 } }\n', 's = { a = { k = 0 }, new = { k = 1 } }\n'],
  ['s = {}\n', 's = { new = { k = 1 } }\n'],
  ['s = { a.b = 1 }\n', 's = { a.b = 1, new = { k = 1 } }\n'],
])('in %j the map is found or made', (text, expected) => {
  expect(insert(text, ['s'], 'new', { k: 1 })).toBe(expected);
});

test.each([
  ['[a]\n', [], 'x = 1\n\n[a]\n'],
  ['# head\n\n# about a\n[a]\n', [], '# head\n\nx = 1\n\n# about a\n[a]\n'],
  ['k = 1\n\n[a]\n', [], 'k = 1\nx = 1\n\n[a]\n'],
  ['# only\n', [], '# only\n\nx = 1\n'],
  ['[a]\n  k = 1 # tail\n  # end\n[b]\n', ['a'], '[a]\n  k = 1 # tail\n  x = 1\n  # end\n[b]\n'],
  ['[a]', ['a'], '[a]\nx = 1'],
  ['[a.b]\nk = 1\n', ['a'], '[a.b]\nk = 1\n\n[a]\nx = 1\n'],
  ['a.b = 1\n', ['a'], 'a.b = 1\na.x = 1\n'],
  ['[[a]]\nk = 1\n[[a]]\nk = 2\n', ['a', 0], '[[a]]\nk = 1\nx = 1\n[[a]]\nk = 2\n'],
  ['s = { a.b = 1 }\n', ['s', 'a'], 's = { a.b = 1, a.x = 1 }\n'],
  ['s = [ { k = 1 } ]\n', ['s', 0], 's = [ { k = 1, x = 1 } ]\n'],
])('in %j a plain value goes where %j is', (text, path, expected) => {
  expect(insert(text, path, 'x', 1)).toBe(expected);
});

test('names are quoted when they have to be', () => {
  expect(insert('', ['amp.servers'], 'ä b', { 'c"d': 1, e_f: 2 })).toBe(
    '["amp.servers"."ä b"]\n"c\\"d" = 1\ne_f = 2\n',
  );
});

test.each<[JsonValue, string]>([
  ['a"b\\c\n\u007f', String.raw`"a\"b\\c\n\u007f"`],
  [1.5, '1.5'],
  [true, 'true'],
  [1e21, '1e+21'],
  [2 ** 53, '9.007199254740992e+15'],
  [[], '[]'],
  [[{ a: 1 }, [2]], '[{ a = 1 }, [2]]'],
  [Array(30).fill('abc'), `[\n${'  "abc",\n'.repeat(30)}]`],
])('%j is written as %s', (value, expected) => {
  expect(insert('a = 1\n', [], 'x', value)).toBe(`a = 1\nx = ${expected}\n`);
});

test.each([
  ['a = 1\nx = 2 # mine\nb = 3\n', 'a = 1\nb = 3\n'],
  ['a = 1\n# of x\n# too\nx = 2\n\nb = 3\n', 'a = 1\n\nb = 3\n'],
  ['a = 1\n\n# a section\n\nx = 2\n\nb = 3\n', 'a = 1\n\n# a section\n\nb = 3\n'],
  ['a = """\n# no comment"""\nx = 1\n', 'a = """\n# no comment"""\n'],
  ['x = """\nlong\n"""\nb = 1\n', 'b = 1\n'],
  ['x.a = 1\nb = 1\nx.c.d = 2\n', 'b = 1\n'],
  ['[x]\na = 1\n\n[b]\n\n[x.c]\n', '[b]\n'],
  ['[b]\n\n[x]\na = 1\n# of x\n\n# of c\n[c]\n', '[b]\n\n# of c\n[c]\n'],
  ['[b]\n[x]\n# of c\n[c]\n', '[b]\n# of c\n[c]\n'],
  ['b = 1\n\n[x]', 'b = 1'],
  ['[[x]]\na = 1\n[[x]]\na = 2\n[x.c]\n[b]\n', '[b]\n'],
  ['x = 1\n', ''],
])('"x" is taken from %j with what belongs to it', (text, expected) => {
  expect(remove(text, [], 'x')).toBe(expected);
});

test.each([
  ['s = { a = 1, x = 2 }\n', 's = { a = 1 }\n'],
  ['s = { x = 2, a = 1 }\n', 's = { a = 1 }\n'],
  ['s = { x.y = 2, a = 1, x.z = 3 }\n', 's = { a = 1 }\n'],
  ['s = { x = 2 }\n', 's = {}\n'],
  ['[s]\nx = 1\n', '[s]\n'],
  ['[s.x]\n', ''],
])('"s.x" is taken from %j', (text, expected) => {
  expect(remove(text, ['s'], 'x')).toBe(expected);
});

test('a value changes in place', () => {
  const text = '[s.a]\nenabled = true # on\nargs = [\n    "x", # one\n]\n[s.a.env]\nA = "1"\n';
  expect(edit(text, { kind: 'replace', path: ['s', 'a'], key: 'enabled', value: false })).toBe(
    text.replace('true', 'false'),
  );
  expect(edit(text, { kind: 'replace', path: ['s', 'a'], key: 'args', value: ['y', 'z'] })).toBe(
    text.replace('"x", # one', '"y",\n    "z",'),
  );
  expect(edit('s = { a = { on = 1 } }', { kind: 'replace', path: ['s', 'a'], key: 'on', value: 2 })).toBe(
    's = { a = { on = 2 } }',
  );
});

test('a table in the place of a table keeps the comments of what stays', () => {
  const text = '# a\n[s.a]\n# cmd\ncommand = "x" # tail\n# dir\ncwd = "/"\n\n[s.a.env]\nA = "1"\n\n[t]\n';
  const value = { command: 'y', timeout: 5, env: { A: '1', B: '2' } };
  expect(edit(text, { kind: 'replace', path: ['s'], key: 'a', value })).toBe(
    '# a\n[s.a]\n# cmd\ncommand = "y" # tail\ntimeout = 5\n\n[s.a.env]\nA = "1"\nB = "2"\n\n[t]\n',
  );
});

test('a table may become a plain value and the other way round', () => {
  expect(edit('[s]\nk = 1\n[s.a]\nb = 1\n', { kind: 'replace', path: ['s'], key: 'a', value: 2 })).toBe(
    '[s]\nk = 1\na = 2\n',
  );
  expect(edit('[s]\na = 1\n', { kind: 'replace', path: ['s'], key: 'a', value: { b: 2 } })).toBe(
    '[s]\na = { b = 2 }\n',
  );
});

test('lists of tables and arrays grow, shrink and change', () => {
  const text = '[[v]]\nname = "a"\n\n[v.env]\nA = 1\n\n# second\n[[v]]\nname = "b"\n\n[t]\n';
  const longer = edit(text, { kind: 'append', path: ['v'], value: { name: 'c', env: { B: 1 } } });
  expect(longer).toBe(text.replace('\n[t]', '\n[[v]]\nname = "c"\n\n[v.env]\nB = 1\n\n[t]'));
  expect(remove(longer, ['v'], 2)).toBe(text);
  expect(remove(text, ['v'], 1)).toBe('[[v]]\nname = "a"\n\n[v.env]\nA = 1\n\n[t]\n');
  expect(remove(text, ['v'], 0)).toBe('# second\n[[v]]\nname = "b"\n\n[t]\n');
  expect(edit(text, { kind: 'replace', path: ['v'], key: 1, value: { name: 'x', on: true } })).toBe(
    text.replace('name = "b"', 'name = "x"\non = true'),
  );
  expect(insert(text, ['v', 0, 'env'], 'B', 2)).toBe(text.replace('A = 1\n', 'A = 1\nB = 2\n'));
  expect(insert(text, ['v', 1], 'env', { C: 1 })).toBe(text.replace('\n[t]', '\n[v.env]\nC = 1\n\n[t]'));
  expect(edit('', { kind: 'append', path: ['v'], value: { a: 1 } })).toBe('[[v]]\na = 1\n');
  expect(edit('[t]\n', { kind: 'append', path: ['t', 'v'], value: 'a' })).toBe('[t]\nv = ["a"]\n');
  expect(edit('a = [\n  1, # one\n]\n', { kind: 'append', path: ['a'], value: 2 })).toBe(
    'a = [\n  1, # one\n  2,\n]\n',
  );
  expect(remove('a = [\n  1, # one\n  # two\n  2,\n]\n', ['a'], 1)).toBe('a = [\n  1, # one\n]\n');
  expect(edit('a = []\n', { kind: 'append', path: ['a'], value: { b: 1 } })).toBe('a = [{ b = 1 }]\n');
});

test.each([
  [insert('[a]\n', [], 'a', 1), 'refused: "a" already exists'],
  [insert('', [], 'a', null), 'refused: TOML has no null'],
  [insert('', [], 'a', { b: [null] }), 'refused: TOML has no null'],
  [insert('', [], 'a', '\ud800'), 'refused: TOML cannot hold half of a character'],
  [insert('a = 1\n', ['a'], 'b', 1), 'refused: "a" holds no entries'],
  [insert('a =', [], 'b', 1), 'refused: the text cannot be read: Unspecified values are invalid'],
  [edit('[[a]]\n', { kind: 'append', path: ['a'], value: 1 }), 'refused: "a" takes tables only'],
  [remove('', [], 'a'), 'refused: there is no "a"'],
])('what cannot be done is %s', (result, expected) => {
  expect(result).toBe(expected);
});

interface Sample {
  readonly text: string;
  readonly maps: readonly Path[];
}

/** Statement lines with the maps that each of them makes, in an order TOML allows. */
const pieces: readonly (readonly [string[], ...Path[]])[] = [
  [['top = 1']],
  [['multi = """', '# no comment', '"""']],
  [['dot.a.k = 1', 'dot.b = 2'], ['dot'], ['dot', 'a']],
  [['inl = { a = { b = 1 }, c.d = 2 }'], ['inl'], ['inl', 'a'], ['inl', 'c']],
  [
    ['arr = [', '  { a = 1 }, # c', ']'],
    ['arr', 0],
  ],
  [['[s]'], ['s']],
  [['[s.a]', 'k = 1', 'l = [1, 2]'], ['s'], ['s', 'a']],
  [['[s.a.env]', 'K = "v"'], ['s'], ['s', 'a'], ['s', 'a', 'env']],
  [['[other]', 'x.y = 1'], ['other'], ['other', 'x']],
  [['[s.b]'], ['s'], ['s', 'b']],
  [
    ['[[v]]', 'name = "a"'],
    ['v', 0],
  ],
  [
    ['[v.env]', 'A = 1'],
    ['v', 0, 'env'],
  ],
  [
    ['[[w]]', '[[w]]', 'n = 1'],
    ['w', 0],
    ['w', 1],
  ],
  [['[s.c.d]', 'k = 1'], ['s'], ['s', 'c'], ['s', 'c', 'd']],
];

const samples: fc.Arbitrary<Sample> = fc
  .tuple(
    fc.subarray([...pieces.keys()].filter((index) => index !== 11)),
    fc.array(fc.nat(1000), { minLength: 1, maxLength: 80 }),
    fc.constantFrom('\n', '\r\n'),
  )
  .map(([chosen, dice, eol]) => {
    let thrown = 0;
    const pick = (...choices: string[]): string =>
      choices[(dice[thrown++ % dice.length] ?? 0) % choices.length] ?? '';
    const maps: Path[] = [[]];
    let text = pick('', `# head${eol}`, `# head${eol}${eol}`);
    for (const index of chosen) {
      const [lines = [], ...found] = pieces[index] ?? [];
      maps.push(...found);
      text += pick('', '', eol, eol + eol, `# above${eol}`, `${eol}# far${eol}${eol}`, `# glued${eol}`);
      const inString = lines.length === 3 && lines[0]?.endsWith('"""') === true;
      text += lines
        .map((line) => line + (inString || line.endsWith('[') ? '' : pick('', '', ' # tail')) + eol)
        .join('');
      text += pick('', '', eol, `# below${eol}`);
    }
    const end = pick('', 'cut', eol);
    return { text: end === 'cut' ? text.slice(0, Math.max(0, text.length - eol.length)) : text + end, maps };
  });

const values = fc.constantFrom<JsonValue>(1, 'v', {}, [], { n: { m: [1, 2] } }, [{ q: 1 }], {
  a: 1,
  b: { c: 2 },
});

test('adding and taking away again restores every byte', () => {
  fc.assert(
    fc.property(samples, fc.nat(100), values, ({ text, maps }, at, value) => {
      fc.pre(text.trim() !== '');
      const path = maps[at % maps.length] ?? [];
      // A plain value in a table without a header gives it one, and an empty header may stay.
      fc.pre(
        path[0] !== 's' ||
          (typeof value === 'object' && !Array.isArray(value)) ||
          text.includes(`[${path.join('.')}]`),
      );
      const added = insert(text, path, 'brand new', value);
      expect(added).not.toContain('refused');
      expect(remove(added, path, 'brand new')).toBe(text);
    }),
    { numRuns: 300 },
  );
});

test('any map can be taken away or changed', () => {
  fc.assert(
    fc.property(samples, fc.nat(100), values, ({ text, maps }, at, value) => {
      const whole = maps[at % maps.length] ?? [];
      const key = whole.at(-1);
      fc.pre(key !== undefined);
      const path = whole.slice(0, -1);
      const less = remove(text, path, key ?? '');
      expect(less).not.toContain('refused');
      expect(less.match(/# far/g)).toEqual(text.match(/# far/g));
      fc.pre(typeof key === 'string');
      expect(edit(text, { kind: 'replace', path, key: key ?? '', value })).not.toContain('refused');
    }),
    { numRuns: 300 },
  );
});
