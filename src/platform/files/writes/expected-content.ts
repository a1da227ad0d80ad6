/**
 * Checks whether a file still has the content its reader saw, so that another program's change is not
 * overwritten.
 */

import { constants } from 'node:fs';
import { lstat, open, type FileHandle } from 'node:fs/promises';

import { sha256 } from '../../../kernel/hash.ts';
import { errorCode } from '../../error-code.ts';
import { isSameStamp, type FileStamp } from '../file-stamp.ts';

export type ExpectedContent =
  | { readonly kind: 'absent' }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array; readonly stamp?: FileStamp | undefined }
  | { readonly kind: 'sha256'; readonly hex: string; readonly stamp?: FileStamp | undefined };

export async function isAsExpected(file: string, expected: ExpectedContent | undefined): Promise<boolean> {
  if (expected === undefined) return true;
  const now = await readIfFile(file);
  if (now === 'something-else') return false;
  if (now === undefined || expected.kind === 'absent') return now === undefined && expected.kind === 'absent';
  const isSameContent =
    expected.kind === 'bytes' ? now.equals(expected.bytes) : sha256(now) === expected.hex.toLowerCase();
  return isSameContent && (expected.stamp === undefined || hasStamp(file, expected.stamp));
}

/** Checked after the content, so that a write during the read is detected. */
async function hasStamp(file: string, stamp: FileStamp): Promise<boolean> {
  try {
    return isSameStamp(await lstat(file), stamp);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

async function readIfFile(file: string): Promise<Buffer | 'something-else' | undefined> {
  let handle: FileHandle | undefined;
  try {
    // Non-blocking, because the file could have been replaced with a pipe.
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
