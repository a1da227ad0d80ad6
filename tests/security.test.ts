/** Every id in SECURITY.md is in the name of a test in each file that its row names. */

import fs from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

import { packageRoot } from './support/holt-command.ts';

const read = (name: string): string => fs.readFileSync(path.join(packageRoot, name), 'utf8');
const [, table = ''] = read('SECURITY.md').split('## Which test holds what');
const rows = table
  .split('## What waits')[0]
  ?.split('\n')
  .flatMap((line) => {
    const [, id, , files] = line.split('|').map((cell) => cell.trim());
    return id !== undefined && /^[TF]\d{2,3}$/.test(id)
      ? [{ id, files: [...(files ?? '').matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '') }]
      : [];
  });

test('the table has a row for each threat it is about, each once', () => {
  const ids = rows?.map(({ id }) => id) ?? [];
  expect([ids.length > 30, new Set(ids).size]).toEqual([true, ids.length]);
});

test.each(rows ?? [])('$id is held by tests of that name', ({ id, files }) => {
  expect(files.length).toBeGreaterThan(0);
  // A name begins with its ids: 'T01, T04: …'.
  const named = new RegExp(String.raw`['"\x60](?:[TF]\d{2,3}, )*${id}(?:, [TF]\d{2,3})*[: ]`);
  expect(files.filter((file) => !named.test(read(file)))).toEqual([]);
});
