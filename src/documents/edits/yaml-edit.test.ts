import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import type { JsonMap, JsonValue } from '../../kernel/json.ts';
import type { Edit, Path } from '../edit.ts';
import { toValue } from '../tree.ts';
import { editText } from './edit-text.ts';
import { yamlTools } from './yaml-edit.ts';

function edit(text: string, change: Edit): string {
  const result = editText(text, change, yamlTools);
  return result.ok ? result.text : `refused: ${result.reason}`;
}

const server = { cmd: 'npx', args: ['-y', '@x/docs'], envs: { A: '1' }, enabled: true };

function insert(text: string, path: Path, key = 'new', value: JsonValue = server): string {
  return edit(text, { kind: 'insert', path, key, value });
}

function remove(text: string, path: Path, key: string | number): string {
  return edit(text, { kind: 'remove', path, key });
}

test('an entry joins the others in their layout', () => {
  const text = `# goose
extensions:
  # the first
  a:
    cmd: x # tail
    args: # none
    # inside of a
  # after a
GOOSE_MODEL: gpt
`;
  const expected = `# goose
extensions:
  # the first
  a:
    cmd: x # tail
    args: # none
    # inside of a
  new:
    cmd: npx
    args:
      - -y
      - "@x/docs"
    envs:
      A: "1"
    enabled: true
  # after a
GOOSE_MODEL: gpt
`;
  expect(insert(text, ['extensions'])).toBe(expected);
  expect(remove(expected, ['extensions'], 'new')).toBe(text);
  expect(remove(expected, ['extensions'], 'a')).toBe(
    expected.replace(/  # the first\n[^]*# inside of a\n/, ''),
  );
});

test('an item joins a list, in the list’s own indentation', () => {
  const text = 'mcpServers:\n- name: a\n  args: [x, "y"]\n- name: b\n\n# models\nmodels: []\n';
  const expected =
    'mcpServers:\n- name: a\n  args: [x, "y"]\n- name: b\n- name: new\n  args: [p, "1"]\n\n# models\nmodels: []\n';
  expect(edit(text, { kind: 'append', path: ['mcpServers'], value: { name: 'new', args: ['p', '1'] } })).toBe(
    expected,
  );
  expect(remove(expected, ['mcpServers'], 2)).toBe(text);
  expect(remove(text, ['mcpServers'], 0)).toBe('mcpServers:\n- name: b\n\n# models\nmodels: []\n');
  expect(edit(text, { kind: 'append', path: ['models'], value: { m: 1 } })).toBe(
    text.replace(' []', '\n- m: 1'),
  );
});

test.each([
  ['', 's:\n  new:\n    k: 1\n'],
  ['# mine\n', '# mine\ns:\n  new:\n    k: 1\n'],
  ['---\n', '---\ns:\n  new:\n    k: 1\n'],
  ['{}\n', 's:\n  new:\n    k: 1\n'],
  ['a: 1', 'a: 1\ns:\n  new:\n    k: 1'],
  ['a: 1\r\n', 'a: 1\r\ns:\r\n  new:\r\n    k: 1\r\n'],
  ['a: 1\n...\n', 'a: 1\ns:\n  new:\n    k: 1\n...\n'],
  ['s:\n', 's:\n  new:\n    k: 1\n'],
  ['s: # none\n  # yet\na: 1\n', 's: # none\n  new:\n    k: 1\n  # yet\na: 1\n'],
  ['s: ~ # none\na: 1\n', 's: # none\n  new:\n    k: 1\na: 1\n'],
  ['s: {} # none\n', 's: # none\n  new:\n    k: 1\n'],
  ['s: {a: {k: 0}}\n', 's: {a: {k: 0}, new: {k: 1}}\n'],
  ['s: { a: 0 } # c\n', 's: { a: 0, new: {k: 1} } # c\n'],
  ['s: {\n  a: 0, # c\n}\n', 's: {\n  a: 0, # c\n  new: {k: 1},\n}\n'],
  ['s:\n    a:\n        b: 1\n', 's:\n    a:\n        b: 1\n    new:\n        k: 1\n'],
  ['s:\n  a: |\n    text\n\nb: 1\n', 's:\n  a: |\n    text\n  new:\n    k: 1\n\nb: 1\n'],
  ['s:\n  a: |+\n    text\n\nb: 1\n', 's:\n  a: |+\n    text\n\n  new:\n    k: 1\nb: 1\n'],
  ['{"s": {"a": 1}}\n', '{"s": {"a": 1, "new": {"k": 1}}}\n'],
  [
    '{\n  "s": {\n    "a": 1\n  }\n}\n',
    '{\n  "s": {\n    "a": 1,\n    "new": {\n      "k": 1\n    }\n  }\n}\n',
  ],
])('in %j the map is found or made', (text, expected) => {
  expect(insert(text, ['s'], 'new', { k: 1 })).toBe(expected);
});

test.each<[JsonValue, string]>([
  ['plain text', 'plain text'],
  ['http://x:1/y', 'http://x:1/y'],
  ['C:\\dir', 'C:\\dir'],
  ['--flag=a', '--flag=a'],
  ['${HOME}/x', '"${HOME}/x"'],
  ['$HOME/x', '$HOME/x'],
  ['../x', '../x'],
  ['', '""'],
  ['yes', '"yes"'],
  ['Null', '"Null"'],
  ['1.0', '"1.0"'],
  ['0x1f', '"0x1f"'],
  ['2020-01-01', '"2020-01-01"'],
  ['.5', '".5"'],
  ['.inf', '".inf"'],
  ['-1', '"-1"'],
  ['-', '"-"'],
  ['a: b', '"a: b"'],
  ['a:', '"a:"'],
  ['a #b', '"a #b"'],
  [' a', '" a"'],
  ['a ', '"a "'],
  ['@x', '"@x"'],
  ['*a', '"*a"'],
  ['<<', '"<<"'],
  ['a\nb\u0085\u2028', '"a\\nb\\u0085\\u2028"'],
  [1.5, '1.5'],
  [null, 'null'],
  [false, 'false'],
  [{}, '{}'],
  [[], '[]'],
])('%j is written as %s', (value, expected) => {
  expect(insert('a: 1\n', [], 'x', value)).toBe(`a: 1\nx: ${expected}\n`);
});

test('keys are quoted when they have to be', () => {
  expect(insert('', ['amp.servers'], 'on', { 'a b': 1, '1': 2, 'x: y': 3 })).toBe(
    'amp.servers:\n  "on":\n    "1": 2\n    a b: 1\n    "x: y": 3\n',
  );
});

test.each([
  ['a: 1\nx: 2 # mine\nb: 3\n', 'a: 1\nb: 3\n'],
  ['a: 1\n# of x\n# too\nx:\n  y: 1\n  # in x\n# of b\nb: 3\n', 'a: 1\n# of b\nb: 3\n'],
  ['a: 1\n# section\n\nx: 2\n\nb: 3\n', 'a: 1\n# section\n\nb: 3\n'],
  ['a: 1\nx: |\n  # text\n  more\n\nb: 3\n', 'a: 1\n\nb: 3\n'],
  ['a: |\n  # text\nx: 1\n', 'a: |\n  # text\n'],
  ['a: 1\nx: 2', 'a: 1'],
  ['x: 1\na: 2\nx: 3\n', 'a: 2\n'],
  ['x: 1\n', '{}\n'],
  ['{a: 1, x: 2}\n', '{a: 1}\n'],
  ['{x: 2, a: 1}\n', '{a: 1}\n'],
  ['{x: 2}\n', '{}\n'],
  ['a: 1\n? x\n: y\nb: 2\n', 'a: 1\nb: 2\n'],
])('"x" is taken from %j with what belongs to it', (text, expected) => {
  expect(remove(text, [], 'x')).toBe(expected);
});

test.each([
  ['s:\n  x: 1\n', ['s'], 's: {}\n'],
  ['s: # note\n  x: 1\na: 2\n', ['s'], 's: {} # note\na: 2\n'],
  ['s: # note\n   x: 1\n   b: 2\n', ['s'], 's: # note\n   b: 2\n'],
  ['s:\n  - x: 1\n    # of b\n    b: 2\n', ['s', 0], 's:\n  -\n    # of b\n    b: 2\n'],
  ['s:\n  - x: 1 # c\n    b: 2\n', ['s', 0], 's:\n  - b: 2\n'],
  ['s:\n  - b: 1\n    x: 2\n  - c\n', ['s', 0], 's:\n  - b: 1\n  - c\n'],
  ['s:\n  - x: 2\n', ['s', 0], 's:\n  - {}\n'],
  ['s: [{x: 2, b: 1}]\n', ['s', 0], 's: [{b: 1}]\n'],
])('"x" is taken from %j at %j', (text, path, expected) => {
  expect(remove(text, path, 'x')).toBe(expected);
});

test('the last item of a list leaves an empty list', () => {
  expect(remove('s:\n  - a\n', ['s'], 0)).toBe('s: []\n');
  expect(remove('s:\n- a\nb: 1\n', ['s'], 0)).toBe('s: []\nb: 1\n');
  expect(remove('s: [a]\n', ['s'], 0)).toBe('s: []\n');
});

test.each<[string, JsonValue, string]>([
  ['x: true # on\n', false, 'x: false # on\n'],
  ['x:\na: 1\n', 'v', 'x: v\na: 1\n'],
  ['x: # c\na: 1\n', 'v', 'x: v # c\na: 1\n'],
  ['x: [a, b] # c\n', ['d'], 'x: [d] # c\n'],
  ['x:\n- a\n- b # c\ny: 1\n', ['d', 'e'], 'x:\n- d\n- e # c\ny: 1\n'],
  ['x:\n  - a\ny: 1\n', 5, 'x: 5\ny: 1\n'],
  ['x: # c\n  - a\ny: 1\n', 5, 'x: # c\n  5\ny: 1\n'],
  ['x: 5 # c\ny: 1\n', { a: [1] }, 'x: # c\n  a:\n    - 1\ny: 1\n'],
  ['x: |\n  long\n  text\ny: 1\n', 'z', 'x: z\ny: 1\n'],
  ['x: "a\n  b"\ny: 1\n', 'z', 'x: z\ny: 1\n'],
  ['x: {}\ny: 1\n', { a: 1 }, 'x:\n  a: 1\ny: 1\n'],
  ['x: 1\nx: 2\n', 3, 'x: 1\nx: 3\n'],
  ['{x: 1, y: 2}\n', { a: [1] }, '{x: {a: [1]}, y: 2}\n'],
  ['{x}\n', 1, '{x: 1}\n'],
  ['b: &b 1\nx: *b\n', 2, 'b: &b 1\nx: 2\n'],
])('in %j "x" becomes %j', (text, value, expected) => {
  expect(edit(text, { kind: 'replace', path: [], key: 'x', value })).toBe(expected);
});

test('a map in the place of a map keeps the comments of what stays', () => {
  const text =
    's:\n  - name: a # tail\n    # cmd\n    command: x\n    # dir\n    cwd: /\n    env: {A: "1"}\n  - name: b\n';
  const value = { name: 'a', command: 'z', env: { A: '1', B: '2' }, args: ['w'] };
  expect(edit(text, { kind: 'replace', path: ['s'], key: 0, value })).toBe(
    's:\n  - name: a # tail\n    # cmd\n    command: z\n    env: {A: "1", B: "2"}\n    args:\n      - w\n  - name: b\n',
  );
});

test.each([
  [insert('b: &b {a: 1}\nc: *b\n', ['b'], 'x', 1), 'refused: "b" is shared through an anchor'],
  [insert('b: &b {a: 1}\nc: *b\n', ['c'], 'x', 1), 'refused: "c" is shared through an anchor'],
  [insert('b: &b\n  c:\n    d: 1\n', ['b', 'c'], 'x', 1), 'refused: "b" is shared through an anchor'],
  [
    edit('x: &b 1\n', { kind: 'replace', path: [], key: 'x', value: 2 }),
    'refused: "x" is shared through an anchor',
  ],
  [remove('x: &b 1\ny: *b\n', [], 'x'), 'refused: the changed text would not read as wanted'],
  [remove('b: &b {x: 1}\nc:\n  <<: *b\n', ['c'], 'x'), 'refused: "c.x" is not written there itself'],
  [insert('a: 1\n', [], 'a', 2), 'refused: "a" already exists'],
  [insert('a: [1]\n', ['a'], 'b', 2), 'refused: "a" holds no entries'],
  [
    insert('a: [1\n', [], 'b', 2),
    'refused: the text cannot be read: Flow sequence in block collection must be sufficiently indented and end with a ]',
  ],
])('what cannot be done is %s', (result, expected) => {
  expect(result).toBe(expected);
});

test('beside anchors there is room', () => {
  const text = 'b: &b {a: 1}\ns:\n  c: *b\n  d:\n    <<: *b\n    e: 1\n';
  expect(insert(text, ['s'], 'x', 1)).toBe(`${text}  x: 1\n`);
  expect(insert(text, ['s', 'd'], 'x', 1)).toBe(`${text}    x: 1\n`);
});

interface Sample {
  readonly text: string;
  readonly maps: readonly Path[];
  readonly lists: readonly Path[];
}

const names = ['a', 'b', 'c d', '1', 'x.y'];

const trees = fc.letrec<{ tree: JsonValue; map: JsonMap }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<JsonValue>(1, 'x # y', 'two\nlines\n', null, [], ['a', 'b'], true),
    tie('map'),
    fc.array(tie('tree'), { minLength: 1, maxLength: 3 }),
  ),
  map: fc.dictionary(fc.constantFrom(...names), tie('tree'), { maxKeys: 4, noNullPrototype: true }),
}));

