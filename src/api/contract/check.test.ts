import { expect, expectTypeOf, test } from 'vitest';

import { check, readQuery } from './check.ts';
import { s, type Infer } from './schema.ts';

const person = s.exactObject({
  name: s.string({ minLength: 1 }),
  age: s.optional(s.integer({ minimum: 0 })),
  tags: s.array(s.oneOf(['a', 'b'])),
});

test('a schema gives its type to the compiler', () => {
  expectTypeOf<Infer<typeof person>>().toEqualTypeOf<{
    readonly name: string;
    readonly age?: number;
    readonly tags: readonly ('a' | 'b')[];
  }>();
});

test('accepts a valid value, with and without optional fields', () => {
  expect(check(person, { name: 'x', tags: ['a'] })).toEqual({ ok: true });
  expect(check(person, { name: 'x', age: 3, tags: [] })).toEqual({ ok: true });
});

test.each([
  ['a missing field', { tags: [] }, 'name'],
  ['a field that nobody named', { name: 'x', tags: [], nmae: 'y' }, 'nmae'],
  ['a wrong type', { name: 'x', age: 'old', tags: [] }, 'age'],
  ['a value outside its bounds', { name: 'x', age: -1, tags: [] }, 'age'],
  ['a wrong item', { name: 'x', tags: ['c'] }, 'tags[0]'],
])('%s is refused, and the place is named', (_what, value, place) => {
  const verdict = check(person, value);
  expect(verdict.ok).toBe(false);
  expect(verdict.ok ? '' : (verdict.errors[0] ?? '').split(': ')[0]).toBe(place);
});

test('T132: a name that is half of a surrogate pair does not fit, at any depth', () => {
  const half = { '\ud800': 1 };
  const place = String.raw`["\ud800"]`;
  expect(check(person, { name: 'x', tags: [], ...half })).toEqual({
    ok: false,
    errors: [`${place}: expected nothing by this name; known: name, age, tags`],
  });
  expect(check(s.object({ inner: s.exactObject({}) }), { inner: half })).toEqual({
    ok: false,
    errors: [expect.stringMatching(/^inner\["\\ud800"\]: expected nothing/)],
  });
});

test('numbers of a query are read as numbers, the rest stays text, and strangers are left out', () => {
  const schema = s.object({ lines: s.optional(s.integer()), search: s.optional(s.string()) });
  const read = (text: string): unknown => readQuery(schema, new URLSearchParams(text));
  expect(read('lines=20&search=20&directory=/x')).toEqual({ lines: 20, search: '20' });
  expect(read('lines=many')).toEqual({ lines: 'many' });
  expect(read('search=a&search=b')).toEqual({ search: 'a' });
});
