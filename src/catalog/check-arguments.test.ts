import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkArguments } from './check-arguments.ts';

const object = (properties: unknown, more: object = {}): object => ({ type: 'object', properties, ...more });
const passed = (value: object): object => ({ kind: 'valid', value, repaired: [], warnings: [] });
const mended = (value: object, ...repaired: string[]): object => ({
  kind: 'valid',
  value,
  repaired,
  warnings: [],
});
const refused = (...errors: [string, string][]): object => ({
  kind: 'invalid',
  errors: errors.map(([path, expected]) => ({ path, expected })),
});

describe('arguments', () => {
  const schema = object(
    {
      path: { type: 'string', minLength: 1 },
      head: { type: 'integer', minimum: 1, default: 10 },
      mode: { enum: ['text', 'binary'] },
      tags: { type: 'array', items: { type: 'string' } },
      filter: object({ since: { type: 'string', pattern: String.raw`^\d{4}$` } }, { required: ['since'] }),
    },
    { required: ['path'], additionalProperties: false },
  );

  test('that fit come back as they are, the very same object, without defaults', () => {
    const given = { path: 'a', tags: ['x'], filter: { since: '2026' } };
    const checked = checkArguments(schema, given);

    expect(checked).toEqual(passed(given));
    expect(checked.kind === 'valid' && checked.value).toBe(given);
  });

  test.each([
    [{}, refused(['path', 'string (required)'])],
    [{ path: '' }, refused(['path', 'at least 1 characters'])],
    [{ path: 'a', head: 0 }, refused(['head', 'at least 1'])],
    [{ path: 'a', head: 1.5 }, refused(['head', 'integer'])],
    [{ path: 'a', mode: 'x' }, refused(['mode', 'one of "text" | "binary"'])],
    [{ path: 'a', tags: [{}] }, refused(['tags[0]', 'string'])],
    [{ path: 'a', filter: { since: 'x' } }, refused(['filter.since', String.raw`text that matches ^\d{4}$`])],
    [{ path: 'a', filter: {} }, refused(['filter.since', 'string (required)'])],
    [{ path: 'a', pth: 1 }, refused(['pth', 'nothing by this name; known: path, head, mode, tags, filter'])],
    [
      { head: 'x', mode: 3 },
      refused(['head', 'integer'], ['mode', 'one of "text" | "binary"'], ['path', 'string (required)']),
    ],
    ['x', refused(['(root)', 'object'])],
    [null, refused(['(root)', 'object'])],
    [[], refused(['(root)', 'object'])],
  ])('%j are refused with path and what was expected', (given, expected) => {
    expect(checkArguments(schema, given)).toEqual(expected);
  });

  test('left out altogether count as none', () => {
    expect(checkArguments(object({}), undefined)).toEqual(passed({}));
  });

  test('of an alternative are explained by the one their type leaves', () => {
    const either = object({
      at: { anyOf: [object({ line: { type: 'integer' } }, { required: ['line'] }), { type: 'null' }] },
    });

    expect(checkArguments(either, { at: {} })).toEqual(refused(['at.line', 'integer (required)']));
    expect(checkArguments(either, { at: [] })).toEqual(refused(['at', '{line: integer} | null']));
  });

  test('that miss every alternative are told what each needs', () => {
    const either = object({}, { anyOf: [{ required: ['id'] }, { required: ['name', 'kind'] }] });

    expect(checkArguments(either, {})).toEqual(refused(['(root)', 'any']));
    expect(
      checkArguments(
        object({}, { oneOf: [object({}, { required: ['id'] }), object({}, { required: ['name'] })] }),
        {},
      ),
    ).toEqual(refused(['(root)', 'an object with id or an object with name']));
  });
});

