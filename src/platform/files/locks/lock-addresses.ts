/** The address of a lock on each system. Pure, so that every system's rules can be tested on any other. */

import { sha256 } from '../../../kernel/hash.ts';
import type { OperatingSystem } from '../../../kernel/machine.ts';

export interface LockAddresses {
  /**
   * Held by the caller that is next in line, so that a process that just released the lock cannot overtake
   * it.
   */
  readonly door: string;
  /** The address of the lock itself. */
  readonly room: string;
}

export interface LockOwner {
  readonly os: OperatingSystem;
  /** Locks of different users are independent. */
  readonly user: string;
  /** The folder for lock files, on systems that lock by file. */
  readonly folder: string;
}

export function lockAddresses(name: string, owner: LockOwner): LockAddresses {
  // Outside Linux, file names are usually case-insensitive.
  const key = owner.os === 'linux' ? name : name.toLowerCase();
  // A digest, because socket names are limited to 107 bytes and visible to every user of the machine.
  const digest = sha256(`${owner.user}\0${key}`).slice(0, 40);
  const spell = spellings[owner.os];
  return { door: spell(`holt-${digest}-next`, owner.folder), room: spell(`holt-${digest}`, owner.folder) };
}

const spellings: Record<OperatingSystem, (word: string, folder: string) => string> = {
  linux: (word) => `\0${word}`,
  macos: (word, folder) => `${folder}/${word}.lock`,
  windows: (word) => `\\\\.\\pipe\\${word}`,
};
