/** Taking a file away, but only the one that was meant. */

import { unlink } from 'node:fs/promises';

import { isAsExpected, type ExpectedContent } from './writes/expected-content.ts';
import { explainWriteFailure } from './writes/refusals.ts';

/** `changed` when something else is there than expected; then it stays. A file that is gone already is `removed`. */
export async function removeFile(file: string, expected?: ExpectedContent): Promise<'removed' | 'changed'> {
  try {
    if (await isAsExpected(file, { kind: 'absent' })) return 'removed';
    if (!(await isAsExpected(file, expected))) return 'changed';
    await unlink(file);
    return 'removed';
  } catch (error) {
    throw explainWriteFailure(file, error);
  }
}
