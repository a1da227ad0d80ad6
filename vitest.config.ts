import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'tests/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Real processes on a machine that others use as well: what fails three times in a row is broken.
    retry: 2,
    pool: 'forks',
    // Most of a test's time is a program that starts: two at once keep two cores busy.
    maxWorkers: 2,
    coverage: { provider: 'v8', include: ['src/**/*.ts'], exclude: ['src/**/*.test.ts'] },
  },
});
