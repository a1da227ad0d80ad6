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

test('T115: a check that takes long pauses, and ends when a pause rejects', async () => {
  const digits = Array.from({ length: 50_000 }, (_, at) => at % 10);
  const items = { items: { type: 'integer', maximum: 9 } };
  let pauses = 0;
  const pause = async (): Promise<void> => {
    pauses += 1;
    if (pauses === 3) throw new Error('nobody waits any more');
  };
  expect(checkOutput({ items: {} }, digits.slice(0, 100), pause)).toEqual([]);
  await expect(checkOutput({ items: { type: 'integer' } }, digits, pause)).rejects.toThrow('nobody waits');
  expect(pauses).toBe(3);

  const paused = checkOutput(items, [...digits, 10], async () => undefined);
  expect(paused).toBeInstanceOf(Promise);
  expect(await paused).toEqual(['[50000]: expected at most 9']);
});

test('T115: a result that fails where there is no work left to say why is still a mismatch', () => {
  const steps = Array.from({ length: 12 }, (_, at) => [
    `n${at}`,
    { allOf: [{ $ref: `#/$defs/n${at + 1}` }, { $ref: `#/$defs/n${at + 1}` }] },
  ]);
  const $defs = { ...(Object.fromEntries(steps) as object), n12: true };
  const near = { type: 'array', allOf: [{ $ref: '#/$defs/n0' }, { maxItems: 0 }] };

  expect(checkOutput({ anyOf: [{ type: 'string' }, near], $defs }, [1])).toEqual([
    '(root): expected string | array',
  ]);
});
