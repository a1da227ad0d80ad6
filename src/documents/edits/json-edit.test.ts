import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { isObject, type JsonValue } from '../../kernel/json.ts';
import type { Edit } from '../edit.ts';
import { toValue } from '../tree.ts';
import { editText } from './edit-text.ts';
import { jsonTools } from './json-edit.ts';

function edit(text: string, change: Edit): string {
  const result = editText(text, change, jsonTools);
  return result.ok ? result.text : `refused: ${result.reason}`;
}

const server = { command: 'npx', args: ['-y', 'docs'], env: { A: '1' } };

function insert(text: string, path: string[], key = 'new', value: JsonValue = server): string {
  return edit(text, { kind: 'insert', path, key, value });
}

function remove(text: string, path: string[], key: string | number): string {
  return edit(text, { kind: 'remove', path, key });
}

test('an entry joins the others in their layout', () => {
  const text = `{
  // servers of this project
  "mcpServers": {
    "a": { "command": "x" }, // first
    "b": { "command": "y" } // second
    // "c": {}
  },
  "other": 1
}
`;
  const expected = `{
  // servers of this project
  "mcpServers": {
    "a": { "command": "x" }, // first
    "b": { "command": "y" }, // second
    "new": {
      "command": "npx",
      "args": ["-y", "docs"],
      "env": {
        "A": "1"
      }
    }
    // "c": {}
  },
  "other": 1
}
`;
  expect(insert(text, ['mcpServers'])).toBe(expected);
  expect(remove(expected, ['mcpServers'], 'new')).toBe(text);
});

test('tabs, CRLF, a byte order mark, trailing commas and lists over several lines stay', () => {
  const text =
    '\ufeff{\r\n\t"mcpServers": {\r\n\t\t"a": {\r\n\t\t\t"args": [\r\n\t\t\t\t"x",\r\n\t\t\t],\r\n\t\t},\r\n\t},\r\n}';
  const expected =
    '\ufeff{\r\n\t"mcpServers": {\r\n\t\t"a": {\r\n\t\t\t"args": [\r\n\t\t\t\t"x",\r\n\t\t\t],\r\n\t\t},\r\n' +
    '\t\t"new": {\r\n\t\t\t"args": [\r\n\t\t\t\t"y"\r\n\t\t\t]\r\n\t\t},\r\n\t},\r\n}';
  expect(insert(text, ['mcpServers'], 'new', { args: ['y'] })).toBe(expected);
  expect(remove(expected, ['mcpServers'], 'new')).toBe(text);
});

test('a file on one line stays on one line, with its own spacing', () => {
  expect(insert('{"mcpServers":{"a":{}}}', ['mcpServers'])).toBe(
    '{"mcpServers":{"a":{},"new":{"command":"npx","args":["-y","docs"],"env":{"A":"1"}}}}',
  );
  expect(insert('{ "mcpServers": {} }', ['mcpServers'], 'new', { a: [1, 2] })).toBe(
    '{ "mcpServers": {"new": {"a": [1, 2]}} }',
  );
});

