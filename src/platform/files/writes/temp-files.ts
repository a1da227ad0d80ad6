/**
 * Names for temporary files that identify the writing process, so that the files of dead processes can be
 * recognised and removed.
 */

import { randomBytes } from 'node:crypto';
import { lstat, readdir, readlink, unlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';

import { sha256 } from '../../../kernel/hash.ts';
import { errorCode } from '../../error-code.ts';

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
