/* oxlint-disable unicorn/no-thenable -- `then` is a keyword of JSON Schema */
import { Validator, type Schema } from '@cfworker/json-schema';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { walkThrough } from './check.ts';
import { repair } from './repair.ts';
import type { Walk } from './walk.ts';

/** Without a pause every verdict is there immediately. */
const accepts = (schema: unknown, value: unknown): boolean =>
  walkThrough(schema, value).check(schema, value) === true;

/** Each row: a schema, what it takes, what it refuses. */
const rows: readonly [string, unknown, readonly unknown[], readonly unknown[]][] = [
  ['type integer takes 1.0', { type: 'integer' }, [1, 1.0, -3, 1e20], [1.5, '1', true, null]],
  ['a list of types', { type: ['string', 'null'] }, ['a', null], [1, []]],
  ['nullable of OpenAPI', { type: 'string', nullable: true, enum: ['a'] }, ['a', null], ['b', 1]],
  [
    'enum of any values',
    { enum: [1, 'a', { b: [1] }, null] },
    [1, 'a', { b: [1] }, null],
    [2, { b: [2] }, {}],
  ],
  [
    'const',
    { const: { a: [1, { b: 2 }] } },
    [{ a: [1, { b: 2 }] }],
    [{ a: [1] }, { a: [1, { b: 2 }], c: 1 }],
  ],
  ['bounds', { minimum: 1, exclusiveMaximum: 3 }, [1, 2.9, 'x'], [0.9, 3]],
  ['draft 4 bounds', { minimum: 1, exclusiveMinimum: true }, [1.1], [1, 0]],
  ['multipleOf in decimals', { multipleOf: 0.1 }, [0.3, 1, 1.1], [0.35]],
  ['lengths in characters', { minLength: 2, maxLength: 2 }, ['ab', '😀😀', 5], ['a', 'abc', '😀']],
  ['pattern anywhere in the text', { pattern: 'b+' }, ['abbc', 1], ['ac']],
  [
    'items chain a tuple',
    { prefixItems: [{ type: 'string' }], items: { type: 'integer' } },
    [['a', 1], [], ['a']],
    [[1], ['a', 'b']],
  ],
  ['a closed tuple', { prefixItems: [true, true], items: false }, [[1, 2], [1]], [[1, 2, 3]]],
  [
    'a tuple of draft 7',
    { items: [{ type: 'string' }], additionalItems: false },
    [['a'], []],
    [[1], ['a', 1]],
  ],
  [
    'contains with counts',
    { contains: { type: 'integer' }, minContains: 2, maxContains: 3 },
    [
      [1, 2],
      ['a', 1, 2, 3],
    ],
    [[1], [1, 2, 3, 4], []],
  ],
  ['minContains 0', { contains: { type: 'integer' }, minContains: 0 }, [[], ['a']], []],
  [
    'uniqueItems',
    { uniqueItems: true },
    [[1, '1', true, [1], { a: 1 }], []],
    [
      [1, 1],
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
    ],
  ],
  [
    'properties say nothing of others',
    { properties: { a: { type: 'string' } } },
    [{}, { b: 1 }, [], 'x'],
    [{ a: 1 }],
  ],
  [
    'patternProperties beside additionalProperties',
    {
      properties: { a: true },
      patternProperties: { '^x-': { type: 'string' } },
      additionalProperties: { type: 'integer' },
    },
    [{ a: null, 'x-b': 'c', d: 1 }],
    [{ 'x-b': 1 }, { d: 'c' }],
  ],
  ['propertyNames', { propertyNames: { maxLength: 2 } }, [{ ab: 1 }], [{ abc: 1 }]],
  ['dependentRequired', { dependentRequired: { a: ['b'] } }, [{}, { b: 1 }, { a: 1, b: 1 }], [{ a: 1 }]],
  ['dependentSchemas', { dependentSchemas: { a: { required: ['b'] } } }, [{}, { a: 1, b: 1 }], [{ a: 1 }]],
  [
    'dependencies of draft 7',
    { dependencies: { a: ['b'], c: { required: ['d'] } } },
    [
      { a: 1, b: 1 },
      { c: 1, d: 1 },
    ],
    [{ a: 1 }, { c: 1 }],
  ],
  ['sizes of objects', { minProperties: 1, maxProperties: 2 }, [{ a: 1 }], [{}, { a: 1, b: 1, c: 1 }]],
  [
    'allOf, anyOf, not',
    { allOf: [{ minimum: 1 }], anyOf: [{ type: 'integer' }, { minimum: 5 }], not: { const: 3 } },
    [1, 5.5],
    [0, 1.5, 3],
  ],
  ['exactly one', { oneOf: [{ type: 'integer' }, { minimum: 2 }] }, [1, 2.5], [3, 1.5]],
  [
    'if, then, else',
    {
      if: { properties: { k: { const: 'a' } }, required: ['k'] },
      then: { required: ['x'] },
      else: { required: ['y'] },
    },
    [
      { k: 'a', x: 1 },
      { k: 'b', y: 1 },
    ],
    [{ k: 'a' }, {}],
  ],
  ['boolean schemas', { properties: { a: true, b: false } }, [{ a: 1 }, {}], [{ b: 1 }]],
  [
    'a recursive reference',
    { $ref: '#/$defs/n', $defs: { n: { type: 'object', properties: { next: { $ref: '#/$defs/n' } } } } },
    [{}, { next: { next: {} } }],
    [{ next: 1 }, { next: { next: 1 } }],
  ],
  [
    'the root by #',
    { properties: { self: { $ref: '#' } }, additionalProperties: false },
    [{ self: { self: {} } }],
    [{ self: { x: 1 } }],
  ],
  [
    'a pointer with escapes',
    { $ref: '#/$defs/a~1b~0c%25', $defs: { 'a/b~c%': { type: 'integer' } } },
    [1],
    ['a'],
  ],
  ['an anchor', { $ref: '#here', $defs: { x: { $anchor: 'here', type: 'integer' } } }, [1], ['a']],
  [
    'a part with an $id',
    {
      $id: 'https://x.test/root',
      $ref: 'part',
      $defs: { p: { $id: 'part', $ref: '#/$defs/q', $defs: { q: { type: 'integer' } } } },
    },
    [1],
    ['a'],
  ],
  [
    'neighbours of $ref',
    { $ref: '#/$defs/s', maxLength: 2, $defs: { s: { type: 'string' } } },
    ['ab'],
    ['abc', 1],
  ],
  [
    'no neighbours of $ref in draft 7',
    {
      $schema: 'http://json-schema.org/draft-07/schema#',
      properties: { a: { $ref: '#/definitions/s', maxLength: 2 } },
      definitions: { s: { type: 'string' } },
    },
    [{ a: 'abc' }],
    [{ a: 1 }],
  ],
  [
    'unevaluatedProperties through allOf and $ref',
    {
      $ref: '#/$defs/base',
      properties: { b: true },
      allOf: [{ properties: { c: true } }],
      unevaluatedProperties: false,
      $defs: { base: { properties: { a: true } } },
    },
    [{ a: 1, b: 1, c: 1 }],
    [{ d: 1 }],
  ],
  [
    'unevaluatedProperties chain a condition',
    {
      if: { required: ['k'], properties: { k: true } },
      then: { properties: { x: true } },
      else: { properties: { y: true } },
      unevaluatedProperties: false,
    },
    [{ k: 1, x: 1 }, { y: 1 }],
    [{ x: 1 }, { k: 1, y: 1 }],
  ],
  [
    'unevaluatedProperties of the alternative that fits',
    {
      anyOf: [
        { properties: { a: { const: 1 } }, required: ['a'] },
        { properties: { b: true }, required: ['b'] },
      ],
      unevaluatedProperties: false,
    },
    [{ a: 1 }, { a: 1, b: 2 }],
    [{ a: 2, b: 1 }],
  ],
  [
    'unevaluatedItems',
    { prefixItems: [true], contains: { type: 'string' }, unevaluatedItems: false },
    [[1, 'a'], ['a']],
    [[1, 'a', 2]],
  ],
  [
    'a dynamic reference that is taken over',
    {
      $id: 'https://x.test/tree',
      $dynamicAnchor: 'node',
      $ref: 'https://x.test/base',
      required: ['strict'],
      $defs: {
        base: {
          $id: 'https://x.test/base',
          $dynamicAnchor: 'node',
          type: 'object',
          properties: { child: { $dynamicRef: '#node' } },
        },
      },
    },
    [{ strict: 1, child: { strict: 1 } }],
    [{ strict: 1, child: {} }, { child: { strict: 1 } }],
  ],
  [
    '$recursiveRef of 2019',
    { properties: { a: { $recursiveRef: '#' } }, additionalProperties: false },
    [{ a: { a: {} } }],
    [{ a: { b: 1 } }],
  ],
  ['format says nothing', { format: 'date' }, ['tomorrow', '2026-11-16'], []],
  [
    'operands of the wrong kind say nothing',
    { type: 5, required: 'a', properties: [], enum: 'x', minimum: '3', items: 7, anyOf: {}, pattern: [] },
    [{}, 1, [1], 'a'],
    [],
  ],
];

