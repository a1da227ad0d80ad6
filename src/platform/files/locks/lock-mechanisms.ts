/** The two ways to hold a lock that the system frees when the holder ends: a listening socket, or a locked file. */

import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import net from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

import { errorCode } from '../../../kernel/errors.ts';

export interface LockMechanism {
  /** Takes the address, or resolves to `taken` when it is held. Never waits. */
  tryHold(address: string): Promise<Holding | 'taken'>;
  /**
   * Resolves when another attempt is worthwhile. `round` counts the attempts so far. Rejects when the signal
   * aborts.
   */
  untilWorthTrying(address: string, round: number, signal: AbortSignal): Promise<void>;
}

export interface Holding {
  /** Releases the address. Never rejects, because the caller could not do anything about it. */
  release(): Promise<void>;
}

export interface SocketPort {
  listen(address: string): Promise<Holding | 'taken'>;
  /**
   * Connects and waits until the connection ends. Resolves to `refused` when it could not connect, otherwise
   * to `ended`.
   */
  followHolder(address: string, signal: AbortSignal): Promise<'ended' | 'refused'>;
}

/**
 * After this many lost attempts in a row, the other side probably closes every connection, so pause to
 * avoid a busy loop.
 */
const patientRounds = 50;
const longestPauseMs = 25;

export function createSocketLocks(port: SocketPort): LockMechanism {
  return {
    tryHold: (address) => port.listen(address),
    async untilWorthTrying(address, round, signal) {
      const outcome = await port.followHolder(address, signal);
      // Refused: the holder has bound the address but does not listen yet, or it has just closed. No event
      // reports when to retry.
      const wanted = outcome === 'refused' ? round + 1 : round - patientRounds;
      if (wanted > 0) await pause(Math.min(wanted, longestPauseMs), undefined, { signal });
    },
  };
}

export const nodeSockets: SocketPort = { listen, followHolder };

function listen(address: string): Promise<Holding | 'taken'> {
  const followers = new Set<net.Socket>();
  const server = net.createServer((follower) => {
    followers.add(follower);
    follower.on('error', () => follower.destroy());
    follower.on('close', () => followers.delete(follower));
    follower.resume().unref();
  });
  const release = (): Promise<void> => {
    // Free the address before waking the waiting processes, so that they can take it.
    server.close();
    for (const follower of followers) follower.destroy();
    return Promise.resolve();
  };

  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      if (errorCode(error) === 'EADDRINUSE') resolve('taken');
      else reject(error);
    });
    // Exclusive, because cluster workers would otherwise share one listener and all hold the lock.
    server.listen({ path: address, exclusive: true }, () => {
      // A held lock must not keep the process alive.
      server.unref();
      resolve({ release });
    });
  });
}

function followHolder(address: string, signal: AbortSignal): Promise<'ended' | 'refused'> {
  return new Promise((resolve, reject) => {
    let wasConnected = false;
    const socket = net.connect({ path: address });
    const giveUp = (): void => {
      socket.destroy();
      reject(signal.reason);
    };
    signal.addEventListener('abort', giveUp, { once: true });
    socket.on('connect', () => {
      wasConnected = true;
    });
    // Only the end of the connection matters, not its cause. `close` follows every error.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      signal.removeEventListener('abort', giveUp);
      resolve(wasConnected ? 'ended' : 'refused');
    });
    socket.resume();
  });
}

export interface FilePort {
  open(path: string, flags: number, mode: number): Promise<{ close(): Promise<void> }>;
}

/** O_EXLOCK on macOS. Node has no constant for it. */
export const exclusiveLockFlag = 0x20;

const flags =
  constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK | exclusiveLockFlag;
const longestFilePauseMs = 20;

export function createFileLocks(port: FilePort): LockMechanism {
  return {
    async tryHold(address) {
      try {
        const file = await port.open(address, flags, 0o600);
        return { release: () => file.close().catch(() => undefined) };
      } catch (error) {
        // On macOS both names have the same number, and Node does not guarantee which one it reports.
        if (['EAGAIN', 'EWOULDBLOCK'].includes(errorCode(error) ?? '')) return 'taken';
        throw error;
      }
    },
    untilWorthTrying: (_address, round, signal) =>
      pause(Math.min(2 + round, longestFilePauseMs), undefined, { signal }),
  };
}

/** Wrapped in a function, so that the import is only loaded when a lock is taken. */
export const nodeFiles: FilePort = { open: (path, how, mode) => open(path, how, mode) };