/** Writes a value in block and flow style, with comments and blank lines wherever people put them. */
const samples: fc.Arbitrary<Sample> = fc
  .tuple(
    trees.map,
    fc.array(fc.nat(1000), { minLength: 1, maxLength: 80 }),
    fc.constantFrom('\n', '\r\n'),
    fc.constantFrom(2, 4),
  )
  .map(([value, dice, eol, unit]) => {
    let thrown = 0;
    const pick = (...choices: string[]): string =>
      choices[(dice[thrown++ % dice.length] ?? 0) % choices.length] ?? '';
    const maps: Path[] = [];
    const lists: Path[] = [];
    const tail = (): string => pick('', '', '', ' # tail') + eol;
    const above = (column: number): string => {
      const indent = ' '.repeat(column);
      return pick(
        '',
        '',
        '',
        `${indent}# above${eol}`,
        eol,
        `${indent}# far${eol}${eol}`,
        `${indent}  # deep${eol}`,
      );
    };
    const flow = (node: JsonValue, path: Path): string => {
      if (Array.isArray(node)) {
        lists.push(path);
        return `[${node.map((item, index) => flow(item, [...path, index])).join(', ')}${node.length > 0 ? pick('', ',') : ''}]`;
      }
      if (typeof node !== 'object' || node === null) return JSON.stringify(node);
      maps.push(path);
      return `{${Object.entries(node)
        .map(([key, item]) => `${JSON.stringify(key)}: ${flow(item, [...path, key])}`)
        .join(pick(',', ', '))}}`;
    };
    const scalar = (node: JsonValue, column: number): string => {
      if (node === 'two\nlines\n') {
        const indent = ' '.repeat(column + unit);
        return pick(
          `${JSON.stringify(node)}${eol}`,
          `|${eol}${indent}two${eol}${indent}lines${eol}`,
          `|${eol}${indent}two${eol}${indent}lines${eol}${eol}`,
        );
      }
      return (node === null ? pick('null', '~') : JSON.stringify(node)) + tail();
    };
    const block = (node: JsonValue, path: Path, column: number): string => {
      const entries = Array.isArray(node)
        ? node.map((item, index) => [index, item] as const)
        : Object.entries(node ?? {});
      (Array.isArray(node) ? lists : maps).push(path);
      return entries
        .map(([key, item], index) => {
          const lead =
            index === 0 && path.length > 0 && typeof path.at(-1) === 'number'
              ? ''
              : above(column) + ' '.repeat(column);
          const here = [...path, key];
          const isBlock =
            typeof item === 'object' &&
            item !== null &&
            Object.keys(item).length > 0 &&
            pick('b', 'b', 'f') === 'b';
          if (typeof key === 'number') {
            return isBlock
              ? `${lead}- ${block(item, here, column + 2)}`
              : `${lead}- ${typeof item === 'object' && item !== null ? flow(item, here) + tail() : scalar(item, column)}`;
          }
          const name = `${/^[a-z ]+$/.test(key) ? key : JSON.stringify(key)}:`;
          if (!isBlock)
            return `${lead}${name} ${typeof item === 'object' && item !== null ? flow(item, here) + tail() : scalar(item, column)}`;
          const inner = column + (Array.isArray(item) ? Number(pick('0', '2')) : unit);
          return `${lead}${name}${tail()}${block(item, here, inner)}`;
        })
        .join('');
    };
    const body = Object.keys(value).length === 0 ? `{}${eol}` : block(value, [], 0);
    if (body.startsWith('{}')) maps.push([]);
    const text = pick('', `# head${eol}${eol}`, `---${eol}`) + body;
    return {
      text: pick('', '', 'cut') === 'cut' && !text.includes('|') ? text.trimEnd() : text,
      maps,
      lists,
    };
  });

