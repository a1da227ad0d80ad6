/** Prints which tests passed only after a retry, then the plain closing line, from the record of the last test run. */

import { readRecord } from './test-record.mjs';

try {
  const { passed, failed, skipped, retried } = readRecord();
  for (const line of retried) console.log(line);
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
} catch {
  console.log('0 passed, 1 failed');
}
