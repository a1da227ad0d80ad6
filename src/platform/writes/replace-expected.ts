/**
 * Putting a finished file in another's place if that one still is what was read. Checking first is not enough: a program
 * that opens and empties the old file between the check and the rename goes on writing to a file without a name. The old
 * file therefore keeps a second name until it is known to be unchanged after the rename, and gets its place back if not.
 */

import { link, unlink } from 'node:fs/promises';

import type { OperatingSystem } from '../../kernel/machine.ts';
import { errorCode } from '../error-code.ts';
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

/** With `changed` the file is as the other program left it. */
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
    // Nothing is under this name after the old file got its place back.
    if (hasSecond) await unlink(second).catch(() => undefined);
  }
}

/** A link never replaces a file that another program has made in the meantime; a rename would. */
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
    // Not every file system has links.
    return replaceFile(temp, file, { os, rename, isUnchanged: () => isAsExpected(file, expected) });
  }
}

/** False where the file system has no links, or the file is gone. */
async function isLinked(file: string, name: string): Promise<boolean> {
  return link(file, name).then(
    () => true,
    () => false,
  );
}
