import { expect, test } from 'vitest';
import { signatureOf } from './signature.ts';

const of = (properties: object, more: object = {}): string =>
  signatureOf({ name: 't', inputSchema: { type: 'object', properties, ...more } });

test.each([
  [
    of({ path: { type: 'string' }, head: { type: 'integer', default: 10 } }, { required: ['path'] }),
    't(path: string, head?: integer = 10)',
  ],
  [of({ b: { type: 'string' }, a: { type: 'number' } }, { required: ['a'] }), 't(a: number, b?: string)'],
  [of({}), 't()'],
  [signatureOf({ name: 't', inputSchema: undefined }), 't()'],
  [of({ mode: { enum: ['r', 'w'], default: 'r' } }), 't(mode?: "r" | "w" = "r")'],
  [
    of({ tags: { type: 'array', items: { type: 'string' } }, any: {}, list: { type: 'array' } }),
    't(tags?: string[], any?: any, list?: array)',
  ],
  [of({ ids: { type: 'array', items: { type: ['string', 'integer'] } } }), 't(ids?: (string | integer)[])'],
  [
    of({ at: { anyOf: [{ type: 'string' }, { type: 'null' }], default: null } }),
    't(at?: string | null = null)',
  ],
  [
    of({
      range: {
        type: 'object',
        properties: { from: { type: 'integer' }, to: { type: 'integer' } },
        required: ['from'],
      },
    }),
    't(range?: {from: integer, to?: integer})',
  ],
  [
    of(
      { node: { $ref: '#/$defs/n' } },
      { $defs: { n: { type: 'object', properties: { next: { $ref: '#/$defs/n' } } } } },
    ),
    't(node?: {next?: object})',
  ],
  [of({ all: { type: 'boolean', default: false }, one: { const: 1 } }), 't(all?: boolean = false, one?: 1)'],
  [
    of({ kind: { enum: Array.from({ length: 20 }, (_, at) => at) } }),
    't(kind?: 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | …)',
  ],
])('%s', (signature, expected) => {
  expect(signature).toBe(expected);
});

test('a hostile schema makes a short signature, at once', () => {
  const startedAt = process.cpuUsage();
  const many = Object.fromEntries(
    Array.from({ length: 5000 }, (_, at) => [`property${at}`, { $ref: '#/$defs/a' }]),
  );
  const $defs = { a: { anyOf: Array.from({ length: 50 }, () => ({ $ref: '#/$defs/a' })) } };
  const text = of({ ...many, long: { enum: ['x'.repeat(1e6)] } }, { $defs });

  expect(text.length).toBeLessThan(6000);
  expect(text.endsWith('… 4971 more)')).toBe(true);
  expect(process.cpuUsage(startedAt).user / 1000).toBeLessThan(300);
});
