/** Whether a file still says what its reader saw, so that nobody's change in between is overwritten. */

import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';

import { errorCode } from '../error-code.ts';

export type ExpectedContent =
  | { readonly kind: 'absent' }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'sha256'; readonly hex: string };

export async function isAsExpected(file: string, expected: ExpectedContent | undefined): Promise<boolean> {
  if (expected === undefined) return true;
  const now = await readIfFile(file);
  if (now === 'something-else') return false;
  if (now === undefined || expected.kind === 'absent') return now === undefined && expected.kind === 'absent';
  if (expected.kind === 'bytes') return now.equals(expected.bytes);
  return createHash('sha256').update(now).digest('hex') === expected.hex.toLowerCase();
}

async function readIfFile(file: string): Promise<Buffer | 'something-else' | undefined> {
  let handle: FileHandle | undefined;
  try {
    // Non-blocking, because a pipe could have been put there.
    handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    return (await handle.stat()).isFile() ? await handle.readFile() : 'something-else';
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    if (errorCode(error) === 'ELOOP') return 'something-else';
    throw error;
  } finally {
    await handle?.close();
  }
}
