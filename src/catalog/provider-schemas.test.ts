import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { providerProblems } from '../../tests/support/provider-subsets.ts';
import { toolSchemas } from '../../tests/support/tool-schemas.ts';
import { checkArguments } from './check-arguments.ts';
import { restoreNames, schemaFor, type Provider } from './provider-schemas.ts';

const providers: readonly Provider[] = ['openai', 'openai-strict', 'anthropic', 'gemini', 'generic'];
const schemaOf = (inputSchema: unknown, provider: Provider): object =>
  schemaFor({ inputSchema }, provider).schema;
const object = (properties: object, more: object = {}): object => ({ type: 'object', properties, ...more });

/** What the report says was lost and no description tells. */
function untold({ description, schema, losses }: ReturnType<typeof schemaFor>): readonly string[] {
  const told = JSON.stringify([description, schema]);
  const inside = (text: string): boolean => told.includes(JSON.stringify(text.slice(0, 40)).slice(1, -1));
  return losses.filter((loss) => !inside(loss.slice(loss.indexOf(': ') + 2)));
}

describe.each(providers)('for %s', (provider) => {
  test.each(toolSchemas)(
    'the schema $name is taken, and what was lost of it stands in a description',
    ({ schema }) => {
      const fitted = schemaFor({ description: 'Does it.', inputSchema: schema }, provider);

      expect(providerProblems[provider](fitted.schema)).toEqual([]);
      expect(fitted.description.startsWith('Does it.')).toBe(true);
      expect(untold(fitted)).toEqual([]);
      expect(JSON.stringify(fitted.schema).length).toBeLessThan(400_000);
    },
  );

  test('anything at all in a schema’s place becomes one that is taken', () => {
    const keywords = [
      'type',
      'properties',
      'items',
      'anyOf',
      'oneOf',
      'allOf',
      'enum',
      'const',
      '$ref',
      'required',
      'minimum',
      'format',
      'additionalProperties',
      'default',
      'not',
      'nullable',
      'prefixItems',
      'description',
    ];
    const operands = fc.constantFrom<unknown>(
      'object',
      'array',
      'string',
      ['string', 'null'],
      'integer',
      '#',
      '#/properties/a',
      ['a'],
      5,
      true,
      null,
      {},
    );
    const { schema: any } = fc.letrec<{ schema: unknown }>((tie) => ({
      schema: fc.dictionary(
        fc.constantFrom(...keywords),
        fc.oneof(
          { maxDepth: 4 },
          operands,
          tie('schema'),
          fc.array(tie('schema'), { maxLength: 3 }),
          fc.dictionary(fc.constantFrom('a', 'b c', '__proto__'), tie('schema'), { maxKeys: 2 }),
        ),
        { maxKeys: 5 },
      ),
    }));
    fc.assert(
      fc.property(any, (inputSchema) => {
        expect(providerProblems[provider](schemaOf(inputSchema, provider))).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  test('a schema made to grow without end stays small, and quick', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [
        `n${at}`,
        object({ a: { $ref: `#/$defs/n${at + 1}` }, b: { $ref: `#/$defs/n${at + 1}` } }),
      ]),
    );
    const startedAt = process.cpuUsage();
    const schema = schemaOf(
      object({ root: { $ref: '#/$defs/n0' } }, { $defs: { ...$defs, n40: {} } }),
      provider,
    );

    expect(providerProblems[provider](schema)).toEqual([]);
    expect(JSON.stringify(schema).length).toBeLessThan(400_000);
    expect(process.cpuUsage(startedAt).user / 1000).toBeLessThan(500);
  });
});

test('there are sixty schemas and more', () => {
  expect(toolSchemas.length).toBeGreaterThanOrEqual(60);
});

test.each(toolSchemas)(
  'arguments for $name are checked against the original',
  ({ schema, fitting, failing }) => {
    expect(checkArguments(schema, fitting)).toMatchObject({ kind: 'valid', value: fitting, repaired: [] });
    if (failing !== undefined) expect(checkArguments(schema, failing)).toMatchObject({ kind: 'invalid' });
  },
);

describe('what the tool says', () => {
  const schema = object(
    {
      url: { type: 'string', format: 'uri', description: 'Where' },
      limit: { type: 'integer', exclusiveMinimum: 0, default: 10 },
      mode: { enum: ['a', 'b'] },
      since: { type: ['string', 'null'] },
      headers: { type: 'object', additionalProperties: { type: 'string' } },
    },
    { required: ['url'], additionalProperties: false },
  );

  test('is kept as it is where the provider takes it', () => {
    expect(schemaFor({ description: 'Fetches.', inputSchema: schema }, 'anthropic')).toEqual({
      schema: {
        type: 'object',
        properties: {
          url: { type: 'string', description: 'Where', format: 'uri' },
          limit: { type: 'integer', exclusiveMinimum: 0, default: 10 },
          mode: { type: 'string', enum: ['a', 'b'] },
          since: { type: ['string', 'null'] },
          headers: { type: 'object', properties: {}, additionalProperties: { type: 'string' } },
        },
        required: ['url'],
        additionalProperties: false,
      },
      description: 'Fetches.',
      losses: [],
      renamed: {},
    });
  });

  test('is closed and complete in strict mode: what may be left out may be null, a map is JSON text', () => {
    expect(schemaFor({ inputSchema: schema }, 'openai-strict')).toEqual({
      schema: {
        type: 'object',
        properties: {
          url: { type: 'string', description: 'Where (format "uri")' },
          limit: { type: ['integer', 'null'], exclusiveMinimum: 0, description: '(default 10)' },
          mode: { type: ['string', 'null'], enum: ['a', 'b', null] },
          since: { type: ['string', 'null'] },
          headers: {
            type: ['string', 'null'],
            description: '(an object, other properties hold string, written as JSON text)',
          },
        },
        required: ['url', 'limit', 'mode', 'since', 'headers'],
        additionalProperties: false,
      },
      description: '',
      losses: [
        'url: format "uri"',
        'limit: default 10',
        'headers: an object, other properties hold string, written as JSON text',
      ],
      renamed: {},
    });
    expect(
      checkArguments(schema, { url: 'u', limit: null, mode: null, since: null, headers: '{"a":"b"}' }),
    ).toEqual({
      kind: 'valid',
      value: { url: 'u', since: null, headers: { a: 'b' } },
      repaired: ['limit: null left out', 'mode: null left out', 'headers: JSON text to value'],
      warnings: [],
    });
  });

  test('loses what OpenAPI has no word for', () => {
    expect(schemaFor({ inputSchema: schema }, 'gemini')).toMatchObject({
      schema: {
        type: 'object',
        properties: {
          url: { type: 'string', description: 'Where (format "uri")' },
          limit: { type: 'integer', minimum: 1, description: '(default 10)' },
          mode: { type: 'string', enum: ['a', 'b'] },
          since: { type: 'string', nullable: true },
        },
        required: ['url'],
      },
      description: '(no other properties)',
    });
  });

  test('about alternatives at the root is merged, and told', () => {
    const either = {
      oneOf: [
        object({ kind: { const: 'a' }, x: { type: 'integer' } }, { required: ['kind', 'x'] }),
        object({ kind: { const: 'b' } }, { required: ['kind'] }),
      ],
    };

    expect(schemaFor({ description: 'Does.', inputSchema: either }, 'openai')).toEqual({
      schema: {
        type: 'object',
        properties: { kind: { type: 'string', enum: ['a', 'b'] }, x: { type: 'integer' } },
        required: ['kind'],
      },
      description: 'Does.\n(exactly one of these: kind "a", x | kind "b")',
      losses: ['(root): exactly one of these: kind "a", x | kind "b"'],
      renamed: {},
    });
  });

  test('about itself stays a reference where there are any', () => {
    const tree = object(
      { node: { $ref: '#/$defs/n' } },
      { $defs: { n: object({ next: { $ref: '#/$defs/n' } }) } },
    );

    expect(schemaOf(tree, 'openai')).toEqual({
      type: 'object',
      properties: { node: { type: 'object', properties: { next: { $ref: '#/$defs/part1' } } } },
      $defs: { part1: { type: 'object', properties: { next: { $ref: '#/$defs/part1' } } } },
    });
    expect(schemaOf(tree, 'gemini')).toEqual({
      type: 'object',
      properties: {
        node: {
          type: 'object',
          properties: { next: { type: 'string', description: '(more of the same, written as JSON text)' } },
        },
      },
    });
  });
});

describe('parameters a provider refuses by name', () => {
  const schema = object(
    { 'filter[id]': { type: 'string' }, filter_id_: { type: 'string' }, 名前: { type: 'string' } },
    { required: ['filter[id]'] },
  );

  test.each(['anthropic', 'gemini', 'generic'] as const)(
    'are renamed for %s, told, and found again',
    (provider) => {
      const fitted = schemaFor({ inputSchema: schema }, provider);

      expect(fitted).toEqual({
        schema: object(
          { filter_id__2: { type: 'string' }, filter_id_: { type: 'string' }, __: { type: 'string' } },
          { required: ['filter_id__2'] },
        ),
        description: '(filter_id__2 stands for "filter[id]"; __ stands for "名前")',
        losses: ['(root): filter_id__2 stands for "filter[id]"', '(root): __ stands for "名前"'],
        renamed: { filter_id__2: 'filter[id]', __: '名前' },
      });
      expect(
        restoreNames({ filter_id__2: 'a', filter_id_: 'b', __: 'c', other: 'd' }, fitted.renamed),
      ).toEqual({
        'filter[id]': 'a',
        filter_id_: 'b',
        名前: 'c',
        other: 'd',
      });
    },
  );

  test('are left alone where any name is taken', () => {
    expect(schemaFor({ inputSchema: schema }, 'openai-strict').renamed).toEqual({});
  });

  test('cost nothing when there are none', () => {
    const given = { a: 1 };

    expect(restoreNames(given, {})).toBe(given);
  });
});

test('the tool’s own schema is left as it was', () => {
  const before = JSON.stringify(toolSchemas.filter(({ name }) => !name.startsWith('5,000')));
  for (const { schema } of toolSchemas)
    for (const provider of providers) schemaFor({ inputSchema: schema }, provider);

  expect(JSON.stringify(toolSchemas.filter(({ name }) => !name.startsWith('5,000')))).toBe(before);
});

describe.each(providers)('T115: for %s', (provider) => {
  const many = <Item>(count: number, make: (at: number) => Item): Item[] =>
    Array.from({ length: count }, (_, at) => make(at));
  const named = (count: number, make: (at: number) => unknown): object =>
    Object.fromEntries(many(count, (at) => [`p${at}`, make(at)]));
  const ref = { $ref: '#/$defs/a' };
  const nested = { anyOf: many(50, () => ({ $ref: '#/$defs/b' })) };

  test.each<readonly [string, object]>([
    [
      'a long description',
      object(
        named(1000, () => ref),
        { $defs: { a: { type: 'string', description: 'x'.repeat(1 << 20) } } },
      ),
    ],
    [
      'a long value',
      object(
        named(1000, () => ref),
        { $defs: { a: { enum: ['x'.repeat(1 << 20)] } } },
      ),
    ],
    [
      'a wide object',
      object(
        named(1000, () => ref),
        { $defs: { a: object(named(5000, () => true)) } },
      ),
    ],
    [
      'a wide object of many parts',
      object(
        named(1000, () => ref),
        {
          $defs: {
            a: { allOf: many(150, () => ({ $ref: '#/$defs/b' })) },
            b: object(named(5000, () => true)),
          },
        },
      ),
    ],
    [
      'alternatives',
      object(
        { x: { anyOf: many(50, () => ref) } },
        { $defs: { a: nested, b: { anyOf: many(50, () => object(named(90, () => true))) } } },
      ),
    ],
  ])('%s that is referred to a thousand times is not written out a thousand times', (_name, inputSchema) => {
    const startedAt = process.cpuUsage();
    const fitted = schemaFor({ inputSchema }, provider);
    const tookMs = process.cpuUsage(startedAt).user / 1000;

    expect(JSON.stringify(fitted.schema).length).toBeLessThan(4 << 20);
    expect(providerProblems[provider](fitted.schema)).toEqual([]);
    expect(tookMs).toBeLessThan(400);
  });

  test('thousands of names that become the same are told apart in time linear in their number', () => {
    const odd = (count: number): object =>
      object(Object.fromEntries(many(count, (at) => [String.fromCodePoint(0x4e_00 + at), {}])));
    const startedAt = process.cpuUsage();
    const { renamed } = schemaFor({ inputSchema: odd(1900) }, provider);

    expect(process.cpuUsage(startedAt).user / 1000).toBeLessThan(400);
    expect([0, 1900]).toContain(new Set(Object.values(renamed)).size);
  });
});
