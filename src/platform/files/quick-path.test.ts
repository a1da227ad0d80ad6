import path from 'node:path';

import fc from 'fast-check';
import { expect, test } from 'vitest';

import { joinQuickly, quickPath } from './quick-path.ts';

const name = fc.constantFrom('a', '.b', 'c.d', 'e.', '.', '..', '...', '', ' ', '\\');
const part = fc.tuple(
  fc.array(name, { maxLength: 4 }),
  fc.constantFrom('/', '//', '/./'),
  fc.constantFrom('', '/'),
);
const parts = fc.array(
  part.map(([names, between, around]) => `${around}${names.join(between)}${around}`),
  { maxLength: 5 },
);

test('a quick join is what Node makes of it', () => {
  fc.assert(
    fc.property(parts, (given) => {
      expect(joinQuickly(...given)).toBe(path.posix.join(...given));
    }),
    { numRuns: 3000 },
  );
});

test.each([
  ['/home/me', '.config', 'holt/mcp.json'],
  ['/home/me'],
  ['/', 'etc'],
  ['/home/me', '../you'],
  ['/home/me', ''],
  ['home', 'me'],
])('%j, %j', (...given) => {
  expect(joinQuickly(...given)).toBe(path.posix.join(...given));
});

test('everything else is Node’s own', () => {
  expect({ ...quickPath, join: path.join }).toEqual({ ...path });
});