describe('a schema', () => {
  test.each(rows)('with %s', (_name, schema, fitting, failing) => {
    expect({
      fitting: fitting.filter((value) => accepts(schema, value)),
      failing: failing.filter((value) => !accepts(schema, value)),
    }).toEqual({ fitting, failing });
  });

  test('is never changed by checking, and may be frozen', () => {
    const schema = Object.freeze({
      $ref: '#/$defs/a',
      $defs: Object.freeze({ a: Object.freeze({ type: 'string', pattern: 'x' }) }),
    });

    expect(accepts(schema, 'x')).toBe(true);
    expect(Object.getOwnPropertyNames(schema)).toEqual(['$ref', '$defs']);
  });
});

const leaf = fc.oneof(
  fc.constantFrom<object | boolean>(
    true,
    { type: 'string' },
    { type: 'integer' },
    { type: ['number', 'null'] },
    { enum: ['a', 1, null] },
    { const: 2 },
  ),
  fc.record({ minimum: fc.integer({ min: -3, max: 3 }) }),
  fc.record({ maxLength: fc.integer({ min: 0, max: 3 }) }),
  fc.constant({ $ref: '#/$defs/d' }),
);
const schemas = fc.letrec<{ schema: unknown }>((tie) => {
  const list = fc.array(tie('schema'), { minLength: 1, maxLength: 3 });
  const fields = fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('schema'), { maxKeys: 3 });
  return {
    schema: fc.oneof(
      { maxDepth: 3 },
      leaf,
      fc.record(
        {
          type: fc.constant('object'),
          properties: fields,
          additionalProperties: fc.boolean(),
          required: fc.subarray(['a', 'b']),
        },
        { requiredKeys: ['properties'] },
      ),
      fc.record({ prefixItems: list, items: tie('schema') }, { requiredKeys: ['items'] }),
      fc.record({ anyOf: list }),
      fc.record({ oneOf: list }),
      fc.record({ allOf: list }),
      fc.record({ not: tie('schema') }),
      fc.record({ if: tie('schema'), then: tie('schema'), else: tie('schema') }),
      fc.record({ properties: fields, unevaluatedProperties: fc.constant(false), allOf: list }),
      fc.record({ contains: tie('schema') }),
    ),
  };
}).schema;
const values = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>('a', '', 'abcd', 1, 2, -5, 1.5, null, true),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { maxKeys: 3 }),
  ),
})).value;

