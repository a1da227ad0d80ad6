/**
 * Writing a file so that anybody who reads it, at any moment and after any crash, sees the old bytes or the new ones.
 * A new file takes the old one's place, so a hard link's other name keeps the old bytes and nothing is written through.
 */

import { constants, type Stats } from 'node:fs';
import { open, rename, unlink } from 'node:fs/promises';

import type { OperatingSystem } from '../kernel/machine.ts';
import type { FileStamp } from './file-stamp.ts';
import type { ExpectedContent } from './writes/expected-content.ts';
import { explainWriteFailure } from './writes/refusals.ts';
import { replaceExpected } from './writes/replace-expected.ts';
import { nameTempFile, sweepTempFiles } from './writes/temp-files.ts';
import { writeTemp, type FileContent } from './writes/write-temp.ts';
import { resolveTarget, type TargetRules } from './writes/write-target.ts';

export interface AtomicWriteOptions extends TargetRules {
  readonly os: OperatingSystem;
  /** `private` makes the file 0600; otherwise it keeps its mode. A new file is 0600 in either case. */
  readonly mode?: 'keep' | 'private';
  /** False for what may be lost when the power fails: nothing waits for the disk then. */
  readonly durable?: boolean;
  /** What the caller read before it decided what to write; when something else is there now, nothing is written. */
  readonly expected?: ExpectedContent;
  /** Called when the new content is on the disk, before it takes the file's place; nothing is replaced when it throws. */
  readonly beforeReplace?: (stamp: FileStamp) => Promise<void>;
}

export type WriteOutcome =
  | {
      readonly kind: 'written';
      /** The real file, with links followed. */
      readonly file: string;
      readonly created: boolean;
      /** True when others could read the file until now and no longer can. */
      readonly tightened: boolean;
      /** Of the new file. */
      readonly stamp: FileStamp;
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
    // After a rename nothing is under this name.
    await unlink(temp).catch(() => undefined);
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
