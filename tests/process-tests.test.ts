/** Only named tests may be retried: the list names files that exist and start processes. */

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

import { processTests } from './process-tests.ts';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

test('every test that may be retried exists, once', () => {
  expect(processTests.filter((name) => !existsSync(path.join(root, name)))).toEqual([]);
  expect(processTests.filter((name, index) => processTests.indexOf(name) !== index)).toEqual([]);
});

test('only the project of process tests sets a number of retries', () => {
  const config = readFileSync(path.join(root, 'vitest.config.ts'), 'utf8');
  expect([...config.matchAll(/retry: (\d+)/g)].map(([text]) => text)).toEqual(['retry: 2']);
  expect(config).toContain("name: 'processes', include: [...processTests], retry: 2");
});
