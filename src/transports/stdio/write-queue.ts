/**
 * Queues messages to a server up to a byte limit. When the server ends, all pending messages fail. A write
 * error alone does not reject them: they wait for `fail`, whose error says why the server ended.
 */

import type { Writable } from 'node:stream';

import { HoltError } from '../../kernel/errors.ts';
import { nameWord } from '../../kernel/shell-words.ts';

export interface WriteQueue {
  /**
   * Resolves when the operating system has accepted the line. Rejects with `queue-full` when the limit is
   * exceeded.
   */
  send(line: string): Promise<void>;
  /** Rejects all pending and all later sends. */
  fail(error: Error): void;
  /** True while at most one batch has been sent. */
  readonly isFresh: boolean;
}

export interface WriteQueueParts {
  readonly server: string;
  readonly maxBytes: number;
  /** Called when stdin no longer accepts data. The listener must call `fail` soon after. */
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
  /**
   * Corks stdin until the end of the microtask, so that lines sent in the same tick reach the system in one
   * write.
   */
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
        // A line larger than the whole queue is accepted when nothing else is pending.
        if (waitingBytes > 0 && waitingBytes + bytes > maxBytes) return reject(full());
        waitingBytes += bytes;
        waiting.add(reject);
        stdin.write(line, (error) => {
          waitingBytes -= bytes;
          // A destroyed stream reports success for its pending writes.
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
