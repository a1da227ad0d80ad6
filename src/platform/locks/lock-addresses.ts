/** Where a lock lives on each system. Pure, so that every system's spelling is tested on any other. */

import { createHash } from 'node:crypto';

import type { OperatingSystem } from '../../kernel/machine.ts';

export interface LockAddresses {
  /** Held by the one who is next. It keeps a process that comes straight back from overtaking one that waits. */
  readonly door: string;
  readonly room: string;
}

export interface LockOwner {
  readonly os: OperatingSystem;
  /** Locks of different users never meet. */
  readonly user: string;
  /** Where systems that lock by file keep those files. */
  readonly folder: string;
}

export function lockAddresses(name: string, owner: LockOwner): LockAddresses {
  // Outside Linux, file names usually differ in case alone without being different files.
  const key = owner.os === 'linux' ? name : name.toLowerCase();
  // A digest, because socket names are short (107 bytes) and can be seen by everybody on the machine.
  const digest = createHash('sha256').update(`${owner.user}\0${key}`).digest('hex').slice(0, 40);
  const spell = spellings[owner.os];
  return { door: spell(`holt-${digest}-next`, owner.folder), room: spell(`holt-${digest}`, owner.folder) };
}

const spellings: Record<OperatingSystem, (word: string, folder: string) => string> = {
  linux: (word) => `\0${word}`,
  macos: (word, folder) => `${folder}/${word}.lock`,
  windows: (word) => `\\\\.\\pipe\\${word}`,
};
