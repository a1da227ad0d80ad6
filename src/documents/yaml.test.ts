import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import type { JsonValue } from '../kernel/json.ts';
import { dig, get, toValue, type DocNode } from './tree.ts';
import { parseYaml } from './yaml.ts';
import { cpuMs } from '../../tests/support/cpu-time.ts';

const plain = { bom: false, utf16: false };

function tree(text: string): DocNode {
  const document = parseYaml(text, plain);
  if (!document.ok) throw new Error(`${document.message} at ${document.offset}`);
  if (document.root === undefined) throw new Error('the text is empty');
  return document.root;
}

function read(text: string): JsonValue {
  return toValue(tree(text));
}

function fault(text: string): [string, string, string] {
  const document = parseYaml(text, plain);
  if (document.ok) throw new Error('the text was read');
  return [document.reason, document.message, text.slice(document.offset, document.offset + 5)];
}

function keys(node: DocNode | undefined): [string, number][] {
  return node?.kind === 'object' ? node.entries.map(({ key, keyStart }) => [key, keyStart]) : [];
}

test('block and flow, lists and maps, all kinds of scalars', () => {
  const text = `
# servers
mcpServers:
  - name: docs
    command: 'npx'
    args: [ -y, "a b", 3, true, ~ ]
    env: { A: x, B: "1" }
  - {name: two, url: http://x/y#z} # tail
text: |
  one
  two
folded: >-
  one
  two
empty:
hex: 0x10
yes: yes
`;
  expect(read(text)).toEqual({
    mcpServers: [
      { name: 'docs', command: 'npx', args: ['-y', 'a b', 3, true, null], env: { A: 'x', B: '1' } },
      { name: 'two', url: 'http://x/y#z' },
    ],
    text: 'one\ntwo\n',
    folded: 'one two',
    empty: null,
    hex: 16,
    yes: 'yes',
  });
});

test('offsets point at keys and values, also with CRLF and beyond the first plane', () => {
  const text = '😀: 1\r\nmap:\r\n  "b c": [x, yz]\r\n';
  expect(keys(tree(text))).toEqual([
    ['😀', 0],
    ['map', 7],
  ]);
  expect(keys(dig(tree(text), ['map']))).toEqual([['b c', 15]]);
  const list = dig(tree(text), ['map', 'b c']);
  expect(text.slice(list?.start, list?.end)).toBe('[x, yz]');
  const items = list?.kind === 'array' ? list.items : [];
  expect(items.map(({ start, end }) => text.slice(start, end))).toEqual(['x', 'yz']);
});

test('a key written twice is there twice, and the last one counts', () => {
  expect(keys(tree('a: 1\nb: 2\na: 3\n'))).toEqual([
    ['a', 0],
    ['b', 5],
    ['a', 10],
  ]);
  expect(read('a: 1\nb: 2\na: 3\n')).toEqual({ a: 3, b: 2 });
});

test('keys that are no strings are spelled as written', () => {
  expect(read('1.0: a\ntrue: b\n~: c\n? [x, 1]\n: d\n? {y: 1}\n: e\n')).toEqual({
    '1.0': 'a',
    true: 'b',
    '~': 'c',
    '["x",1]': 'd',
    '{"y":1}': 'e',
  });
});

test('reserved names are keys like any other', () => {
  const value = read('__proto__: {x: 1}\nconstructor: 2\n');
  expect(JSON.stringify(value)).toBe('{"__proto__":{"x":1},"constructor":2}');
  expect('x' in {}).toBe(false);
});

test('an alias stands for the last anchor of its name above it', () => {
  const text = 'a: &x [1]\nb: *x\nc: &x 2\nd: *x\n*x : e\n';
  expect(read(text)).toEqual({ a: [1], b: [1], c: 2, d: 2, 2: 'e' });
  const alias = get(tree(text), 'b');
  expect(text.slice(alias?.start, alias?.end)).toBe('*x');
});

