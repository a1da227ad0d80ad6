/**
 * Locks that listen on a local socket: only one process can listen on an address, and the kernel closes it
 * when the process ends. A waiting process connects to the holder and sleeps until the connection ends, so it
 * wakes immediately even if the holder is killed.
 * On Linux the address is an abstract socket. It needs no file, but belongs to a *network namespace*:
 * containers that share a folder but not a network do not see each other's locks. There, the comparison with
 * the content read before (`expected` in atomic-write.ts) prevents lost edits. On Windows the address is the
 * first instance of a named pipe.
 * Another user who listens on the address first can make holt wait and time out, but cannot take a lock that
 * is held.
 */

import net from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

import { errorCode } from '../../error-code.ts';
import type { Holding, LockMechanism } from './lock-mechanism.ts';

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
  const letGo = (): Promise<void> => {
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
      resolve({ letGo });
    });
  });
}

function followHolder(address: string, signal: AbortSignal): Promise<'ended' | 'refused'> {
  return new Promise((resolve, reject) => {
    let stood = false;
    const socket = net.connect({ path: address });
    const giveUp = (): void => {
      socket.destroy();
      reject(signal.reason);
    };
    signal.addEventListener('abort', giveUp, { once: true });
    socket.on('connect', () => {
      stood = true;
    });
    // Only the end of the connection matters, not its cause. `close` follows every error.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      signal.removeEventListener('abort', giveUp);
      resolve(stood ? 'ended' : 'refused');
    });
    socket.resume();
  });
}
