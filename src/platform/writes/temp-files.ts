/** Names for half-written files that say who is writing, so that those of the dead can be told apart and removed. */

import { createHash, randomBytes } from 'node:crypto';
import { lstat, readdir, readlink, unlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';

import { errorCode } from '../error-code.ts';

const pattern = /^\..*\.holt-([0-9a-f]{8})-(\d+)-[0-9a-f]{12}\.tmp$/;

/** No write takes this long. It decides where a process number says nothing: reused, or another container's. */
const surelyStaleMs = 3_600_000;

export async function nameTempFile(file: string): Promise<string> {
  // Cut, because the name of a file may be long enough to leave no room for more.
  const base = path.basename(file).slice(0, 40);
  const writer = `${await placeOfProcess()}-${process.pid}-${randomBytes(6).toString('hex')}`;
  return path.join(path.dirname(file), `.${base}.holt-${writer}.tmp`);
}

/** Tidying is a courtesy: whatever goes wrong with it is no reason not to write. */
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

/** Process numbers mean something on one machine and, on Linux, inside one process namespace only. */
function placeOfProcess(): Promise<string> {
  knownPlace ??= readlink('/proc/self/ns/pid')
    .catch(() => '')
    .then((namespace) =>
      createHash('sha256').update(`${hostname()}\0${namespace}`).digest('hex').slice(0, 8),
    );
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