test('merge keys fill in what is not there', () => {
  const text = `
base: &base {command: npx, timeout: 1}
more: &more {timeout: 2, cwd: /x}
one:
  <<: *base
  timeout: 3
two:
  timeout: 3
  <<: [*base, *more]
three:
  <<: {a: 1}
  <<: {a: 2, b: 3}
`;
  const value = tree(text);
  expect(toValue(value)).toMatchObject({
    one: { command: 'npx', timeout: 3 },
    two: { command: 'npx', timeout: 3, cwd: '/x' },
    three: { a: 1, b: 3 },
  });
  // What a merge loses is no duplicate key.
  expect(keys(get(value, 'two')).map(([key]) => key)).toEqual(['timeout', 'command', 'cwd']);
});

test('a quoted "<<" and a merge of no map are ordinary entries', () => {
  expect(read('"<<": {a: 1}\n')).toEqual({ '<<': { a: 1 } });
  expect(read('<<: 5\n')).toEqual({ '<<': 5 });
});

test('tags make nothing but plain values', () => {
  expect(
    read(
      'a: !!js/function "f"\nb: !!binary aGk=\nc: !mine {x: 1}\nd: !!set {y}\ne: !!str 5\nf: !!timestamp 2020-01-01\ng: !!omap [h: 1]\n',
    ),
  ).toEqual({
    a: 'f',
    b: 'aGk=',
    c: { x: 1 },
    d: { y: null },
    e: '5',
    f: '2020-01-01',
    g: [{ h: 1 }],
  });
});

test('a %YAML 1.1 line does not turn words into booleans', () => {
  expect(read('%YAML 1.1\n---\na: yes\nb: 2020-01-01\n')).toEqual({ a: 'yes', b: '2020-01-01' });
});

test.each(['', ' \r\n', '# only a comment\n'])('%j has no root', (text) => {
  expect(parseYaml(text, plain)).toMatchObject({ ok: true, root: undefined });
});

test('T135: a file with thousands of faults is refused sooner than a valid one of that size is read', () => {
  const cpuTime = (text: string): number => {
    const times = Array.from({ length: 5 }, () => {
      const start = process.cpuUsage();
      parseYaml(text, plain);
      return process.cpuUsage(start).user;
    });
    return Math.min(...times);
  };
  const valid = `a: [${Array.from({ length: 8500 }, () => '1').join(',')}]\n`;
  expect(cpuTime(`a: [1${','.repeat(17_000)}]\n`) / cpuTime(valid)).toBeLessThan(1);
});

test('comments are noted, what the bytes were is passed on', () => {
  expect(parseYaml('a: 1 # x', { bom: true, utf16: true })).toMatchObject({
    liberties: { bom: true, utf16: true, comments: true, trailingCommas: false },
  });
  expect(parseYaml('a: "# x"\nb: x#y\nc: |\n  # no comment\n', plain)).toMatchObject({
    liberties: { comments: false },
  });
});

test.each([
  ['a: [1', 'syntax', ''],
  ['a: "x', 'syntax', ''],
  ['a: b: c', 'syntax', 'b: c'],
  ['a: *x', 'syntax', '*x'],
  ['a: 1\n---\nb: 2\n', 'syntax', '---\nb'],
  ['a:\n\t- x\n', 'syntax', '\t- x\n'],
  ['a: &x [*x]\n', 'syntax', '*x]\n'],
  ['a: @x\n', 'syntax', '@x\n'],
])('%j is refused where it goes wrong', (text, reason, at) => {
  const [why, message, where] = fault(text);
  expect([why, where]).toEqual([reason, at]);
  expect(message).not.toBe('');
});

test('an alias bomb is refused with a clear message, quickly', () => {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
  for (let level = 1; level < 20; level += 1) {
    lines.push(
      `a${level}: &a${level} [${Array(10)
        .fill(`*a${level - 1}`)
        .join(', ')}]`,
    );
  }
  const startedAt = cpuMs();
  expect(fault(lines.join('\n')).slice(0, 2)).toEqual(['syntax', 'aliases stand for more than 10000 values']);
  expect(cpuMs() - startedAt).toBeLessThan(1000);
});

