import { expect, test } from 'vitest';
import { parseJson } from '../documents/json.ts';
import { toValue, type ObjectNode } from '../documents/tree.ts';
import { isSwitchOff, mergeNodes } from './entry-nodes.ts';

function object(text: string): ObjectNode {
  const document = parseJson(text, { bom: false, utf16: false });
  if (!document.ok || document.root?.kind !== 'object') throw new Error(`no object: ${text}`);
  return document.root;
}

test.each([
  ['{"enabled": false}', true],
  ['{"disabled": true}', true],
  ['{"enabled": true}', false],
  ['{"disabled": false}', false],
  ['{"enabled": "false"}', false],
  ['{"enabled": null}', false],
  ['{"enabled": 0}', false],
  ['{"disabled": "yes"}', false],
  ['{"off": true}', false],
  ['{"on": false}', false],
  ['{}', false],
  ['{"enabled": false, "command": "x"}', false],
  ['{"enabled": false, "enabled": false}', false],
])('%s is nothing but a switch: %s', (text, expected) => {
  expect(isSwitchOff(object(text))).toBe(expected);
});

test('objects are merged at every depth, everything else is replaced, and the stronger text says where', () => {
  const under = object(
    '{"a": 1, "env": {"X": "1", "Y": {"p": 1}}, "args": ["u", "v"], "t": {"k": 1}, "u": 3}',
  );
  const over = object(
    '   {"a": 2, "env": {"Y": {"q": 2}, "Z": "3"}, "args": ["w"], "t": null, "u": {"k": 2}}',
  );
  const merged = mergeNodes(under, over);
  expect(toValue(merged)).toEqual({
    a: 2,
    env: { X: '1', Y: { p: 1, q: 2 }, Z: '3' },
    args: ['w'],
    t: null,
    u: { k: 2 },
  });
  expect([merged.kind, merged.start, merged.end]).toEqual(['object', over.start, over.end]);
  expect(merged.entries.map(({ key, keyStart }) => [key, keyStart])).toEqual(
    over.entries.map(({ key, keyStart }) => [key, keyStart]),
  );
});
