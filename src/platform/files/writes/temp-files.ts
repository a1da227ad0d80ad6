/**
 * Names for temporary files that identify the writing process, so that the files of dead processes can be
 * recognised and removed.
 */

import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { lstat, open, readdir, readlink, unlink, type FileHandle } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';

import { sha256 } from '../../../kernel/hash.ts';
import { errorCode } from '../../../kernel/errors.ts';
import { stampOf, type FileStamp } from '../files.ts';

const pattern = /^\..*\.holt-([0-9a-f]{8})-(\d+)-[0-9a-f]{12}\.tmp$/;

/**
 * Longer than any write takes. Decides about files whose pid proves nothing, because it was reused or belongs
 * to another container.
 */
const surelyStaleMs = 3_600_000;

export async function nameTempFile(file: string): Promise<string> {
  // Truncated, because the file's own name may already be close to the length limit.
  const base = path.basename(file).slice(0, 40);
  const writer = `${await placeOfProcess()}-${process.pid}-${randomBytes(6).toString('hex')}`;
  return path.join(path.dirname(file), `.${base}.holt-${writer}.tmp`);
}

/** Removes stale temporary files. Best effort: a failure must not prevent the write. */
export async function sweepTempFiles(folder: string): Promise<void> {
  const here = await placeOfProcess();
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    const [, place, pid] = pattern.exec(name) ?? [];
    if (place === undefined) continue;
    const file = path.join(folder, name);
    const isDead = place === here && !isAlive(Number(pid));
    if (isDead || (await ageMs(file)) > surelyStaleMs) await unlink(file).catch(() => undefined);
  }
}

let knownPlace: Promise<string> | undefined;

/** Identifies the machine and, on Linux, the pid namespace. A pid is only meaningful within these. */
function placeOfProcess(): Promise<string> {
  knownPlace ??= readlink('/proc/self/ns/pid')
    .catch(() => '')
    .then((namespace) => sha256(`${hostname()}\0${namespace}`).slice(0, 8));
  return knownPlace;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== 'ESRCH';
  }
}

async function ageMs(file: string): Promise<number> {
  try {
    return Date.now() - (await lstat(file)).mtimeMs;
  } catch {
    return 0;
  }
}

interface Keeping {
  readonly existing: Stats | undefined;
  readonly mode: 'keep' | 'private';
  readonly durable: boolean;
}

/** Bytes, or strings to be concatenated. */
export type FileContent = Uint8Array | readonly string[];

/** Returns the stamp of the new file, which stays the same when the file is renamed. */
export async function writeTemp(temp: string, content: FileContent, keeping: Keeping): Promise<FileStamp> {
  // Private at first; wider permissions are only set once the owner is right.
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const handle = await open(temp, flags, 0o600);
  try {
    if (content instanceof Uint8Array) await handle.writeFile(content);
    else await writeTexts(handle, content);
    if (keeping.existing !== undefined) {
      const isGroupPreserved = await keepOwner(handle, keeping.existing);
      if (keeping.mode === 'keep') await handle.chmod(preservedMode(keeping.existing.mode, isGroupPreserved));
    }
    if (keeping.durable) await handle.sync();
    return stampOf(await handle.stat());
  } finally {
    await handle.close();
  }
}

/** Only root can change a file's owner, but an ordinary user can still set one of their own groups. */
async function keepOwner(handle: FileHandle, { uid, gid }: Stats): Promise<boolean> {
  const ours = await handle.stat();
  if (ours.uid !== uid && (await succeeds(handle.chown(uid, gid)))) return true;
  return ours.gid === gid || succeeds(handle.chown(ours.uid, gid));
}

function preservedMode(mode: number, isGroupPreserved: boolean): number {
  const everybody = mode & 0o007;
  // A group that could not be preserved gets no more permissions than other users have.
  return isGroupPreserved ? mode & 0o777 : (mode & 0o707) | ((everybody << 3) & mode);
}

async function succeeds(action: Promise<void>): Promise<boolean> {
  try {
    await action;
    return true;
  } catch {
    return false;
  }
}

/** The buffer size in bytes. Each piece costs a turn of the event loop. */
const bufferBytes = 1 << 20;
/** A UTF-16 code unit takes at most three bytes in UTF-8. */
const bytesPerUnit = 3;

/** Writes the strings one after another, starting at the current file position. */
async function writeTexts(handle: FileHandle, texts: readonly string[]): Promise<void> {
  const units = texts.reduce((sum, text) => sum + text.length, 0);
  const buffer = Buffer.allocUnsafeSlow(Math.min(bufferBytes, units * bytesPerUnit));
  const encoder = new TextEncoder();
  let used = 0;
  const flush = async (): Promise<void> => {
    // `writeFile` on a handle continues at the current position and writes everything.
    await handle.writeFile(buffer.subarray(0, used));
    used = 0;
  };
  for (const text of texts) {
    for (let at = 0; at < text.length;) {
      // `encodeInto` never splits a character; one that does not fit is written with the next piece.
      const { read, written } = encoder.encodeInto(text.slice(at), buffer.subarray(used));
      at += read;
      used += written;
      if (at < text.length) await flush();
    }
  }
  await flush();
}

/** Creates a file that only its owner can read. Rejects when it already exists. */
export async function writeNewText(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await writeTexts(handle, [text]);
  } finally {
    await handle.close();
  }
}