const values = fc.constantFrom<JsonValue>(
  1,
  'v',
  null,
  {},
  [],
  { n: { m: [1, 2] } },
  [{ q: 1, r: 2 }],
  'a: b\n',
);

function isGood(text: string): boolean {
  const document = yamlTools.parse(text);
  return document.ok && document.root !== undefined && typeof toValue(document.root) === 'object';
}

test('adding an entry and taking it away again restores every byte', () => {
  fc.assert(
    fc.property(samples, fc.nat(100), values, ({ text, maps }, at, value) => {
      fc.pre(isGood(text));
      const path = maps[at % maps.length] ?? [];
      const added = insert(text, path, 'brand new', value);
      expect(added).not.toContain('refused');
      expect(remove(added, path, 'brand new')).toBe(text);
    }),
    { numRuns: 300 },
  );
});

test('adding an item and taking it away again restores every byte', () => {
  fc.assert(
    fc.property(samples, fc.nat(100), values, ({ text, lists }, at, value) => {
      fc.pre(isGood(text) && lists.length > 0);
      const path = lists[at % lists.length] ?? [];
      const added = edit(text, { kind: 'append', path, value });
      expect(added).not.toContain('refused');
      const document = yamlTools.parse(added);
      let list = document.ok && document.root !== undefined ? toValue(document.root) : null;
      for (const key of path)
        list =
          typeof list === 'object' && list !== null
            ? (Object.entries(list).find(([name]) => name === String(key))?.[1] ?? null)
            : null;
      expect(remove(added, path, Array.isArray(list) ? list.length - 1 : -1)).toBe(text);
    }),
    { numRuns: 300 },
  );
});

test('any entry or item can be taken away or changed', () => {
  fc.assert(
    fc.property(samples, fc.nat(100), values, ({ text, maps, lists }, at, value) => {
      fc.pre(isGood(text));
      const inner = [...maps, ...lists].filter((path) => path.length > 0);
      fc.pre(inner.length > 0);
      const whole = inner[at % inner.length] ?? [];
      const path = whole.slice(0, -1);
      const key = whole.at(-1) ?? '';
      expect(remove(text, path, key)).not.toContain('refused');
      expect(edit(text, { kind: 'replace', path, key, value })).not.toContain('refused');
    }),
    { numRuns: 300 },
  );
});
