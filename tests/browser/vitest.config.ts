import path from 'node:path';

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: path.join(import.meta.dirname, '..', '..'),
    // Not `*.test.ts`: these need a browser and are no part of `npm test`.
    include: ['tests/browser/*.spec.ts'],
    testTimeout: 60_000,
    retry: 2,
    pool: 'forks',
  },
});