describe('a repair', () => {
  const schema = object(
    {
      count: { type: 'integer' },
      ratio: { type: 'number' },
      all: { type: 'boolean' },
      tags: { type: 'array', items: { type: 'string' } },
      ids: { type: 'array', items: { type: 'integer' } },
      filter: object({ limit: { type: 'integer' } }, { required: ['limit'] }),
      name: { type: 'string' },
      maybe: { type: ['string', 'null'] },
      either: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
      node: { $ref: '#/$defs/node' },
    },
    { $defs: { node: object({ value: { type: 'number' }, next: { $ref: '#/$defs/node' } }) } },
  );

  test.each([
    [{ count: '5' }, mended({ count: 5 }, 'count: text to number')],
    [{ ratio: '-1.5e3' }, mended({ ratio: -1500 }, 'ratio: text to number')],
    [{ all: 'True' }, mended({ all: true }, 'all: text to boolean')],
    [
      { filter: '{"limit": "3"}' },
      mended({ filter: { limit: 3 } }, 'filter: JSON text to value', 'filter.limit: text to number'),
    ],
    [{ tags: '["a"]' }, mended({ tags: ['a'] }, 'tags: JSON text to value')],
    [{ tags: 'a' }, mended({ tags: ['a'] }, 'tags: one value to a list')],
    [{ ids: '7' }, mended({ ids: [7] }, 'ids: one value to a list', 'ids[0]: text to number')],
    [{ ids: ['7', 8] }, mended({ ids: [7, 8] }, 'ids[0]: text to number')],
    [{ count: null, name: 'a' }, mended({ name: 'a' }, 'count: null left out')],
    [{ name: 5 }, mended({ name: '5' }, 'name: number to text')],
    [{ either: '5' }, mended({ either: 5 }, 'either: text to number')],
    [
      { node: { value: '1', next: { value: '2' } } },
      mended(
        { node: { value: 1, next: { value: 2 } } },
        'node.value: text to number',
        'node.next.value: text to number',
      ),
    ],
    ['{"count": 5}', mended({ count: 5 }, '(root): JSON text to value')],
  ])('turns %j into what was meant', (given, expected) => {
    expect(checkArguments(schema, given)).toEqual(expected);
  });

  test.each([
    [{ count: '00713' }, refused(['count', 'integer'])],
    [{ count: '12345678901234567890' }, refused(['count', 'integer'])],
    [{ count: '1.5' }, refused(['count', 'integer'])],
    [{ count: '' }, refused(['count', 'integer'])],
    [{ all: 'yes' }, refused(['all', 'boolean'])],
    [{ filter: '{"limit":"x"}' }, refused(['filter', 'object'])],
    [{ filter: '{' }, refused(['filter', 'object'])],
    [{ name: true }, refused(['name', 'string'])],
    [{ count: '5', all: 'maybe' }, refused(['count', 'integer'], ['all', 'boolean'])],
  ])('is not made of %j: the whole would still not fit', (given, expected) => {
    expect(checkArguments(schema, given)).toEqual(expected);
  });

  test.each([
    [{ name: '5' }],
    [{ name: 'true' }],
    [{ name: '{"a":1}' }],
    [{ maybe: null }],
    [{ extra: '5' }],
  ])('leaves %j alone: it fits as it is', (given) => {
    expect(checkArguments(schema, given)).toEqual(passed(given));
  });

  test('never makes another kind of value of one that is of a kind the schema takes', () => {
    const short = { type: 'string', maxLength: 2 };
    const list = { type: 'array' };

    expect(checkArguments(object({ a: { maxLength: 2 } }), { a: 'long' })).toEqual(
      refused(['a', 'at most 2 characters']),
    );
    expect(
      checkArguments(object({ a: { type: ['string', 'array'], maxLength: 2 } }), { a: 'long' }).kind,
    ).toBe('invalid');
    expect(checkArguments(object({ a: { anyOf: [short, list] } }), { a: 'long' }).kind).toBe('invalid');
    expect(checkArguments(object({ a: { anyOf: [list, short] } }), { a: 'ok' })).toEqual(passed({ a: 'ok' }));
  });

  test('keeps null where the property is required', () => {
    expect(checkArguments(object({ a: { type: 'string' } }, { required: ['a'] }), { a: null })).toEqual(
      refused(['a', 'string']),
    );
  });

  test('never changes what fits, and what it returns always fits unrepaired', () => {
    const value = fc.oneof(
      fc.constantFrom('5', 'true', 'x', '[1]', '{"limit":1}'),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(fc.string()),
    );
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('count', 'all', 'tags', 'filter', 'name', 'either', 'ids'), value),
        (given) => {
          const before = JSON.stringify(given);
          const checked = checkArguments(schema, given);
          expect(JSON.stringify(given)).toBe(before);
          if (checked.kind === 'valid')
            expect(checkArguments(schema, checked.value)).toEqual(passed(checked.value));
        },
      ),
    );
  });
});

