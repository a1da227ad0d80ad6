/** Restarts a small helper process for as long as it is needed. The helper does not keep holt alive. */

import type { ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';

import type { Clock } from '../../clock.ts';

export interface KeptChildParts {
  readonly clock: Clock;
  readonly start: () => ChildProcess;
  readonly isWanted: () => boolean;
  readonly onEnded: (next: 'again' | 'given-up') => void;
}

export interface KeptChild {
  readonly pid: number | undefined;
  begin(): void;
  say(line: string): void;
  close(): Promise<void>;
}

/**
 * Delays between restarts. The first is immediate; after the last one, the helper only restarts on the next
 * `begin`.
 */
const retryMs = [0, 50, 100, 200, 400, 800];
const longEnoughMs = 1000;

export function createKeptChild({ clock, start, isWanted, onEnded }: KeptChildParts): KeptChild {
  let child: ChildProcess | undefined;
  let ended: Promise<void> = Promise.resolve();
  let failures = 0;
  let isClosed = false;

  const begin = (): void => {
    if (child !== undefined || isClosed || !isWanted()) return;
    const startedAt = clock.now();
    const born = startOrNothing();
    if (born === undefined) return failed(startedAt);
    child = born;
    detach(born);
    ended = new Promise((resolve) => {
      const end = (): void => {
        resolve();
        if (child !== born) return;
        child = undefined;
        failed(startedAt);
      };
      born.once('exit', end).once('error', end);
    });
  };
  /** A failure to start counts like an early exit: it may be temporary. */
  const startOrNothing = (): ChildProcess | undefined => {
    try {
      return start();
    } catch {
      return undefined;
    }
  };
  const failed = (startedAt: number): void => {
    failures = clock.now() - startedAt > longEnoughMs ? 1 : failures + 1;
    if (isClosed || !isWanted()) return;
    const delayMs = retryMs[failures - 1];
    onEnded(delayMs === undefined ? 'given-up' : 'again');
    if (delayMs !== undefined) clock.setTimer(delayMs, begin);
  };

  return {
    begin,
    get pid() {
      return child?.pid;
    },
    say: (line) => {
      if (child?.stdin?.writable === true) child.stdin.write(`${line}\n`);
    },
    close: async () => {
      isClosed = true;
      child?.ref();
      child?.stdin?.end();
      await ended;
    },
  };
}

function detach(child: ChildProcess): void {
  // `exit` already reports the end, so ignore the error of the broken pipe.
  child.stdin?.on('error', () => undefined);
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
}
