/**
 * Reads config files from disk. Opens without blocking and checks the type first, so that a FIFO, device or
 * folder in place of a file cannot hang holt. Synchronous on purpose: a few hundred small probes are fastest
 * that way.
 */

import fs from 'node:fs';

export interface FileFacts {
  readonly uid: number;
  readonly gid: number;
  readonly mode: number;
}

export type FileOutcome =
  | { readonly kind: 'missing' }
  | {
      readonly kind: 'file';
      readonly bytes: Uint8Array;
      readonly realPath: string;
      readonly facts: FileFacts;
      /**
       * Taken before the bytes were read, so that later content has a different stamp. Absent for content
       * that is not on disk.
       */
      readonly stamp?: FileStamp;
    }
  | { readonly kind: 'not-regular'; readonly what: string }
  | { readonly kind: 'too-large'; readonly bytes: number }
  | { readonly kind: 'unreadable'; readonly reason: string };

/** The file access that discovery needs. */
export interface Files {
  load(path: string, maxBytes: number): FileOutcome;
  /** The names in a folder, sorted. Empty when the folder does not exist. */
  list(folder: string): readonly string[];
  exists(path: string): boolean;
}

export const realFiles: Files = { load, list, exists: (path) => look(path) !== undefined };

function look(path: string): fs.Stats | undefined {
  try {
    return fs.statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function load(path: string, maxBytes: number): FileOutcome {
  let descriptor: number | undefined;
  try {
    const before = fs.statSync(path, { throwIfNoEntry: false });
    if (before === undefined) return { kind: 'missing' };
    if (!before.isFile()) return { kind: 'not-regular', what: describe(before) };
    descriptor = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK | fs.constants.O_NOCTTY);
    const stats = fs.fstatSync(descriptor);
    // The file may have been replaced between the check and the open.
    if (!stats.isFile()) return { kind: 'not-regular', what: describe(stats) };
    if (stats.size > maxBytes) return { kind: 'too-large', bytes: stats.size };
    const bytes = readAll(descriptor, stats.size, maxBytes);
    if (bytes === undefined) return { kind: 'too-large', bytes: maxBytes + 1 };
    const facts = { uid: stats.uid, gid: stats.gid, mode: stats.mode & 0o7777 };
    const realPath = fs.realpathSync.native(path);
    return { kind: 'file', bytes, realPath, facts, stamp: stampOf(stats) };
  } catch (error) {
    // With ENOTDIR, one of the parent folders is a file, so the path does not exist.
    if (codeOf(error) === 'ENOTDIR' || codeOf(error) === 'ENOENT') return { kind: 'missing' };
    return { kind: 'unreadable', reason: reasonOf(error) };
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor);
  }
}

/** Returns undefined when the file grew past the limit while it was read. */
function readAll(descriptor: number, size: number, maxBytes: number): Uint8Array | undefined {
  let buffer = Buffer.allocUnsafe(size + 1);
  let filled = 0;
  for (;;) {
    const count = fs.readSync(descriptor, buffer, filled, buffer.length - filled, null);
    if (count === 0) return buffer.subarray(0, filled);
    filled += count;
    if (filled > maxBytes) return undefined;
    if (filled === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafe(buffer.length)]);
  }
}

function describe(stats: fs.Stats): string {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a named pipe';
  if (stats.isSocket()) return 'a socket';
  return 'a device';
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ELOOP: 'too many symbolic links, or a link that points at itself',
  ENAMETOOLONG: 'the path is too long',
  EIO: 'the disk reported an error',
};

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function reasonOf(error: unknown): string {
  const code = codeOf(error);
  return reasons[code] ?? (code === '' ? 'unknown reason' : code);
}

function list(folder: string): readonly string[] {
  try {
    // Most of these folders do not exist, and throwing costs more than a check.
    if (fs.statSync(folder, { throwIfNoEntry: false }) === undefined) return [];
    return fs.readdirSync(folder).toSorted();
  } catch {
    return [];
  }
}

export interface FileStamp {
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
  /** In milliseconds, with fractions. */
  readonly mtimeMs: number;
}

/** Picks the fields of a stamp from the result of `stat`. */
export function stampOf({ dev, ino, size, mtimeMs }: FileStamp): FileStamp {
  return { dev, ino, size, mtimeMs };
}

export function isSameStamp(left: FileStamp, right: FileStamp): boolean {
  return (
    left.dev === right.dev &&
    left.ino === right.ino &&
    left.size === right.size &&
    left.mtimeMs === right.mtimeMs
  );
}
