/** Removes a file, but only if it is the expected one. */

import { unlink } from 'node:fs/promises';

import { isAsExpected, type ExpectedContent } from './writes/expected-content.ts';
import { explainWriteFailure } from './writes/refusals.ts';

/**
 * Returns `changed` and keeps the file when its content is not as expected. A file that no longer exists is
 * `removed`.
 */
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
