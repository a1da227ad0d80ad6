import { expect, test } from 'vitest';
import { normalInputSchema } from './tool-info.ts';

const empty = { type: 'object', properties: {} };

test.each([
  [undefined],
  [null],
  [true],
  ['object'],
  [[]],
  [{ type: 'string' }],
  [{ type: ['string', 'null'] }],
])('%j becomes an object schema without properties', (schema) => {
  expect(normalInputSchema(schema)).toEqual(empty);
});

test('a schema that is one already is the very same object', () => {
  const schema = { type: 'object', properties: { a: { $ref: '#/$defs/x' } }, $defs: { x: {} }, 'x-own': [1] };

  expect(normalInputSchema(schema)).toBe(schema);
});

test.each([
  [
    { type: 'object', additionalProperties: true },
    { type: 'object', additionalProperties: true, properties: {} },
  ],
  [{ type: 'object', properties: [] }, empty],
  [{}, empty],
  [{ properties: { a: {} } }, { type: 'object', properties: { a: {} } }],
  [{ type: ['object', 'null'] }, { type: ['object', 'null'], properties: {} }],
  [{ anyOf: [{ required: ['a'] }] }, { type: 'object', anyOf: [{ required: ['a'] }], properties: {} }],
])('%j gets only what is missing', (schema, expected) => {
  expect(normalInputSchema(schema)).toEqual(expected);
});
