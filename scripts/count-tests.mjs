/** Prints which tests passed only when tried again, and why, then the plain closing line, from the record the last test run left. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
try {
  const record = JSON.parse(readFileSync(path.join(root, 'node_modules', '.holt', 'tests.json'), 'utf8'));
  const tests = record.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map((test) => ({ ...test, file: path.relative(root, name) })),
  );
  for (const test of tests.filter(
    ({ status, failureMessages }) => status === 'passed' && failureMessages.length > 0,
  ))
    tellRetry(test);
  const skipped = record.numPendingTests + record.numTodoTests;
  console.log(
    `${record.numPassedTests} passed, ${record.numFailedTests} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`,
  );
} catch {
  console.log('0 passed, 1 failed');
}

function tellRetry({ file, title, failureMessages }) {
  const [first = ''] = failureMessages[0].split('\n');
  console.log(`tried again (${failureMessages.length}): ${file}: ${title}: ${first.slice(0, 150)}`);
}