test('every verdict is the one an independent validator gives', () => {
  fc.assert(
    fc.property(schemas, values, (inner, value) => {
      const schema = { allOf: [inner], $defs: { d: { type: 'object', required: ['a'] } } };
      // That library writes into schemas, so it gets its own copy.
      const other = new Validator(structuredClone(schema) as Schema, '2020-12'); // our generator makes only schemas
      expect(accepts(schema, value)).toBe(other.validate(value).valid);
    }),
    // A fixed seed: in rare schemas that library also counts properties that a neighbouring branch evaluated.
    { numRuns: 1000, seed: 1 },
  );
});

/** A walk that pauses wherever it can. */
function restless(schema: unknown, value: unknown): Walk {
  const walk = walkThrough(schema, value, async () => undefined);
  return Object.defineProperty(walk, 'sliceLeft', { get: () => -1, set() {} });
}

test('T115: a check that pauses at every step gives the verdict and the reasons of one that never does', async () => {
  await fc.assert(
    fc.asyncProperty(schemas, values, async (inner, value) => {
      const rest = {
        uniqueItems: true,
        patternProperties: { '^a': true },
        propertyNames: { pattern: '^.$' },
      };
      const schema = { allOf: [inner, rest], $defs: { d: { type: 'object', required: ['a'] } } };
      // Reading a schema for the first time is work too.
      const first = walkThrough(schema, value);
      first.failures = [];
      void first.check(schema, value);
      const still = walkThrough(schema, value);
      const paused = restless(schema, value);
      still.failures = [];
      paused.failures = [];
      const passed = still.check(schema, value);
      expect(await paused.check(schema, value)).toBe(passed);
      const stateOf = ({ failures, path, scope, depth, stopped, stepsLeft }: Walk): unknown => ({
        failures,
        path,
        depth,
        stopped,
        stepsLeft,
        scopes: scope.length,
      });
      expect(stateOf(paused)).toEqual(stateOf(still));
      expect(await repair(schema, value, restless(schema, value))).toEqual(
        repair(schema, value, walkThrough(schema, value)),
      );
    }),
    { numRuns: 500 },
  );
});

