/** How the tests run: what touches the process or the machine in a process of its own, everything else together. */

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { defineConfig } from 'vitest/config';

/** Words of tests that change, or listen to, what all tests of a process share. */
const changesProcess =
  /\bvi\.|\bprocess\.(?:on|once|umask|chdir)\b|\bprocess\.\S+ \??= |\bdelete process\b|\bglobalThis\b/u;

/** Programs, terminals, locks and whole hosts: their tests look at the process they run in. */
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
    // Real processes on a machine that others use as well: what fails three times in a row is broken.
    retry: 2,
    pool: 'forks',
    // A test often waits for a program or a clock: three at once keep two cores busy.
    maxWorkers: 3,
    projects: [
      { extends: true, test: { name: 'alone', include: alone } },
      // Loading the same modules for each file anew costs more than these tests themselves.
      {
        extends: true,
        test: { name: 'together', include: ['src/**/*.test.ts'], exclude: alone, isolate: false },
      },
    ],
    coverage: { provider: 'v8', include: ['src/**/*.ts'], exclude: ['src/**/*.test.ts'] },
  },
});
