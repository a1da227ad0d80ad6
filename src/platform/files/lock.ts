/**
 * Locks between processes, held by the kernel: it frees the lock when the holder dies. They are not
 * re-entrant: code that requests a lock it already runs under waits until it times out.
 */

import os from 'node:os';
import path from 'node:path';

import { HoltError } from '../../kernel/errors.ts';
import { sha256 } from '../../kernel/hash.ts';
import type { OperatingSystem } from '../../kernel/machine.ts';
import { realClock } from '../clock.ts';
import { createTurns, type Waiting } from '../turns.ts';
import { linkSignal } from '../waits.ts';
import {
  createFileLocks,
  createSocketLocks,
  nodeFiles,
  nodeSockets,
  type FilePort,
  type Holding,
  type LockMechanism,
  type SocketPort,
} from './locks/lock-mechanisms.ts';
import { makeHoltFolder } from './private-folder.ts';
import { realPathOf } from './real-path.ts';

export interface LockOptions {
  readonly os: OperatingSystem;
  /** The base folder for lock files, on systems that lock by file. Linux and Windows write none. */
  readonly holtHome: string;
  /** How long to wait for the lock. The time for the work itself is not limited. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Called once if the lock is not free immediately. */
  readonly onWait?: () => void;
  /** The user the lock belongs to; defaults to the user of this process. */
  readonly user?: string;
  readonly parts?: LockParts;
}

interface LockParts {
  readonly sockets?: SocketPort;
  readonly files?: FilePort;
}

/** Callers within this process queue here, so that only one at a time asks the kernel. */
const turns = createTurns();
const lockFolder = ['run', 'locks'];
const expired = Symbol('waited long enough');

/**
 * Runs `work` while no other caller in this process or in other processes of this user holds `name`. Rejects
 * with `lock-busy` on timeout.
 */
export async function withLock<T>(name: string, work: () => Promise<T>, options: LockOptions): Promise<T> {
  const release = await takeLock(name, options);
  try {
    return await work();
  } finally {
    await release();
  }
}

/** Locks a file, regardless of how its path is spelled. The file need not exist yet. */
export async function withFileLock<T>(
  file: string,
  work: () => Promise<T>,
  options: LockOptions,
): Promise<T> {
  return withLock(await realPathOf(file), work, options);
}

async function takeLock(name: string, options: LockOptions): Promise<() => Promise<void>> {
  const startedAt = realClock.now();
  // The timer keeps the process alive, because a caller is waiting for the result.
  const limit = linkSignal(options.signal, {
    ms: options.timeoutMs,
    clock: realClock,
    reason: () => expired,
  });
  try {
    return await acquire(name, options, limit.signal);
  } catch (error) {
    const { aborted, reason: why } = limit.signal;
    if (aborted) throw why === expired ? busy(name, startedAt) : why;
    if (HoltError.is(error)) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new HoltError('internal-error', `Could not lock ${name}: ${reason}`, { reason }, { cause: error });
  } finally {
    limit.release();
  }
}

/**
 * Acquires the turn within this process, then the address of the next holder (`next`), then the lock itself
 * (`held`). Everyone uses the same order, so there are no deadlocks.
 */
async function acquire(
  name: string,
  options: LockOptions,
  signal: AbortSignal,
): Promise<() => Promise<void>> {
  const folder = path.join(options.holtHome, ...lockFolder);
  const { next, held } = lockAddresses(name, { os: options.os, user: options.user ?? thisUser(), folder });
  const waiting = { signal, onWait: once(options.onWait) };

  const passTurn = await turns.take(held, waiting);
  try {
    const mechanism = await prepareMechanism(options);
    const asNext = await hold(next, mechanism, waiting);
    try {
      const holding = await hold(held, mechanism, waiting);
      return () => holding.release().then(passTurn);
    } finally {
      await asNext.release();
    }
  } catch (error) {
    passTurn();
    throw error;
  }
}

async function hold(address: string, mechanism: LockMechanism, waiting: Waiting): Promise<Holding> {
  for (let round = 0; ; round += 1) {
    waiting.signal.throwIfAborted();
    const holding = await mechanism.tryHold(address);
    if (holding === 'taken') {
      waiting.onWait();
      await mechanism.untilWorthTrying(address, round, waiting.signal);
      continue;
    }
    if (!waiting.signal.aborted) return holding;
    // The wait was aborted just as the lock was acquired.
    await holding.release();
  }
}

async function prepareMechanism(options: LockOptions): Promise<LockMechanism> {
  if (options.os !== 'macos') return createSocketLocks(options.parts?.sockets ?? nodeSockets);
  await makeHoltFolder(options.holtHome, lockFolder, { os: options.os });
  return createFileLocks(options.parts?.files ?? nodeFiles);
}

function busy(name: string, startedAt: number): HoltError<'lock-busy'> {
  const waitedMs = Math.round(realClock.now() - startedAt);
  const message = `Another holt process is using ${name}; gave up after ${(waitedMs / 1000).toFixed(1)} s`;
  const remedy = 'Let the other command finish, or end it, then try again.';
  return new HoltError('lock-busy', message, { name, waitedMs }, { remedy });
}

function once(action: (() => void) | undefined): () => void {
  let pending = action;
  return () => {
    pending?.();
    pending = undefined;
  };
}

function thisUser(): string {
  // Windows has no numeric user ids.
  return process.getuid === undefined ? os.userInfo().username : String(process.getuid());
}

interface LockAddresses {
  /**
   * Held by the caller that is next in line, so that a process that just released the lock cannot overtake
   * it.
   */
  readonly next: string;
  /** The address of the lock itself. */
  readonly held: string;
}

interface LockOwner {
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
  return { next: spell(`holt-${digest}-next`, owner.folder), held: spell(`holt-${digest}`, owner.folder) };
}

const spellings: Record<OperatingSystem, (word: string, folder: string) => string> = {
  linux: (word) => `\0${word}`,
  macos: (word, folder) => `${folder}/${word}.lock`,
  windows: (word) => `\\\\.\\pipe\\${word}`,
};
