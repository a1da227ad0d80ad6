import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import type { JsonValue } from '../kernel/json.ts';
import { parseToml } from './toml.ts';
import { dig, get, toValue, type DocNode } from './tree.ts';
import { cpuMs } from '../../tests/support/cpu-time.ts';

const plain = { bom: false, utf16: false };

function tree(text: string): DocNode {
  const document = parseToml(text, plain);
  if (!document.ok) throw new Error(`${document.message} at ${document.offset}`);
  if (document.root === undefined) throw new Error('the text is empty');
  return document.root;
}

function read(text: string): JsonValue {
  return toValue(tree(text));
}

function fault(text: string): { reason: string; at: string } {
  const document = parseToml(text, plain);
  if (document.ok) throw new Error('the text was read');
  expect(document.message).not.toBe('');
  return { reason: document.reason, at: text.slice(document.offset, document.offset + 5) };
}

function keyStarts(node: DocNode | undefined): [string, number][] {
  return node?.kind === 'object' ? node.entries.map(({ key, keyStart }) => [key, keyStart]) : [];
}

test('headers, dotted keys, lists of tables and inline tables become one tree', () => {
  const text = `
top = 1
dotted.a."b c" = "x" # comment
inline = { p = true, q.r = [1, 2.5, { s = 'lit' }] }

[mcp_servers.docs]
command = "npx"
[mcp_servers.docs.env]
TOKEN = """
multi
line"""

[[list]]
name = "one"
[list.sub]
x = 0x10
[[list]]
name = "two"
[[list.deep]]
y = 1979-05-27T07:32:00Z
`;
  expect(read(text)).toEqual({
    top: 1,
    dotted: { a: { 'b c': 'x' } },
    inline: { p: true, q: { r: [1, 2.5, { s: 'lit' }] } },
    mcp_servers: { docs: { command: 'npx', env: { TOKEN: 'multi\nline' } } },
    list: [
      { name: 'one', sub: { x: 16 } },
      { name: 'two', deep: [{ y: '1979-05-27T07:32:00Z' }] },
    ],
  });
});

test('dates and times become the strings that were written', () => {
  expect(read('a = 1979-05-27\nb = 07:32:00\nc = 1979-05-27 07:32:00')).toEqual({
    a: '1979-05-27',
    b: '07:32:00',
    c: '1979-05-27 07:32:00',
  });
});

test('a key stands where the last name of its header or key stands', () => {
  const text = '[mcp_servers.docs]\ncommand = 1\na.b = 2\n[mcp_servers."x y"]\n';
  const servers = dig(tree(text), ['mcp_servers']);
  expect(keyStarts(tree(text))).toEqual([['mcp_servers', 1]]);
  expect(keyStarts(servers)).toEqual([
    ['docs', text.indexOf('docs')],
    ['x y', text.indexOf('"x y"')],
  ]);
  expect(keyStarts(get(servers, 'docs'))).toEqual([
    ['command', 19],
    ['a', 31],
  ]);
  expect(keyStarts(dig(servers, ['docs', 'a']))).toEqual([['b', 33]]);
});

test('a table defined after its sub-table stands at its own header', () => {
  const text = '[a.x.env]\nk = 1\n[a.x]\ncommand = 2\n';
  const a = get(tree(text), 'a');
  expect(keyStarts(a)).toEqual([['x', text.indexOf('[a.x]') + 3]]);
  expect(read(text)).toEqual({ a: { x: { env: { k: 1 }, command: 2 } } });
});

test('values know their place, also after a line with CRLF and beyond the first plane', () => {
  const text = 'a = "😀"\r\nb = [ "x" ]\r\n';
  const list = get(tree(text), 'b');
  expect(text.slice(list?.start, list?.end)).toBe('[ "x" ]');
});

test('reserved names are keys like any other', () => {
  const value = read('[__proto__]\nx = 1\n[a.constructor]\ny = 2\n');
  expect(JSON.stringify(value)).toBe('{"__proto__":{"x":1},"a":{"constructor":{"y":2}}}');
  expect('x' in {}).toBe(false);
});

test.each(['', ' \r\n\t', '# only a comment\n'])('%j has no root', (text) => {
  expect(parseToml(text, plain)).toMatchObject({ ok: true, root: undefined });
});

