/** What editing needs from outside. */

import type { Machine } from '../kernel/machine.ts';
import type { Clock } from '../platform/clock.ts';
import type { FileStamp } from '../platform/file-stamp.ts';
import type { Files } from '../platform/files.ts';
import type { LockOptions } from '../platform/lock.ts';

/** What one command has read of each file: it waits once for a state of a file, and undo stores what was there. */
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
  /** How long to wait for others who write the same file; half a minute when left out. */
  readonly lockTimeoutMs?: number;
  readonly signal?: AbortSignal;
  /** For waiting until a file stops changing; the real one when left out. */
  readonly clock?: Clock;
  /** What the command has read so far. */
  readonly memory?: FileMemory;
}

export interface Remembering {
  readonly memory: FileMemory;
}

/** For the beginning of a command: what is read from there on is remembered until it ends. */
export function withMemory<Parts extends EditParts>(parts: Parts): Parts & Remembering {
  return { ...parts, memory: parts.memory ?? new Map() };
}

export function lockOptions({ machine, lockTimeoutMs = 30_000, signal }: EditParts): LockOptions {
  const { os, holtHome } = machine;
  return { os, holtHome, timeoutMs: lockTimeoutMs, ...(signal === undefined ? {} : { signal }) };
}
