/** The tests as always, with counting switched on in the programs they start. Runs in the copy that run.mjs made. */

import { defineConfig, mergeConfig } from 'vitest/config';

import usual from '../../vitest.config.ts';

const { HOLT_COVERAGE_DUMPS: dumps = '', HOLT_COVERAGE_REPORT: report = '' } = process.env;

export default mergeConfig(
  usual,
  defineConfig({
    root: process.cwd(),
    test: {
      // Set inside the workers only: they are counted by vitest itself, what they start by V8 alone.
      env: { NODE_V8_COVERAGE: dumps },
      // Counting costs time, and a test that fails is no news here.
      testTimeout: 90_000,
      retry: 0,
      coverage: { enabled: true, reporter: ['json'], reportsDirectory: report, reportOnFailure: true },
    },
  }),
);
