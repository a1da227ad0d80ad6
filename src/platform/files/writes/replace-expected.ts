/**
 * Replaces a file with a finished one if it still has the expected content. A check before the rename is not
 * enough: another program could open and empty the old file in between, and would then write to an unlinked
 * file. The old file therefore gets a second hard link until it is known to be unchanged after the rename. If
 * it has changed, it is restored.
 */

import { link, unlink } from 'node:fs/promises';

import type { OperatingSystem } from '../../../kernel/machine.ts';
import { errorCode } from '../../error-code.ts';
import { isAsExpected, type ExpectedContent } from './expected-content.ts';
import { replaceFile } from './replace-file.ts';
import { nameTempFile } from './temp-files.ts';

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
