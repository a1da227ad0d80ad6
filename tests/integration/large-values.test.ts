/* oxlint-disable unicorn/no-thenable -- `then` is a keyword of JSON Schema */
/** Large values and hostile schemas: whatever a keyword has to do, everything else gets its turn. */

import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { describe, expect, test } from 'vitest';

import { changedAnswer } from '../../src/calls/changed-answer.ts';
import { checkArguments, notJson } from '../../src/catalog/check-arguments.ts';
import { checkOutput } from '../../src/catalog/check-output.ts';
import { makeResult, type CallResponse } from '../../src/results/make-result.ts';
import { repairMessage } from '../../src/transports/repair.ts';
import { scaled } from '../fixtures/programs/start-program.ts';
import { stallRatio } from '../support/longest-stall.ts';
import { nextTurn } from '../../src/platform/waits.ts';

const mebibyte = 1 << 20;
const mostStall = 5;

const many = <Item>(count: number, make: (at: number) => Item): Item[] =>
  Array.from({ length: count }, (_, at) => make(at));
const keyed = (count: number, make: (at: number) => unknown, key = 'k'): object =>
  Object.fromEntries(many(count, (at) => [`${key}${at}`, make(at)]));
const repeated = (schema: object | boolean): object => ({
  $defs: { a: schema },
  anyOf: many(3000, () => ({ $ref: '#/$defs/a' })),
});

const small = many(50_000, (at) => ({ a: at, b: at % 7 }));
const digits = many(500_000, (at) => at % 10);
const wide = keyed(90_000, () => 1);
const long = 'x'.repeat(mebibyte);
const halves = [many(60_000, (at) => at + 1e6), many(60_000, (at) => (at === 59_999 ? 1 : at + 1e6))];

/** Every message about an item mentions the schema 64 times. */
const mentioned = (schema: object): object => ({
  items: { anyOf: many(8, () => ({ $ref: '#/$defs/eight' })) },
  $defs: { eight: { anyOf: many(8, () => ({ $ref: '#/$defs/a' })) }, a: schema },
});
const numbers = many(30, (at) => at);

/** For schemas that are one long string: parsing that takes hardly any time. */
const filler = many(150_000, (at) => at);
const twoTypes = {
  $defs: {
    many: { allOf: many(300, () => ({ $ref: '#/$defs/a' })) },
    a: { enum: many(1000, (at) => (at % 2 === 0 ? at : `v${at}`)) },
  },
};

