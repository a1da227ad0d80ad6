/**
 * Replaces a file with a finished one. Retries on Windows, where a scanner or editor may have the old one
 * open.
 */

import { constants } from 'node:fs';
import { link, lstat, open, unlink, type FileHandle } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

import { sha256 } from '../../../kernel/hash.ts';
import type { OperatingSystem } from '../../../kernel/machine.ts';
import { errorCode } from '../../../kernel/errors.ts';
import { isSameStamp, type FileStamp } from '../files.ts';
import { nameTempFile } from './temp-files.ts';

interface ReplaceParts {
  readonly os: OperatingSystem;
  readonly rename: (from: string, to: string) => Promise<void>;
  /**
   * Called right before each attempt. Tells whether the file is unchanged since its new content was computed.
   */
  readonly isUnchanged?: () => Promise<boolean>;
}

const passing = new Set(['EPERM', 'EACCES', 'EBUSY']);
/** About a second in total. */
const pausesMs = [10, 20, 40, 80, 160, 320, 400];

export async function replaceFile(
  from: string,
  to: string,
  { os, rename, isUnchanged = async () => true }: ReplaceParts,
): Promise<'replaced' | 'changed'> {
  for (const pauseMs of os === 'windows' ? pausesMs : []) {
    try {
      if (!(await isUnchanged())) return 'changed';
      await rename(from, to);
      return 'replaced';
    } catch (error) {
      if (!passing.has(errorCode(error) ?? '')) throw error;
      await pause(pauseMs);
    }
  }
  if (!(await isUnchanged())) return 'changed';
  await rename(from, to);
  return 'replaced';
}

export interface Replacement {
  readonly temp: string;
  readonly file: string;
  readonly expected: ExpectedContent | undefined;
  readonly os: OperatingSystem;
  readonly rename: (from: string, to: string) => Promise<void>;
}

/** With `changed`, the file is as the other program left it. */
export async function replaceExpected(replacement: Replacement): Promise<'replaced' | 'changed'> {
  const { temp, file, expected, os, rename } = replacement;
  if (expected === undefined) return replaceFile(temp, file, { os, rename });
  if (expected.kind === 'absent') return createFile(replacement);
  const second = await nameTempFile(file);
  const hasSecond = await isLinked(file, second);
  try {
    const isUnchanged = (): Promise<boolean> => isAsExpected(file, expected);
    const outcome = await replaceFile(temp, file, { os, rename, isUnchanged });
    if (outcome === 'changed' || !hasSecond || (await isAsExpected(second, expected))) return outcome;
    await rename(second, file);
    return 'changed';
  } finally {
    // If the old file was restored, nothing has this name any more.
    if (hasSecond) await unlink(second).catch(() => undefined);
  }
}

/**
 * Links instead of renaming, because a link never replaces a file that another program created in the
 * meantime.
 */
async function createFile({
  temp,
  file,
  expected,
  os,
  rename,
}: Replacement): Promise<'replaced' | 'changed'> {
  try {
    await link(temp, file);
    return 'replaced';
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return 'changed';
    // Not every file system supports hard links.
    return replaceFile(temp, file, { os, rename, isUnchanged: () => isAsExpected(file, expected) });
  }
}

/** Returns false where the file system has no hard links, or when the file does not exist. */
async function isLinked(file: string, name: string): Promise<boolean> {
  return link(file, name).then(
    () => true,
    () => false,
  );
}

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