test('thousands of rows are checked to the last', () => {
  const rows = object({
    rows: { type: 'array', items: object({ id: { type: 'integer' }, name: { type: 'string' } }) },
  });
  const many = Array.from({ length: 20_000 }, (_, id) => ({ id, name: 'x' }));

  expect(checkArguments(rows, { rows: many })).toEqual(passed({ rows: many }));
  const words = Array.from({ length: 2000 }, (_, id) => ({ id: String(id), name: 'x' }));
  expect(checkArguments(rows, { rows: words })).toMatchObject({
    kind: 'valid',
    value: { rows: many.slice(0, 2000) },
  });
  expect(checkArguments(rows, { rows: [...many, { id: true }] })).toEqual(
    refused(['rows[20000].id', 'integer']),
  );
});

describe('a hostile schema', () => {
  const nested = (levels: number, wrap: (inner: unknown) => unknown): unknown => {
    let schema: unknown = { type: 'string' };
    for (let level = 0; level < levels; level += 1) schema = wrap(schema);
    return schema;
  };
  const quickly = (schema: unknown, args: unknown): ReturnType<typeof checkArguments> => {
    const startedAt = process.cpuUsage();
    const checked = checkArguments(schema, args);
    // Time of our own: a busy machine makes everything late.
    expect(process.cpuUsage(startedAt).user / 1000).toBeLessThan(100);
    return checked;
  };
  const unchecked = (why: string): object => ({
    kind: 'invalid',
    errors: [{ path: '(root)', expected: 'a schema that can be checked' }],
    unchecked: why,
  });
  const tooDeep = 'is nested or refers to itself more than 256 levels deep';
  const tooMuch = 'takes too much work to check';

  test('T51 that refers to itself without end refuses arguments, which nobody can check', () => {
    expect(quickly({ $ref: '#' }, { a: 1 })).toEqual(unchecked(tooDeep));
    expect(
      quickly({ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }, {}),
    ).toEqual(unchecked(tooDeep));
    expect(quickly({ not: { $ref: '#' } }, {})).toEqual(unchecked(tooDeep));
  });

  test('T51 of an exponential graph of references is given up on in time', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [
        `n${at}`,
        { allOf: [{ $ref: `#/$defs/n${at + 1}` }, { $ref: `#/$defs/n${at + 1}` }] },
      ]),
    );
    expect(quickly({ $ref: '#/$defs/n0', $defs: { ...$defs, n60: true } }, {})).toEqual(unchecked(tooMuch));
    expect(
      quickly({ properties: { a: { $ref: '#/$defs/n0' } }, $defs: { ...$defs, n60: false } }, { a: '5' })
        .kind,
    ).toBe('invalid');
  });

  test('T51 that points to another place leads to no connection: the reference says nothing', () => {
    const schema = object({ a: { $ref: 'http://127.0.0.1:9/schema.json' } });

    expect(quickly(schema, { a: 1 })).toEqual({
      kind: 'valid',
      value: { a: 1 },
      repaired: [],
      warnings: ['$ref "http://127.0.0.1:9/schema.json" leads nowhere inside the schema'],
    });
  });

  test('of 10,000 levels neither throws nor hangs', () => {
    expect(
      quickly(
        nested(10_000, (inner) => ({ allOf: [inner] })),
        {},
      ),
    ).toEqual(unchecked(tooDeep));
    expect(
      quickly(
        nested(10_000, (inner) => ({ properties: { a: inner } })),
        { a: { a: 1 } },
      ),
    ).toEqual(passed({ a: { a: 1 } }));
    const deep = JSON.parse(`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`) as object;
    expect(
      quickly(
        nested(10_000, (inner) => ({ properties: { a: inner } })),
        deep,
      ),
    ).toEqual(unchecked(tooDeep));
    expect(quickly({ const: deep }, JSON.parse(JSON.stringify({ a: { a: 2 } })))).toMatchObject({
      kind: 'invalid',
    });
    expect(
      quickly({ enum: [deep] }, JSON.parse(`{"a":`.repeat(5001) + '1' + '}'.repeat(5001))),
    ).toMatchObject({ kind: 'invalid', unchecked: expect.any(String) });
  });

  test('T84 with a catastrophic pattern is decided in time', () => {
    const schema = object({ a: { type: 'string', pattern: '(a+)+$' }, b: { pattern: '^(?=x)' } });

    expect(quickly(schema, { a: 'a'.repeat(40) })).toEqual(passed({ a: 'a'.repeat(40) }));
    expect(quickly(schema, { a: `${'a'.repeat(40)}!` })).toEqual(refused(['a', 'text that matches (a+)+$']));
    expect(quickly(schema, { b: 'y' })).toEqual({
      kind: 'valid',
      value: { b: 'y' },
      repaired: [],
      warnings: ['the pattern "^(?=x)" was not checked'],
    });
  });

  test('T84 with thousands of costly patterns is not checked to the end', () => {
    const patternProperties = Object.fromEntries(
      Array.from({ length: 5000 }, (_, at) => [`((x{9}){9}){9}${at}`, { type: 'string' }]),
    );
    expect(quickly({ patternProperties }, { ['x'.repeat(800)]: 'v' })).toMatchObject({ kind: 'valid' });
  });

  test('with a huge list of values costs no more than looking through it', () => {
    const values = Array.from({ length: 200_000 }, (_, at) => `value ${at}`);

    expect(quickly(object({ a: { enum: values } }), { a: 'value 199999' })).toEqual(
      passed({ a: 'value 199999' }),
    );
    expect(quickly(object({ a: { enum: values } }), { a: 'none' })).toMatchObject({ kind: 'invalid' });
  });

  test('that names __proto__ or constructor means own properties of that name', () => {
    const schema = JSON.parse(
      '{"properties":{"__proto__":{"type":"integer"},"constructor":{"type":"integer"}},"required":["__proto__"]}',
    ) as object;
    const given = JSON.parse('{"__proto__":"5","constructor":"6"}') as object;
    const checked = quickly(schema, given);

    expect(JSON.stringify(checked.kind === 'valid' && checked.value)).toBe('{"__proto__":5,"constructor":6}');
    expect(quickly(schema, {})).toMatchObject({ kind: 'invalid', errors: [{ path: '__proto__' }] });
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
  });

  test('that is no schema at all says nothing', () => {
    const nonsense = fc.oneof(
      fc.jsonValue(),
      fc.record(
        {
          type: fc.jsonValue(),
          properties: fc.jsonValue(),
          required: fc.jsonValue(),
          items: fc.jsonValue(),
          anyOf: fc.jsonValue(),
          enum: fc.jsonValue(),
          $ref: fc.jsonValue(),
          pattern: fc.jsonValue(),
          dependencies: fc.jsonValue(),
          patternProperties: fc.jsonValue(),
          unevaluatedProperties: fc.jsonValue(),
          $id: fc.jsonValue(),
        },
        { requiredKeys: [] },
      ),
    );
    fc.assert(
      fc.property(nonsense, fc.dictionary(fc.string(), fc.jsonValue()), (schema, args) => {
        expect(['valid', 'invalid']).toContain(checkArguments(schema, args).kind);
      }),
      { numRuns: 300 },
    );
  });
});
