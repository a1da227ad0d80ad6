/** Reading a log that somebody else writes: what is there, and what comes. */

import fs from 'node:fs';
import { open } from 'node:fs/promises';

const tailBytes = 1 << 20;
const lookEveryMs = 250;

/** The last megabyte of a file, from the beginning of a line; empty when there is none. */
export async function readTail(file: string): Promise<{ readonly text: string; readonly end: number }> {
  const handle = await open(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW).catch(() => undefined);
  if (handle === undefined) return { text: '', end: 0 };
  try {
    const { size } = await handle.stat();
    const from = Math.max(0, size - tailBytes);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - from), 0, size - from, from);
    const text = buffer.subarray(0, bytesRead).toString('utf8');
    return { text: from === 0 ? text : text.slice(text.indexOf('\n') + 1), end: from + bytesRead };
  } finally {
    await handle.close();
  }
}

/**
 * Hands on what is written from `from` on, which is where the reading before ended: nothing is lost in between. Until the
 * signal. A file that was rotated is read from its beginning.
 */
export async function followFile(
  file: string,
  from: number,
  onText: (text: string) => void,
  signal: AbortSignal,
): Promise<void> {
  let at = from;
  const look = (): void => {
    const size = fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (size < at) at = 0;
    if (size === at) return;
    const descriptor = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW);
    try {
      const bytes = Buffer.alloc(size - at);
      const count = fs.readSync(descriptor, bytes, 0, bytes.length, at);
      at += count;
      onText(bytes.subarray(0, count).toString('utf8'));
    } finally {
      fs.closeSync(descriptor);
    }
  };
  // Watching by the system begins a little later than it is asked for, and what is written until then would wait.
  const timer = setInterval(look, lookEveryMs);
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  clearInterval(timer);
}