/** Each row: a schema, and a value; the two together are a mebibyte or more. */
const rows: readonly (readonly [string, object, unknown])[] = [
  ['type: a list of many', { items: { type: many(120_000, (at) => `t${at}`) } }, many(1000, (at) => at)],
  [
    'enum of many strings',
    { items: { enum: many(40_000, (at) => `value ${at}`) } },
    many(40_000, (at) => `value ${at}`),
  ],
  ['enum of large values', { enum: halves }, halves[1]],
  ['const: a large list', { const: halves[0] }, halves[0]],
  ['const: a large object', { const: wide }, wide],
  ['const: a long string, many times', repeated({ const: long }), `${long.slice(1)}y`],
  ['minimum, maximum, multipleOf', { items: { minimum: 0, exclusiveMaximum: 10, multipleOf: 1 } }, digits],
  [
    'minLength and maxLength',
    { allOf: many(500, () => ({ minLength: mebibyte - 9, maxLength: mebibyte })) },
    long,
  ],
  ['minProperties', repeated({ minProperties: 100_000 }), wide],
  ['uniqueItems: small objects', { uniqueItems: true }, small],
  ['uniqueItems: numbers', { uniqueItems: true }, many(130_000, (at) => at + 1e6)],
  ['uniqueItems: strings', { uniqueItems: true }, many(90_000, (at) => `value${at}`)],
  ['uniqueItems: large lists', { uniqueItems: true }, halves],
  ['uniqueItems: large objects', { uniqueItems: true }, [keyed(45_000, () => 1), keyed(45_000, (at) => at)]],
  [
    'uniqueItems: strings of one length',
    { uniqueItems: true },
    many(60, (at) => `${'x'.repeat(17_000)}${at + 10}`),
  ],
  [
    'uniqueItems: empty lists and objects',
    { uniqueItems: true },
    many(300_000, (at) => (at === 0 ? {} : [])),
  ],
  ['required', { required: many(60_000, (at) => `k${at}`) }, wide],
  [
    'pattern on many strings',
    { items: { pattern: '^(([a-z])+.)+[A-Z]([a-z])+$' } },
    many(60_000, (at) => `some words ${at}`),
  ],
  ['properties', { properties: keyed(40_000, () => ({ type: 'integer' })) }, wide],
  ['patternProperties', { patternProperties: keyed(2000, () => ({ type: 'integer' }), '^k') }, wide],
  ['additionalProperties', { properties: { k1: true }, additionalProperties: { type: 'integer' } }, wide],
  ['propertyNames', { propertyNames: { minLength: 1, pattern: '^k' } }, wide],
  ['dependentRequired', { dependentRequired: { k1: many(60_000, (at) => `k${at}`) } }, wide],
  ['dependentSchemas', { dependentSchemas: keyed(20_000, () => ({ required: ['k0'] })) }, wide],
  ['dependencies', { dependencies: keyed(20_000, () => ['k0']) }, wide],
  ['prefixItems', { prefixItems: many(50_000, () => ({ type: 'integer' })) }, digits],
  ['items', { items: { type: 'integer', minimum: 0 } }, digits],
  ['items that fail', { items: { type: 'string' } }, digits],
  [
    'contains, minContains, maxContains',
    { contains: { const: 5 }, minContains: 3, maxContains: 9e9 },
    digits,
  ],
  ['allOf', { items: { allOf: many(5, () => ({ type: 'object' })) } }, small],
  ['anyOf that fails', { items: { anyOf: many(9, (at) => ({ required: [`z${at}`] })) } }, small],
  ['oneOf', { items: { oneOf: many(9, (at) => ({ properties: { b: { const: at } } })) } }, small],
  ['not', { items: { not: { required: ['z'] } } }, small],
  ['if, then, else', { items: { if: { required: ['z'] }, then: false, else: { required: ['a'] } } }, small],
  [
    'unevaluatedProperties',
    {
      allOf: many(9, (at) => ({ properties: { [`k${at}`]: true } })),
      unevaluatedProperties: { type: 'integer' },
    },
    wide,
  ],
  [
    'unevaluatedItems',
    { allOf: [{ contains: { const: 1 } }], unevaluatedItems: { type: 'integer' } },
    digits,
  ],
  ['$ref without end', { $ref: '#/$defs/a', $defs: { a: { items: { $ref: '#/$defs/a' } } } }, small],
  [
    '$ref that multiplies',
    {
      $ref: '#/$defs/n0',
      $defs: keyed(60, (at) => ({ allOf: many(2, () => ({ $ref: `#/$defs/n${at + 1}` })) }), 'n'),
    },
    small,
  ],
  [
    '$ref by $id and $anchor',
    { $ref: '#none', $defs: many(50_000, (at) => ({ $id: `a${at}`, $anchor: 'b' })) },
    {},
  ],
  [
    '$ref by many URIs',
    { $id: 'http://a/', filler, allOf: many(8000, (at) => ({ $ref: `${'y/'.repeat(300)}${at}` })) },
    {},
  ],
  [
    '$ref below a long $id',
    { $id: `http://a/${'a/'.repeat(mebibyte / 2)}`, filler, allOf: many(500, (at) => ({ $ref: `x${at}` })) },
    {},
  ],
  [
    '$id below a long $id',
    {
      $id: `http://a/${'a/'.repeat(400)}`,
      filler,
      $ref: '#none',
      $defs: many(900, (at) => ({ $id: `${'b/../'.repeat(150)}${at}` })),
    },
    {},
  ],
  ['$ref beside a long $schema', { $schema: 'draft-0'.repeat(mebibyte / 7), filler, ...repeated(false) }, {}],
  [
    'unevaluatedProperties: alternatives that are no schemas',
    {
      allOf: many(2000, () => ({ $ref: '#/$defs/a' })),
      $defs: { a: { anyOf: [true, ...many(400_000, () => 1)] } },
      unevaluatedProperties: {},
    },
    { a: 1 },
  ],
  [
    'messages about schemas of many alternatives',
    {
      filler,
      ...twoTypes,
      required: many(40, (at) => `k${at}`),
      properties: keyed(40, () => ({ $ref: '#/$defs/many' })),
    },
    {},
  ],
  [
    'messages about items of many alternatives',
    { filler, ...twoTypes, items: { contains: { $ref: '#/$defs/many' } } },
    many(30, () => []),
  ],
  ['a message about objects with many properties', mentioned({ type: 'object', properties: wide }), numbers],
  [
    'a message about many required names',
    mentioned({ type: 'object', properties: { a: {} }, required: many(100_000, (at) => `name ${at}`) }),
    numbers,
  ],
  ['a message about a large value', mentioned({ const: wide }), numbers],
  ['names that say nothing', { items: keyed(90_000, () => 1, 'x-') }, many(1000, (at) => at)],
  ['format and annotations', { items: { format: 'date', title: 'x', default: long } }, digits],
];

