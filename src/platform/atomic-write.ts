/**
 * Writing a file so that anybody who reads it, at any moment and after any crash, sees the old bytes or the new ones.
 * A new file takes the old one's place, so a hard link's other name keeps the old bytes and nothing is written through.
 */

import { constants } from 'node:fs';
import { open, rename, unlink } from 'node:fs/promises';

import type { OperatingSystem } from '../kernel/machine.ts';
import { isAsExpected, type ExpectedContent } from './writes/expected-content.ts';
import { explainWriteFailure } from './writes/refusals.ts';
import { replaceFile } from './writes/replace-file.ts';
import { nameTempFile, sweepTempFiles } from './writes/temp-files.ts';
import { writeTemp, type FileContent } from './writes/write-temp.ts';
import { resolveTarget, type TargetRules } from './writes/write-target.ts';

export interface AtomicWriteOptions extends TargetRules {
  readonly os: OperatingSystem;
  /** `private` makes the file 0600; otherwise it keeps its mode. A new file is 0600 in either case. */
  readonly mode?: 'keep' | 'private';
  /** What the caller read before it decided what to write; when something else is there now, nothing is written. */
  readonly expected?: ExpectedContent;
}

export type WriteOutcome =
  | {
      readonly kind: 'written';
      /** The real file, with links followed. */
      readonly file: string;
      readonly created: boolean;
      /** True when others could read the file until now and no longer can. */
      readonly tightened: boolean;
    }
  | { readonly kind: 'changed'; readonly file: string };

/** Throws `config-unwritable` when it could not write; then the old file stands as it was. */
export async function writeFileAtomically(
  asked: string,
  content: FileContent,
  options: AtomicWriteOptions,
): Promise<WriteOutcome> {
  try {
    const { folder, file, existing } = await resolveTarget(asked, options);
    await sweepTempFiles(folder);
    const temp = await nameTempFile(file);
    try {
      await writeTemp(temp, content, { existing, mode: options.mode ?? 'keep' });
      // As late as can be: a program that takes no lock of ours can only slip in between this and the rename.
      if (!(await isAsExpected(file, options.expected))) return { kind: 'changed', file };
      await replaceFile(temp, file, { os: options.os, rename });
    } finally {
      // After the rename there is nothing under this name.
      await unlink(temp).catch(() => undefined);
    }
    await syncFolder(folder);
    const tightened = options.mode === 'private' && existing !== undefined && (existing.mode & 0o077) !== 0;
    return { kind: 'written', file, created: existing === undefined, tightened };
  } catch (error) {
    throw explainWriteFailure(asked, error);
  }
}

/** Makes the rename outlast a power cut. Some systems cannot; the new file is whole and in place all the same. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, constants.O_RDONLY);
    await handle.sync().finally(() => handle.close());
  } catch {
    return;
  }
}
