import { expect, test } from 'vitest';

import { parseJson } from './json.ts';
import { createLineIndex, dig, get, toValue, type DocNode } from './tree.ts';

function root(text: string): DocNode | undefined {
  const document = parseJson(text, { bom: false, utf16: false });
  return document.ok ? document.root : undefined;
}

test('the last of two equal keys is in force', () => {
  const node = get(root('{"a": 1, "a": 2}'), 'a');
  expect(node === undefined ? undefined : toValue(node)).toBe(2);
});

test('nothing is found in what is no object', () => {
  expect(get(root('[1]'), '0')).toBeUndefined();
  expect(get(root('"text"'), 'length')).toBeUndefined();
  expect(get(undefined, 'a')).toBeUndefined();
  expect(get(root('{}'), 'constructor')).toBeUndefined();
});

test('dig walks down and stops at what is missing', () => {
  const tree = root('{"a": {"b": {"c": true}}}');
  expect(dig(tree, ['a', 'b', 'c'])).toMatchObject({ kind: 'boolean', value: true });
  expect(dig(tree, ['a', 'x', 'c'])).toBeUndefined();
  expect(dig(tree, [])).toBe(tree);
});

test('values have no prototype', () => {
  const node = root('{"a": {"__proto__": [null, {"b": 1}]}}');
  const value = node === undefined ? undefined : toValue(node);
  expect(JSON.stringify(value)).toBe('{"a":{"__proto__":[null,{"b":1}]}}');
  expect(Object.getPrototypeOf(value)).toBeNull();
});

test.each([
  ['abc', 0, { line: 1, column: 1 }],
  ['abc', 2, { line: 1, column: 3 }],
  ['a\nb', 1, { line: 1, column: 2 }],
  ['a\nb', 2, { line: 2, column: 1 }],
  ['a\r\nbc', 4, { line: 2, column: 2 }],
  ['a\n\n', 3, { line: 3, column: 1 }],
])('in %j offset %i is at %j', (text, offset, position) => {
  expect(createLineIndex(text)(offset)).toEqual(position);
});