test.each([
  ['', '{\n  "mcpServers": {\n    "new": 1\n  }\n}\n'],
  [' \n', '{\n  "mcpServers": {\n    "new": 1\n  }\n}\n'],
  ['{}', '{\n  "mcpServers": {\n    "new": 1\n  }\n}'],
  ['{}\n', '{\n  "mcpServers": {\n    "new": 1\n  }\n}\n'],
  ['// mine\n', '// mine\n{\n  "mcpServers": {\n    "new": 1\n  }\n}\n'],
  ['// mine', '// mine\n{\n  "mcpServers": {\n    "new": 1\n  }\n}\n'],
  ['{\n    "a": 1\n}', '{\n    "a": 1,\n    "mcpServers": {\n        "new": 1\n    }\n}'],
  ['{\n  "mcpServers": null\n}', '{\n  "mcpServers": {\n    "new": 1\n  }\n}'],
  ['{\n  "mcpServers": {}\n}', '{\n  "mcpServers": {\n    "new": 1\n  }\n}'],
  ['{\n  "mcpServers": { // none yet\n  }\n}', '{\n  "mcpServers": { // none yet\n    "new": 1\n  }\n}'],
  ['{\n  "mcpServers": {\n    // none\n  }\n}', '{\n  "mcpServers": {\n    "new": 1\n    // none\n  }\n}'],
  ['{ "mcpServers": { /* none */ } }', '{ "mcpServers": { /* none */ "new": 1 } }'],
  ['{"mcpServers":{"a":1 // x\n}}', '{"mcpServers":{"a":1, // x\n  "new":1\n}}'],
  ['{"mcpServers": {"a": 1,\n "b": 2}}', '{"mcpServers": {"a": 1,\n "b": 2,\n "new": 1}}'],
])('in %j the map is found or made', (text, expected) => {
  expect(insert(text, ['mcpServers'], 'new', 1)).toBe(expected);
});

test('a key with a dot is one key', () => {
  expect(insert('{"amp.mcpServers":{}}', ['amp.mcpServers'], 'x.y', 1)).toBe('{"amp.mcpServers":{"x.y":1}}');
  expect(insert('{"amp":{}}', ['amp.mcpServers'], 'x', 1)).toBe('{"amp":{},"amp.mcpServers":{"x":1}}');
});

test.each([
  ['{\n  "a": 1,\n  "x": 2,\n  "b": 3\n}', '{\n  "a": 1,\n  "b": 3\n}'],
  ['{\n  "a": 1,\n  "x": 2\n}', '{\n  "a": 1\n}'],
  ['{\n  "a": 1, // one\n  "x": 2 // two\n}', '{\n  "a": 1 // one\n}'],
  ['{\n  "x": {\n    "y": 1\n  },\n  "b": 3\n}', '{\n  "b": 3\n}'],
  [
    '{\n  // about a\n  "a": 1,\n  // about x\n  /* more */\n  "x": 2,\n  // about b\n  "b": 3\n}',
    '{\n  // about a\n  "a": 1,\n  // about b\n  "b": 3\n}',
  ],
  ['{\n  "a": 1,\n  // a section\n\n  "x": 2\n}', '{\n  "a": 1\n  // a section\n\n}'],
  ['{\n  "a": 1, /* of a\n  too */\n  "x": 2,\n}', '{\n  "a": 1, /* of a\n  too */\n}'],
  ['{\n  "a": 1,\n\n  "x": 2,\n\n  "b": 3\n}', '{\n  "a": 1,\n\n  "b": 3\n}'],
  ['{"a":1,"x":2,"b":3}', '{"a":1,"b":3}'],
  ['{"x": 2, "b": 3}', '{"b": 3}'],
  ['{"a": 1, "x": 2}', '{"a": 1}'],
  ['{"a": 1, "x": 2,}', '{"a": 1,}'],
  ['{"a": 1, "x": 2 /* of x */ }', '{"a": 1 }'],
  ['{"a": 1, /* of x */ "x": 2}', '{"a": 1 /* of x */}'],
  ['{"x": 2, /* of b */ "b": 3}', '{/* of b */ "b": 3}'],
  ['{"x": 2, // of x\n "b": 3}', '{"b": 3}'],
  ['{"x": 2}', '{}'],
  ['{\n  "x": 2\n}\n', '{}\n'],
  ['{ // note\n  "x": 2\n}', '{ // note\n}'],
  ['{\n  "a": 1\n, "x": 2\n}', '{\n  "a": 1\n}'],
  ['{\n  "x": 1\n, "b": 2\n}', '{\n  "b": 2\n}'],
  ['{"x": 1, "b": 2, "x": 3}', '{"b": 2}'],
])('"x" is taken from %j with what belongs to it', (text, expected) => {
  expect(remove(text, [], 'x')).toBe(expected);
});

