/** Reads a log that another process writes: its current content and what is appended later. */

import fs from 'node:fs';
import { open } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';

import { aborted } from '../waits.ts';

const tailBytes = 1 << 20;
const lookEveryMs = 250;

/**
 * Returns the last megabyte of a file, starting at the beginning of a line. Empty when the file cannot be
 * opened.
 */
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
 * Passes on everything written after offset `from`, until the signal aborts. Pass the `end` of the previous
 * read, so that nothing is lost in between. A rotated file is read from its beginning.
 */
export async function followFile(
  file: string,
  from: number,
  onText: (text: string) => void,
  signal: AbortSignal,
): Promise<void> {
  let at = from;
  // Buffers the first half of a character that is split between two reads.
  let decoder = new StringDecoder('utf8');
  const look = (): void => {
    const bytes = readFrom(file, at);
    if (bytes === 'replaced') {
      // The next look reads the new file from its beginning.
      at = 0;
      decoder = new StringDecoder('utf8');
      return;
    }
    at += bytes.length;
    const text = decoder.write(bytes);
    if (text !== '') onText(text);
  };
  // Polls, because `fs.watch` starts with a short delay and would not report what is written before that.
  const timer = setInterval(look, lookEveryMs);
  await aborted(signal);
  clearInterval(timer);
}

/** `replaced` when the file is shorter than `at` or cannot be opened: it may be removed at any moment. */
function readFrom(file: string, at: number): Buffer | 'replaced' {
  let descriptor: number | undefined;
  try {
    descriptor = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW);
    const { size } = fs.fstatSync(descriptor);
    if (size < at) return 'replaced';
    const bytes = Buffer.alloc(size - at);
    return bytes.subarray(0, fs.readSync(descriptor, bytes, 0, bytes.length, at));
  } catch {
    return 'replaced';
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor);
  }
}
