import { expect, test } from 'vitest';
import { checkOutput } from './check-output.ts';

const schema = {
  type: 'object',
  properties: {
    total: { type: 'integer' },
    rows: { type: 'array', items: { type: 'object', required: ['id'] } },
  },
  required: ['total'],
};

test('an output that keeps its promise has no mismatches', () => {
  expect(checkOutput(schema, { total: 1, rows: [{ id: 1 }], more: true })).toEqual([]);
  expect(checkOutput({ type: 'array', items: { type: 'integer' } }, [1, 2])).toEqual([]);
});

test('each mismatch is a line with its place and what was expected, and nothing is repaired', () => {
  expect(checkOutput(schema, { total: '1', rows: [{}] })).toEqual([
    'total: expected integer',
    'rows[0].id: expected any (required)',
  ]);
  expect(checkOutput(schema, undefined)).toEqual(['(root): expected object']);
});

test('T51: a result that nobody can check is told of', () => {
  const told = [
    'the schema is nested or refers to itself more than 256 levels deep, so the result was not checked',
  ];
  expect(checkOutput({ $ref: '#' }, { a: 1 })).toEqual(told);
  expect(checkOutput({ not: { $ref: '#' } }, { a: 1 })).toEqual(told);
});

test('a schema that is not there promises nothing', () => {
  expect(checkOutput(undefined, { a: 1 })).toEqual([]);
});
