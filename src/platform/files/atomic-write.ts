/**
 * Writes a file atomically: at any moment, and after any crash, a reader sees either the old content or the
 * new one. A new file replaces the old one, so other hard links keep the old content.
 */

import { constants, type Stats } from 'node:fs';
import { open, rename, unlink } from 'node:fs/promises';

import type { OperatingSystem } from '../../kernel/machine.ts';
import type { FileStamp } from './file-stamp.ts';
import type { ExpectedContent } from './writes/expected-content.ts';
import { explainWriteFailure } from './writes/refusals.ts';
import { replaceExpected } from './writes/replace-expected.ts';
import { nameTempFile, sweepTempFiles } from './writes/temp-files.ts';
import { writeTemp, type FileContent } from './writes/write-temp.ts';
import { resolveTarget, type TargetRules } from './writes/write-target.ts';

export interface AtomicWriteOptions extends TargetRules {
  readonly os: OperatingSystem;
  /** `private` sets mode 0600; `keep` preserves the existing mode. A new file always gets 0600. */
  readonly mode?: 'keep' | 'private';
  /** False for files that may be lost in a power failure: the write then does not wait for the disk. */
  readonly durable?: boolean;
  /** The content the caller based the new content on. When the file has changed since, nothing is written. */
  readonly expected?: ExpectedContent;
  /**
   * Called when the new content is on disk but has not replaced the file yet. If it throws, the file stays
   * unchanged.
   */
  readonly beforeReplace?: (stamp: FileStamp) => Promise<void>;
}

export type WriteOutcome =
  | {
      readonly kind: 'written';
      /** The real path of the file, with links resolved. */
      readonly file: string;
      readonly created: boolean;
      /** True when the write removed other users' access to the file. */
      readonly tightened: boolean;
      /** The stamp of the new file. */
      readonly stamp: FileStamp;
    }
  | { readonly kind: 'changed'; readonly file: string };

/** Throws `config-unwritable` when the write fails; the old file then stays unchanged. */
export async function writeFileAtomically(
  asked: string,
  content: FileContent,
  options: AtomicWriteOptions,
): Promise<WriteOutcome> {
  try {
    const { folder, file, existing } = await resolveTarget(asked, options);
    await sweepTempFiles(folder);
    const stamp = await replaceContent({ file, content, existing }, options);
    if (stamp === 'changed') return { kind: 'changed', file };
    if (options.durable !== false) await syncFolder(folder);
    const tightened = options.mode === 'private' && existing !== undefined && (existing.mode & 0o077) !== 0;
    return { kind: 'written', file, created: existing === undefined, tightened, stamp };
  } catch (error) {
    throw explainWriteFailure(asked, error);
  }
}

interface NewContent {
  readonly file: string;
  readonly content: FileContent;
  readonly existing: Stats | undefined;
}

async function replaceContent(
  { file, content, existing }: NewContent,
  { os, mode = 'keep', durable = true, expected, beforeReplace }: AtomicWriteOptions,
): Promise<FileStamp | 'changed'> {
  const temp = await nameTempFile(file);
  try {
    const stamp = await writeTemp(temp, content, { existing, mode, durable });
    await beforeReplace?.(stamp);
    const outcome = await replaceExpected({ temp, file, expected, os, rename });
    return outcome === 'changed' ? 'changed' : stamp;
  } finally {
    // After a successful rename, no file has this name any more.
    await unlink(temp).catch(() => undefined);
  }
}

/**
 * Makes the rename survive a power failure. Not every system supports this; the new file is complete either
 * way.
 */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, constants.O_RDONLY);
    await handle.sync().finally(() => handle.close());
  } catch {
    return;
  }
}
