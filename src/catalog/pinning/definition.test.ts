import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { definitionText, toolDigest, unknownDigest } from './definition.ts';

type Tool = Parameters<typeof toolDigest>[0];

const toolWith = (schema: unknown): Tool => ({ name: 't', inputSchema: schema as Tool['inputSchema'] }); // any shape may come

/** The same in the order that the language gives. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((key) => [key, sorted(Reflect.get(value, key))]),
  );
}

test('the order of keys does not count, however many there are', () => {
  // Keys that look like numbers have an order of their own in any object.
  const key = fc.string({ maxLength: 4 }).filter((text) => !/^\d+$/.test(text) && text !== '__proto__');
  const schema = fc.dictionary(
    key,
    fc.oneof(fc.jsonValue({ maxDepth: 0 }), fc.dictionary(key, fc.integer())),
    {
      maxKeys: 30,
    },
  );
  fc.assert(
    fc.property(schema, (value) => {
      const text = definitionText(toolWith(value));
      const inner = JSON.stringify(sorted(value));
      expect(text).toBe(`{"inputSchema":${inner},"name":"t"}`);
      const turned = Object.fromEntries(Object.entries(value).toReversed());
      expect(toolDigest(toolWith(turned))).toBe(toolDigest(toolWith(value)));
    }),
  );
});

test('what is nested too deeply is told as unknown', () => {
  let schema: object = {};
  for (let depth = 0; depth < 600; depth += 1) schema = { schema };
  expect(toolDigest(toolWith(schema))).toBe(unknownDigest);
});
