/**
 * Writes long strings to a file in pieces, through one buffer. The process would never return the memory of a
 * larger one.
 */

import { open, type FileHandle } from 'node:fs/promises';

/** The buffer size in bytes. Each piece costs a turn of the event loop. */
const roomBytes = 1 << 20;
/** A UTF-16 code unit takes at most three bytes in UTF-8. */
const bytesPerUnit = 3;

/** Writes the strings one after another, starting at the current file position. */
export async function writeTexts(handle: FileHandle, texts: readonly string[]): Promise<void> {
  const units = texts.reduce((sum, text) => sum + text.length, 0);
  const room = Buffer.allocUnsafeSlow(Math.min(roomBytes, units * bytesPerUnit));
  const encoder = new TextEncoder();
  let used = 0;
  const flush = async (): Promise<void> => {
    // `writeFile` on a handle continues at the current position and writes everything.
    await handle.writeFile(room.subarray(0, used));
    used = 0;
  };
  for (const text of texts) {
    for (let at = 0; at < text.length;) {
      // `encodeInto` never splits a character; one that does not fit is written with the next piece.
      const { read, written } = encoder.encodeInto(text.slice(at), room.subarray(used));
      at += read;
      used += written;
      if (at < text.length) await flush();
    }
  }
  await flush();
}

/** Creates a file that only its owner can read. Rejects when it already exists. */
export async function writeNewText(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await writeTexts(handle, [text]);
  } finally {
    await handle.close();
  }
}
