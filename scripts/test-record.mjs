/** Reads the record of the last test run: how many tests passed, and which passed only after a retry. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
export const recordFile = path.join(root, 'node_modules', '.holt', 'tests.json');

/** Throws if there is no record, because no test ran. */
export function readRecord() {
  const record = JSON.parse(readFileSync(recordFile, 'utf8'));
  const tests = record.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map((test) => ({ ...test, file: path.relative(root, name) })),
  );
  const retried = tests.filter(
    ({ status, failureMessages }) => status === 'passed' && failureMessages.length > 0,
  );
  return {
    passed: record.numPassedTests,
    failed: record.numFailedTests,
    skipped: record.numPendingTests + record.numTodoTests,
    retried: retried.map(({ file, title, failureMessages }) => {
      const [first = ''] = failureMessages[0].split('\n');
      return `retried (${failureMessages.length}): ${file}: ${title}: ${first.slice(0, 150)}`;
    }),
  };
}