const long = 'x'.repeat(5000);
const item = fc.letrec<{ item: unknown }>((tie) => ({
  item: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<unknown>(
      0,
      1,
      1.5,
      1e21,
      '1',
      '#1',
      '',
      'null',
      '[]',
      '{}',
      '\ud800',
      '\udc00',
      null,
      true,
    ),
    fc.constantFrom<unknown>(
      long,
      `${long}y`,
      `${long.slice(1)}\ud83d\ude00`,
      `${long.slice(1)}\ud83d\ude01`,
    ),
    fc.array(tie('item'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b', '__proto__', '1', long), tie('item'), { maxKeys: 3 }),
  ),
})).item;

/** The same value with the keys of every object in another order. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]) => [name, turned(inner)] as const);
  return Object.fromEntries(entries.toReversed());
}

describe('T115: uniqueItems', () => {
  const unique = { uniqueItems: true };

  test('says of any list what an independent validator says', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(item, { maxLength: 6 }), fc.boolean(), async (list, repeats) => {
        const all = repeats && list.length > 0 ? [...list, turned(list[0])] : list;
        const { valid } = new Validator(unique, '2020-12').validate(structuredClone(all));
        expect(accepts(unique, all)).toBe(valid);
        expect(await restless(unique, all).check(unique, all)).toBe(valid);
        if (repeats && list.length > 0) expect(valid).toBe(false);
      }),
      { numRuns: 1500 },
    );
  });

  test('takes 1 and 1.0, and 0 and -0, for one number, and digests that are alike for no more than that', () => {
    expect(accepts(unique, JSON.parse('[1, 1.0]'))).toBe(false);
    expect(accepts(unique, JSON.parse('[{"a":0}, {"a":-0}]'))).toBe(false);
    expect(accepts(unique, JSON.parse('[1e2, "100", 100.5, [100]]'))).toBe(true);
    expect(accepts(unique, [[long, 1], [long, 2], { a: long }])).toBe(true);
    expect(accepts(unique, [{ a: long, b: 1 }, 1, { b: 1, a: long }])).toBe(false);
  });

  test('compares items of any depth', () => {
    const nested = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}1${']'.repeat(levels)}`);
    expect(accepts(unique, [nested(900), nested(901)])).toBe(true);
    expect(accepts(unique, [nested(900), nested(900)])).toBe(false);
  });

  test('of twice as many items takes about twice as much work', () => {
    const workFor = (count: number): number => {
      const list = Array.from({ length: count }, (_, at) => ({ a: at, b: at % 7 }));
      const walk = walkThrough(unique, list);
      walk.stepsLeft = 1e9;
      expect(walk.check(unique, list)).toBe(true);
      return 1e9 - walk.stepsLeft;
    };
    expect(workFor(20_000) / workFor(10_000)).toBeLessThan(2.5);
  });
});
