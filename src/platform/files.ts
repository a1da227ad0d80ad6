/**
 * Reading config files from the disk. Opens without blocking and looks first, so that a FIFO, a device or a folder
 * in a file's place costs nothing. Synchronous on purpose: a few hundred small probes are fastest that way.
 */

import fs from 'node:fs';

import { stampOf, type FileStamp } from './file-stamp.ts';

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
      /** Taken before the bytes were read, so later bytes have another stamp. Absent for content that is not on a disk. */
      readonly stamp?: FileStamp;
    }
  | { readonly kind: 'not-regular'; readonly what: string }
  | { readonly kind: 'too-large'; readonly bytes: number }
  | { readonly kind: 'unreadable'; readonly reason: string };

/** What discovery needs from the disk. */
export interface Files {
  load(path: string, maxBytes: number): FileOutcome;
  /** Names in a folder, sorted; none when it is not there. */
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
    // Between the look and the opening something else may have been put there.
    if (!stats.isFile()) return { kind: 'not-regular', what: describe(stats) };
    if (stats.size > maxBytes) return { kind: 'too-large', bytes: stats.size };
    const bytes = readWhole(descriptor, stats.size, maxBytes);
    if (bytes === undefined) return { kind: 'too-large', bytes: maxBytes + 1 };
    const facts = { uid: stats.uid, gid: stats.gid, mode: stats.mode & 0o7777 };
    const realPath = fs.realpathSync.native(path);
    return { kind: 'file', bytes, realPath, facts, stamp: stampOf(stats) };
  } catch (error) {
    // A file where one of the folders above should be: what is looked for is simply not there.
    if (codeOf(error) === 'ENOTDIR' || codeOf(error) === 'ENOENT') return { kind: 'missing' };
    return { kind: 'unreadable', reason: reasonOf(error) };
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor);
  }
}

/** Undefined when the file grew past the limit while it was read. */
function readWhole(descriptor: number, size: number, maxBytes: number): Uint8Array | undefined {
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
    // Most are not there, and an error costs more than a look.
    if (fs.statSync(folder, { throwIfNoEntry: false }) === undefined) return [];
    return fs.readdirSync(folder).toSorted();
  } catch {
    return [];
  }
}