test('a merge bomb is refused too', () => {
  const lines = ['a0: &a0 {x: [1, 2, 3, 4]}'];
  for (let level = 1; level < 30; level += 1) {
    const merged = `*a${level - 1}`;
    lines.push(`a${level}: &a${level} {<<: [${merged}, ${merged}, ${merged}], y: ${merged}}`);
  }
  expect(fault(lines.join('\n')).slice(0, 2)).toEqual(['syntax', 'aliases stand for more than 10000 values']);
});

function stairs(levels: number): string {
  return Array.from({ length: levels }, (_, level) => `${' '.repeat(level)}a:\n`).join('');
}

test.each([
  ['flow lists', '['.repeat(64) + ']'.repeat(64), '['.repeat(65) + ']'.repeat(65)],
  ['flow maps', '{a: '.repeat(64) + '}'.repeat(64), '{a: '.repeat(65) + '}'.repeat(65)],
  ['block maps', stairs(64), stairs(65)],
  ['compact lists', `${'- '.repeat(64)}x`, `${'- '.repeat(65)}x`],
  ['pairs in flow lists', `${'[a: '.repeat(32)}${']'.repeat(32)}`, `${'[a: '.repeat(33)}${']'.repeat(33)}`],
  [
    'aliases',
    `a: &a ${'['.repeat(62)}${']'.repeat(62)}\nb: [*a]`,
    `a: &a ${'['.repeat(63)}${']'.repeat(63)}\nb: [*a]`,
  ],
])('64 levels of %s are read, 65 are refused', (_, good, bad) => {
  expect(parseYaml(good, plain)).toMatchObject({ ok: true });
  expect(parseYaml(bad, plain)).toMatchObject({ ok: false, reason: 'too-deep' });
});

test.each([
  ['[', '['.repeat(100_000)],
  ['{a: ', '{a: '.repeat(100_000)],
  ['- ', '- '.repeat(100_000)],
  ['? ', '? '.repeat(100_000)],
  ['stairs', stairs(1400)],
  ['[\\n', '[\n'.repeat(500_000)],
])('a depth of 100,000 made of %j is refused at once', (_, text) => {
  const startedAt = cpuMs();
  expect(parseYaml(text, plain)).toMatchObject({ ok: false, reason: 'too-deep' });
  expect(cpuMs() - startedAt).toBeLessThan(500);
});

test('brackets in strings, block texts and comments are no depth', () => {
  const many = '['.repeat(100);
  expect(read(`a: "${many}" # ${many}\nb: |\n  ${many}\nc: x${many}\n`)).toEqual({
    a: many,
    b: `${many}\n`,
    c: `x${many}`,
  });
});

test('no text makes it throw', () => {
  const pieces = fc.constantFrom(
    ...'[]{}:,"\'#\n\\ -?&*!|>%@`~\t'.split(''),
    'a',
    'b: ',
    '\n  ',
    '\n    ',
    '- ',
    '? ',
    ': ',
    '&a ',
    '*a',
    '<<: ',
    '---\n',
    '...\n',
    '|\n',
    '!!map ',
    '\r\n',
    '\u0000',
    '\ufeff',
  );
  const soup = fc.array(pieces, { maxLength: 30 }).map((list) => list.join(''));
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), soup), (text) => {
      const document = parseYaml(text, plain);
      expect(document.ok || document.offset <= text.length).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

test('JSON is YAML', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const text = JSON.stringify(value);
      expect(JSON.stringify(read(text))).toBe(JSON.stringify(JSON.parse(text)));
    }),
    { numRuns: 500 },
  );
});

test('T131: nothing is read after the first fault, or after the start of a second document', () => {
  const rest = 'a: [1, 2, 3]\n'.repeat(6000);
  const cost = (text: string): number => {
    const from = cpuMs();
    parseYaml(text, plain);
    return cpuMs() - from;
  };
  const whole = cost(rest);
  for (const start of ['{}\n}\n', 'a: 1\n---\nb: 1\n---\n'])
    expect([start, cost(start + rest) < whole / 4]).toEqual([start, true]);
});

test('a text of a million parts is refused', () => {
  expect(fault('a: 1\n'.repeat(200_000)).slice(0, 2)).toEqual(['syntax', 'made of more than 100000 parts']);
});