test('a value changes in place; of two equal keys the last one does', () => {
  const text =
    '{\n  "x": {"enabled": true}, // old\n  "x": {\n    "enabled": true, // on\n    "b": [1]\n  }\n}';
  expect(edit(text, { kind: 'replace', path: ['x'], key: 'enabled', value: false })).toBe(
    '{\n  "x": {"enabled": true}, // old\n  "x": {\n    "enabled": false, // on\n    "b": [1]\n  }\n}',
  );
});

test('a map in the place of a map keeps the comments of what stays', () => {
  const text = `{
  "x": {
    // the command
    "command": "old", // tail
    "args": ["a"],
    // gone soon
    "cwd": "/"
  }
}`;
  const value = { command: 'new', args: ['a'], env: { A: '1' } };
  expect(edit(text, { kind: 'replace', path: [], key: 'x', value })).toBe(`{
  "x": {
    // the command
    "command": "new", // tail
    "args": ["a"],
    "env": {
      "A": "1"
    }
  }
}`);
});

test('lists grow, shrink and change', () => {
  expect(edit('{"a": [1, 2]}', { kind: 'append', path: ['a'], value: 3 })).toBe('{"a": [1, 2, 3]}');
  expect(edit('{\n  "a": [\n    1 // one\n  ]\n}', { kind: 'append', path: ['a'], value: { b: 2 } })).toBe(
    '{\n  "a": [\n    1, // one\n    {\n      "b": 2\n    }\n  ]\n}',
  );
  expect(edit('{}', { kind: 'append', path: ['a', 'b'], value: 1 })).toBe(
    '{\n  "a": {\n    "b": [1]\n  }\n}',
  );
  expect(remove('{"a": [1, 2, 3]}', ['a'], 1)).toBe('{"a": [1, 3]}');
  expect(remove('{"a": [1]}', ['a'], 0)).toBe('{"a": []}');
  expect(edit('{"a": [{"n": 1}, {"n": 2}]}', { kind: 'replace', path: ['a', 1], key: 'n', value: 5 })).toBe(
    '{"a": [{"n": 1}, {"n": 5}]}',
  );
  expect(edit('{"a": [1, 2]}', { kind: 'replace', path: ['a'], key: 0, value: [7] })).toBe('{"a": [[7], 2]}');
});

test.each([
  [insert('{"a": 1}', [], 'a', 2), 'refused: "a" already exists'],
  [insert('{"a": {"b": 1}}', ['a'], 'b', 2), 'refused: "a.b" already exists'],
  [insert('{"a": [1]}', ['a'], 'b', 2), 'refused: "a" holds no entries'],
  [insert('[]', [], 'b', 2), 'refused: the file holds no entries'],
  [insert('{', [], 'b', 2), 'refused: the text cannot be read: a property name in double quotes is missing'],
  [remove('{}', [], 'b'), 'refused: there is no "b"'],
  [remove('{"a": [1]}', ['a'], 3), 'refused: there is no "a[3]"'],
  [edit('{"a": {}}', { kind: 'append', path: ['a'], value: 1 }), 'refused: "a" is not a list'],
  [edit('{"a": 1}', { kind: 'replace', path: ['b'], key: 'c', value: 1 }), 'refused: there is no "b.c"'],
])('what cannot be done is %s', (result, expected) => {
  expect(result).toBe(expected);
});

test('reserved names are keys like any other', () => {
  const text = insert('{}', ['__proto__'], 'constructor', 1);
  expect(text).toBe('{\n  "__proto__": {\n    "constructor": 1\n  }\n}');
  expect(remove(text, ['__proto__'], 'constructor')).toBe('{\n  "__proto__": {}\n}');
});

interface Sample {
  readonly text: string;
  readonly paths: readonly string[][];
}

const names = ['a', 'b', 'c d', 'x.y', '__proto__'];

