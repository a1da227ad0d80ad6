/**
 * How the tests run. Those that start processes may be retried; those that change their own process run in one each; all others share one.
 */

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { defineConfig } from 'vitest/config';

import { processTests } from './tests/process-tests.ts';

/** Words of tests that change, or listen to, what all tests of a process share. */
const changesProcess =
  /\bvi\.|\bprocess\.(?:on|once|umask|chdir)\b|\bprocess\.\S+ \??= |\bdelete process\b|\bglobalThis\b/u;

/** Tests of programs, terminals, locks and whole hosts depend on the process they run in. */
const aloneFolders = ['src/platform/**/*.test.ts', 'src/terminal/**/*.test.ts', 'tests/**/*.test.ts'];
const alone = [
  ...aloneFolders,
  ...readdirSync(path.join(import.meta.dirname, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => path.posix.join('src', name.replaceAll(path.sep, '/')))
    .filter((name) => changesProcess.test(readFileSync(path.join(import.meta.dirname, name), 'utf8'))),
];

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // A test often waits for a program or a clock: three at once keep two cores busy.
    maxWorkers: 3,
    projects: [
      { extends: true, test: { name: 'processes', include: [...processTests], retry: 2 } },
      { extends: true, test: { name: 'alone', include: alone, exclude: [...processTests] } },
      // Loading the same modules again for each file costs more than these tests themselves.
      {
        extends: true,
        test: {
          name: 'together',
          include: ['src/**/*.test.ts'],
          exclude: [...alone, ...processTests],
          isolate: false,
        },
      },
    ],
    coverage: { provider: 'v8', include: ['src/**/*.ts'], exclude: ['src/**/*.test.ts'] },
  },
});