/** What attacks got through, and one row of each kind of work. `.ci/run` runs every row. */
const quickRows = new Set([
  'enum of many strings',
  'const: a long string, many times',
  'minLength and maxLength',
  'uniqueItems: small objects',
  'uniqueItems: strings',
  'uniqueItems: large lists',
  'required',
  'pattern on many strings',
  'not',
  'dependentRequired',
  '$ref without end',
  'a message about a large value',
]);
const chosenRows = scaled(1) > 1 ? rows : rows.filter(([name]) => quickRows.has(name));

interface Input {
  readonly schema: { readonly $defs?: unknown };
  readonly value: unknown;
}

describe('T115: no keyword holds up the event loop for more than five times what parsing its input takes', () => {
  test.each(chosenRows)('%s', async (_name, schema, value) => {
    const text = JSON.stringify({ schema, value });
    expect(text.length).toBeGreaterThan(mebibyte * 0.8);
    const ratio = await stallRatio(text, async (parsed) => {
      const input = parsed as Input; // from the text above
      await checkOutput(input.schema, input.value, nextTurn);
      const { $defs = {} } = input.schema;
      const within = { properties: { value: input.schema }, $defs };
      await checkArguments(within, { value: input.value }, nextTurn);
    });
    expect(ratio).toBeLessThan(mostStall);
  });
});

const blanks = 'A '.repeat(mebibyte / 2);
const cut = { maxBytes: mebibyte * 4, spill: () => Promise.resolve('') };
const facts = { server: 's', tool: 't', agent: 'a', ms: 1, repaired: [] };
const content = (...blocks: readonly object[]): object => ({ content: blocks });

/** What is done with a result from the message to the caller, as the text of a message has it. */
function readResult(parsed: unknown): unknown {
  const answer: JSONRPCMessage = {
    jsonrpc: '2.0',
    id: 1,
    result: parsed as Readonly<Record<string, unknown>>,
  }; // from the text below
  const { message } = repairMessage(answer, 'tools/call');
  return 'result' in message ? makeResult(message.result as CallResponse & object, facts, cut) : undefined;
}

describe('T115: reading a result takes less than five times what parsing it takes', () => {
  test.each<readonly [string, object]>([
    ['an image with blanks in its Base64', content({ type: 'image', mimeType: 'image/png', data: blanks })],
    ['a link whose name has blanks', content({ type: 'resource_link', uri: 'file:///a', name: blanks })],
    [
      'a file of a long name',
      content({ type: 'resource', resource: { uri: `file:///${'é.'.repeat(mebibyte / 3)}`, blob: 'AAAA' } }),
    ],
    ['many texts', content(...many(40_000, () => ({ type: 'text', text: 'a' })))],
    ['structured content alone', { content: [], structuredContent: small }],
  ])('%s', async (_name, result) => {
    expect(await stallRatio(JSON.stringify(result), readResult)).toBeLessThan(mostStall);
  });

  test('one that a hook returned as a copy', async () => {
    const made = { ok: true, text: '', content: [], attachments: [], ...facts, structured: small };
    const ratio = await stallRatio(JSON.stringify({ left: made, right: made }), (parsed) => {
      const { left, right } = parsed as { readonly left: typeof made; readonly right: typeof made }; // from the text above
      expect(changedAnswer({ content: [] }, left, right)).toEqual({ content: [] });
    });
    expect(ratio).toBeLessThan(mostStall);
  });

  test('arguments that are looked through for what is not JSON', async () => {
    const deep: unknown = JSON.parse(`${'['.repeat(150)}${']'.repeat(150)}`);
    for (const value of [
      [deep, small],
      [deep, filler],
    ])
      expect(await stallRatio(JSON.stringify(value), (parsed) => notJson(parsed))).toBeLessThan(mostStall);
  });
});
