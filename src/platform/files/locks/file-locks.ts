/**
 * Locks for macOS that open a file exclusively: the kernel acquires the lock in open(2) and releases it when
 * the file is closed or the process ends. It does not signal when a lock becomes free, so this polls every
 * few milliseconds. The files are never removed: otherwise two processes could hold different files of the
 * same name.
 */

import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

import { errorCode } from '../../error-code.ts';
import type { LockMechanism } from './lock-mechanism.ts';

export interface FilePort {
  open(path: string, flags: number, mode: number): Promise<{ close(): Promise<void> }>;
}

/** O_EXLOCK on macOS. Node has no constant for it. */
export const exclusiveLockFlag = 0x20;

const flags =
  constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK | exclusiveLockFlag;
const longestPauseMs = 20;

export function createFileLocks(port: FilePort): LockMechanism {
  return {
    async tryHold(address) {
      try {
        const file = await port.open(address, flags, 0o600);
        return { letGo: () => file.close().catch(() => undefined) };
      } catch (error) {
        // On macOS both names have the same number, and Node does not guarantee which one it reports.
        if (['EAGAIN', 'EWOULDBLOCK'].includes(errorCode(error) ?? '')) return 'taken';
        throw error;
      }
    },
    untilWorthTrying: (_address, round, signal) =>
      pause(Math.min(2 + round, longestPauseMs), undefined, { signal }),
  };
}

/** Wrapped in a function, so that the import is only loaded when a lock is taken. */
export const nodeFiles: FilePort = { open: (path, how, mode) => open(path, how, mode) };