test('comments are noted, what the bytes were is passed on', () => {
  expect(parseToml('a = 1 # x', { bom: true, utf16: true })).toMatchObject({
    liberties: { bom: true, utf16: true, comments: true, trailingCommas: false },
  });
  expect(parseToml('a = "#"', plain)).toMatchObject({ liberties: { comments: false } });
});

test.each([
  ['a = ', ''],
  ['a = 1\na = 2', 'a = 2'],
  ['[a]\n[a]', 'a]'],
  ['a = 1\n[a.b]', 'a.b]'],
  ['a = {}\na.b = 1', 'a.b ='],
  ['a = "x', ''],
  ['a = "x\n"', '\n"'],
  ['a 1', '1'],
  ['a = 1 b = 2', 'b = 2'],
  ['= 1', '= 1'],
  ['a = \u0000', '\u0000'],
  ['[a', ''],
])('%j is refused where it goes wrong', (text, at) => {
  expect(fault(text)).toEqual({ reason: 'syntax', at });
});

test.each([
  ['brackets', `a = ${'['.repeat(63)}${']'.repeat(63)}`, `a = ${'['.repeat(64)}${']'.repeat(64)}`],
  ['headers', `[${dotted(63)}]`, `[${dotted(64)}]`],
  ['lists of tables', `[[${dotted(62)}]]\n`, `[[${dotted(64)}]]\n`],
  ['dotted keys', `${dotted(64)} = 1`, `${dotted(65)} = 1`],
  ['mixtures', `[${dotted(31)}]\n${dotted(31)} = {x = 1}`, `[${dotted(31)}]\n${dotted(33)} = {x = 1}`],
  ['dotted keys under a header', `[${dotted(31)}]\n${dotted(33)} = 1`, `[${dotted(31)}]\n${dotted(34)} = 1`],
  ['inline tables', `${'a = {'.repeat(63)}${'}'.repeat(63)}`, `${'a = {'.repeat(64)}${'}'.repeat(64)}`],
])('64 levels of %s are read, 65 are refused', (_, good, bad) => {
  expect(parseToml(good, plain)).toMatchObject({ ok: true });
  expect(parseToml(bad, plain)).toMatchObject({ ok: false, reason: 'too-deep' });
});

function dotted(levels: number): string {
  return Array<string>(levels).fill('a').join('.');
}

test.each([
  ['[', `a = ${'['.repeat(100_000)}`],
  ['[ in the dark', `s = """ \\""" [ """\nq = '''"'''''\na = ${'['.repeat(100_000)}`],
  ['{a=', `a = ${'{a='.repeat(100_000)}`],
  ['a.', `${'a.'.repeat(100_000)}a = 1`],
  ['[a.', `[${dotted(500_000)}]`],
  ['headers', '[[a]]\n'.repeat(10) + `[${dotted(100_000)}]`],
])('a depth of 100,000 made of %j is refused at once', (_, text) => {
  const startedAt = cpuMs();
  expect(parseToml(text, plain)).toMatchObject({ ok: false, reason: 'too-deep' });
  expect(cpuMs() - startedAt).toBeLessThan(500);
});

test('brackets in strings and comments are no depth', () => {
  const many = '['.repeat(100);
  const text = `# ${many}\na = "${many}\\"${many}"\nb = '${many}'\nc = """${many}"""""\nd = '''\n${many}'''\n`;
  expect(Object.keys(read(text) ?? {})).toEqual(['a', 'b', 'c', 'd']);
});

test('no text makes it throw', () => {
  const pieces = fc.constantFrom(
    ...'[]{}=.,"\'#\n\\ '.split(''),
    'a',
    'b.c',
    'a = 1\n',
    '[a]\n',
    '[[a]]\n',
    '[a.b]\n',
    '"""',
    "'''",
    '1',
    'true',
    '1979-05-27',
    'a = {',
    'a.b = 1\n',
    '\u0000',
    '\r\n',
    '\r',
  );
  const soup = fc.array(pieces, { maxLength: 30 }).map((list) => list.join(''));
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), soup), (text) => {
      const document = parseToml(text, plain);
      expect(document.ok || document.offset <= text.length).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

test('a text of a million parts is refused', () => {
  expect(fault(`a = [${'1,'.repeat(500_000)}]`)).toEqual({ reason: 'syntax', at: ',1,1,' });
});
