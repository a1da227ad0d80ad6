/** The dependencies of every edit. */

import type { Machine } from '../kernel/machine.ts';
import type { Clock } from '../platform/clock.ts';
import type { FileStamp, Files } from '../platform/files/files.ts';
import type { LockOptions } from '../platform/files/lock.ts';

/**
 * What one command has read of each file: it waits only once for each state of a file, and undo can store the
 * last content.
 */
export type FileMemory = Map<string, RememberedFile>;

interface RememberedFile {
  /** Undefined when there was no file. */
  readonly stamp: FileStamp | undefined;
  /** The last content that was not empty. */
  readonly content: Uint8Array | undefined;
}

export interface EditParts {
  readonly machine: Machine;
  readonly files: Files;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** How long to wait for the lock on the file, in milliseconds; 30,000 by default. */
  readonly lockTimeoutMs?: number;
  readonly signal?: AbortSignal;
  /** The clock for waiting until a file stops changing; the real one by default. */
  readonly clock?: Clock;
  /** What the command has read so far. */
  readonly memory?: FileMemory;
}

export interface Remembering {
  readonly memory: FileMemory;
}

/** Call this at the start of a command: what is read from then on is remembered until the command ends. */
export function withMemory<Parts extends EditParts>(parts: Parts): Parts & Remembering {
  return { ...parts, memory: parts.memory ?? new Map() };
}

export function lockOptions({ machine, lockTimeoutMs = 30_000, signal }: EditParts): LockOptions {
  const { os, holtHome } = machine;
  return { os, holtHome, timeoutMs: lockTimeoutMs, ...(signal === undefined ? {} : { signal }) };
}
