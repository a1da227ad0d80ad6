/** What is on its way to a server. A bounded amount waits; whatever still waits when the server is gone fails at once. */

import type { Writable } from 'node:stream';

import { HoltError } from '../../kernel/errors.ts';
import { inputClosed } from './failures.ts';

export interface WriteQueue {
  /** Resolves when the system has taken it. */
  send(line: string): Promise<void>;
  /** Rejects everything that waits and all that comes later. */
  fail(error: Error): void;
}

export interface WriteQueueParts {
  readonly server: string;
  readonly maxBytes: number;
}

export function createWriteQueue(stdin: Writable, { server, maxBytes }: WriteQueueParts): WriteQueue {
  const waiting = new Set<(error: Error) => void>();
  let waitingBytes = 0;
  let failure: Error | undefined;

  const full = (): HoltError<'queue-full'> => {
    const message = `Server "${server}" does not read what it is sent: ${waitingBytes >> 10} KiB wait already`;
    return new HoltError(
      'queue-full',
      message,
      { server, maxBytes },
      { remedy: `Look at what it does: holt logs ${server}` },
    );
  };
  let isGathering = false;
  /** The first goes at once; what is sent in the same breath reaches the system together. */
  const gather = (): void => {
    if (isGathering) return;
    isGathering = true;
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
          if (!waiting.delete(reject)) return;
          if (error === null || error === undefined) resolve();
          else reject(failure ?? inputClosed(server, error));
        });
        gather();
      }),
    fail: (error) => {
      failure ??= error;
      for (const reject of waiting) reject(failure);
      waiting.clear();
    },
  };
}
