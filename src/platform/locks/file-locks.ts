/**
 * Locks by opening a file exclusively, for macOS: its kernel locks within open(2) and unlocks when the file is closed,
 * be it by the end of the process. It has no event for "free now", so this one looks again every few milliseconds.
 * The files stay: removing one would let two processes hold two files of one name.
 */

import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

import { errorCode } from '../error-code.ts';
import type { LockMechanism } from './lock-mechanism.ts';

export interface FilePort {
  open(path: string, flags: number, mode: number): Promise<{ close(): Promise<void> }>;
}

/** macOS's O_EXLOCK, which Node does not name. */
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
        // Two names of one number on macOS; which of them Node reports is not promised.
        if (['EAGAIN', 'EWOULDBLOCK'].includes(errorCode(error) ?? '')) return 'taken';
        throw error;
      }
    },
    untilWorthTrying: (_address, round, signal) =>
      pause(Math.min(2 + round, longestPauseMs), undefined, { signal }),
  };
}

/** Not `open` itself: that would load the module wherever locks are merely named. */
export const nodeFiles: FilePort = { open: (path, how, mode) => open(path, how, mode) };