/** Writes a value as messily as people do: comments, blank lines, trailing commas, several entries on a line. */
function messy(random: fc.Arbitrary<number>): fc.Arbitrary<Sample> {
  return fc
    .tuple(
      fc.dictionary(
        fc.constantFrom(...names),
        fc.letrec((tie) => ({
          tree: fc.oneof(
            { maxDepth: 3 },
            fc.constantFrom<JsonValue>(1, 'x // y', null, [], [1, 'a']),
            tie('map'),
          ),
          map: fc.dictionary(fc.constantFrom(...names), tie('tree'), { maxKeys: 4, noNullPrototype: true }),
        })).tree,
        { maxKeys: 4 },
      ),
      fc.array(random, { minLength: 1, maxLength: 80 }),
      fc.constantFrom('\n', '\r\n'),
      fc.constantFrom('  ', '\t', '    '),
    )
    .map(([value, dice, eol, unit]) => {
      const paths: string[][] = [];
      let thrown = 0;
      const pick = (...choices: string[]): string =>
        choices[(dice[thrown++ % dice.length] ?? 0) % choices.length] ?? '';
      const gap = (indent: string): string =>
        pick(
          '',
          ' ',
          `${eol}${indent}`,
          `${eol}${indent}`,
          ` /* c */`,
          ` // d${eol}${indent}`,
          `${eol}${indent}// e${eol}${indent}`,
          `${eol}${eol}${indent}`,
        );
      const write = (node: unknown, path: string[], indent: string): string => {
        if (!isObject(node)) return JSON.stringify(node);
        paths.push(path);
        const inner = indent + unit;
        const entries = Object.entries(node);
        if (entries.length === 0)
          return pick('{}', '{}', `{ /* f */ }`, `{${eol}${inner}// g${eol}${indent}}`);
        const lines = entries.map(
          ([key, item]) =>
            `${gap(inner)}${JSON.stringify(key)}:${pick('', ' ')}${write(item, [...path, key], inner)}`,
        );
        return `{${lines.join(pick(',', ' ,', ', // h' + eol))}${pick('', ',', ' // i' + eol, ' /* j */', ', // k' + eol)}${pick('', ' ', eol + indent, eol + indent)}}`;
      };
      const head = pick('', `// head${eol}`, eol);
      return { text: head + write(value, [], '') + pick('', eol), paths };
    });
}

const numbers = fc.nat(1000);
const values = fc.constantFrom<JsonValue>(1, 'v', null, {}, [], { n: { m: [1, 2] } }, [{ q: 1 }], 'a"b\n');

function read(text: string): unknown {
  const document = jsonTools.parse(text);
  return document.ok && document.root !== undefined
    ? JSON.parse(JSON.stringify(toValue(document.root)))
    : undefined;
}

test('adding and taking away again restores every byte', () => {
  fc.assert(
    fc.property(messy(numbers), numbers, values, ({ text, paths }, at, value) => {
      expect(read(text)).toBeDefined();
      const path = paths[at % paths.length] ?? [];
      const added = insert(text, path, 'brand new', value);
      expect(added).not.toContain('refused');
      expect(remove(added, path, 'brand new')).toBe(text);
    }),
    { numRuns: 300 },
  );
});

function isSubsequence(part: string, whole: string): boolean {
  let at = 0;
  for (const character of whole) if (character === part[at]) at += 1;
  return at === part.length;
}

test('any entry can be taken away, by deleting alone, or changed', () => {
  fc.assert(
    fc.property(messy(numbers), numbers, values, ({ text, paths }, at, value) => {
      const inner = paths.filter((path) => path.length > 0);
      const whole = inner[at % Math.max(inner.length, 1)] ?? [];
      const key = whole.at(-1);
      fc.pre(key !== undefined);
      const less = remove(text, whole.slice(0, -1), key ?? '');
      expect(less).not.toContain('refused');
      expect(isSubsequence(less, text)).toBe(true);
      const changed = edit(text, { kind: 'replace', path: whole.slice(0, -1), key: key ?? '', value });
      expect(changed).not.toContain('refused');
    }),
    { numRuns: 300 },
  );
});
