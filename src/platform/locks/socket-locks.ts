/**
 * Locks by listening: one process at a time can listen at an address, and the kernel ends that with the process.
 * Who finds it taken connects to the holder and sleeps until that connection ends, so a kill wakes the next at once.
 * On Linux the address is an abstract socket: it needs no file, and is one per *network namespace*, so containers
 * that share a folder but not a network do not see each other's locks; there the comparison with what was read before
 * (`expected` in atomic-write.ts) is what keeps an edit from being lost. On Windows it is a pipe's first instance.
 * Another user who listens at the address first can make us wait and give up; nobody can take a lock that is held.
 */

import net from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

import { errorCode } from '../error-code.ts';
import type { Holding, LockMechanism } from './lock-mechanism.ts';

export interface SocketPort {
  listen(address: string): Promise<Holding | 'taken'>;
  /** Connects and waits for the end: `ended` when the connection stood, `refused` when it never did. */
  followHolder(address: string, signal: AbortSignal): Promise<'ended' | 'refused'>;
}

/** Losing this often in a row is no longer chance: the other side hangs up on us, and we must not spin. */
const patientRounds = 50;
const longestPauseMs = 25;

export function createSocketLocks(port: SocketPort): LockMechanism {
  return {
    tryHold: (address) => port.listen(address),
    async untilWorthTrying(address, round, signal) {
      const outcome = await port.followHolder(address, signal);
      // Refused: the holder is between taking the name and listening, or has just left; no event tells when.
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
    // First the name, then the sleepers: whoever wakes finds it free.
    server.close();
    for (const follower of followers) follower.destroy();
    return Promise.resolve();
  };

  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      if (errorCode(error) === 'EADDRINUSE') resolve('taken');
      else reject(error);
    });
    // Exclusive: in a cluster the workers would otherwise share one listener, and all of them would hold the lock.
    server.listen({ path: address, exclusive: true }, () => {
      // A lock alone is no reason for a process to live on.
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
    // The end is what counts, whether the holder hung up or was killed; `close` follows every error.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      signal.removeEventListener('abort', giveUp);
      resolve(stood ? 'ended' : 'refused');
    });
    socket.resume();
  });
}
