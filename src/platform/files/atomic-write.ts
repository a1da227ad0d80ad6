/**
 * Writes a file atomically: at any moment, and after any crash, a reader sees either the old content or the
 * new one. A new file replaces the old one, so other hard links keep the old content.
 */

import { constants, type Stats } from 'node:fs';
import { access, lstat, mkdir, open, realpath, rename, unlink } from 'node:fs/promises';
import path from 'node:path';

import { isInside, type OperatingSystem } from '../../kernel/machine.ts';
import { errorCode } from '../../kernel/errors.ts';
import type { FileStamp } from './files.ts';
import { realPathOf } from './real-path.ts';
import { isAsExpected, replaceExpected, type ExpectedContent } from './writes/replace-file.ts';
import { explainWriteFailure, refuseWrite } from './writes/refusals.ts';
import { nameTempFile, sweepTempFiles, writeTemp, type FileContent } from './writes/temp-files.ts';

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

type WriteOutcome =
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

interface WriteTarget {
  readonly folder: string;
  /** The file to replace, with all links in its path resolved. */
  readonly file: string;
  /** The current file, if any. */
  readonly existing: Stats | undefined;
}

interface TargetRules {
  /**
   * The real file must be in this folder, so that a linked folder in a project cannot reach the user's files.
   */
  readonly within?: string;
  /**
   * The mode of missing folders: 0700 for holt's own (`private`), or the user's default (also when
   * undefined).
   */
  readonly folders?: 'private' | 'default';
}

async function resolveTarget(asked: string, rules: TargetRules): Promise<WriteTarget> {
  const folder = await realPathOf(path.dirname(asked));
  if (rules.within !== undefined && !isInside(folder, await realPathOf(rules.within), { path })) {
    throw refuseWrite(asked, 'link-outside-folder');
  }
  await mkdir(folder, { recursive: true, mode: rules.folders === 'private' ? 0o700 : 0o777 });

  const named = path.join(folder, path.basename(asked));
  const first = await look(named);
  if (first === undefined) return { folder, file: named, existing: undefined };
  const file = first.isSymbolicLink() ? await followInside(named, folder, asked) : named;
  const existing = await lstat(file);
  if (!existing.isFile()) throw refuseWrite(asked, 'not-a-file');
  // A rename needs no permission on the file itself, but holt does not replace a file that it may not write
  // to.
  await access(file, constants.W_OK);
  return { folder, file, existing };
}

async function followInside(link: string, folder: string, asked: string): Promise<string> {
  const file = await realpath(link).catch((error: unknown) => {
    throw ['ENOENT', 'ELOOP'].includes(errorCode(error) ?? '')
      ? refuseWrite(asked, 'link-broken', error)
      : error;
  });
  if (path.dirname(file) !== folder) throw refuseWrite(asked, 'link-outside-folder');
  return file;
}

async function look(file: string): Promise<Stats | undefined> {
  try {
    return await lstat(file);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

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
