/**
 * What is on its way to a server. A bounded amount waits; whatever still waits when the server is gone fails at once. A pipe
 * that breaks is only the beginning of that: what cannot be written any more waits to be told what became of the server.
 */

import type { Writable } from 'node:stream';

import { HoltError } from '../../kernel/errors.ts';
import { nameWord } from '../../kernel/shell-words.ts';

export interface WriteQueue {
  /** Resolves when the system has taken it. */
  send(line: string): Promise<void>;
  /** Rejects everything that waits and all that comes later. */
  fail(error: Error): void;
  /** Nothing was sent yet, or all of it in one breath. */
  readonly isFresh: boolean;
}

export interface WriteQueueParts {
  readonly server: string;
  readonly maxBytes: number;
  /** It takes nothing any more. Whoever hears it calls `fail` before long. */
  readonly onBroken: (error: Error) => void;
}

export function createWriteQueue(
  stdin: Writable,
  { server, maxBytes, onBroken }: WriteQueueParts,
): WriteQueue {
  const waiting = new Set<(error: Error) => void>();
  let waitingBytes = 0;
  let failure: Error | undefined;

  const full = (): HoltError<'queue-full'> => {
    const message = `Server "${server}" does not read what it is sent: ${waitingBytes >> 10} KiB wait already`;
    return new HoltError(
      'queue-full',
      message,
      { server, maxBytes },
      { remedy: `Look at what it does: holt logs ${nameWord(server)}` },
    );
  };
  let isGathering = false;
  let breaths = 0;
  /** The first goes at once; what is sent in the same breath reaches the system together. */
  const gather = (): void => {
    if (isGathering) return;
    isGathering = true;
    breaths += 1;
    stdin.cork();
    queueMicrotask(() => {
      isGathering = false;
      stdin.uncork();
    });
  };
  return {
    send: (line) =>
      new Promise((resolve, reject) => {
        if (failure !== undefined) return reject(failure);
        const bytes = Buffer.byteLength(line);
        // One that is larger than the whole queue goes alone.
        if (waitingBytes > 0 && waitingBytes + bytes > maxBytes) return reject(full());
        waitingBytes += bytes;
        waiting.add(reject);
        stdin.write(line, (error) => {
          waitingBytes -= bytes;
          // What a stream had under way when it was destroyed is told like what was taken.
          const broken = error ?? (stdin.destroyed ? new Error('the stream was destroyed') : undefined);
          if (broken !== undefined) return onBroken(broken);
          if (waiting.delete(reject)) resolve();
        });
        gather();
      }),
    fail: (error) => {
      failure ??= error;
      for (const reject of waiting) reject(failure);
      waiting.clear();
    },
    get isFresh() {
      return breaths <= 1;
    },
  };
}
