import path from 'node:path';

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: path.join(import.meta.dirname, '..', '..'),
    // Not `*.test.ts`: these need packages of their own and are no part of `npm test`.
    include: ['tests/real-servers/*.spec.ts'],
    testTimeout: 60_000,
    retry: 2,
    pool: 'forks',
    // Two programs at once would measure each other's start.
    fileParallelism: false,
  },
});
