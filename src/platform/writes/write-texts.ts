/** Long texts into a file, piece by piece through one buffer: what is allocated for megabytes stays with the process for good. */

import { open, type FileHandle } from 'node:fs/promises';

/** Each piece costs a turn. */
const roomBytes = 1 << 20;
/** One unit of a text is at most three bytes in a file. */
const bytesPerUnit = 3;

/** One after another, from where the file stands. */
export async function writeTexts(handle: FileHandle, texts: readonly string[]): Promise<void> {
  const units = texts.reduce((sum, text) => sum + text.length, 0);
  const room = Buffer.allocUnsafeSlow(Math.min(roomBytes, units * bytesPerUnit));
  const encoder = new TextEncoder();
  let used = 0;
  const flush = async (): Promise<void> => {
    // `writeFile` goes on where the last one ended, and writes all of it.
    await handle.writeFile(room.subarray(0, used));
    used = 0;
  };
  for (const text of texts) {
    for (let at = 0; at < text.length;) {
      // Never half a character: one that has no room any more is left for the next turn.
      const { read, written } = encoder.encodeInto(text.slice(at), room.subarray(used));
      at += read;
      used += written;
      if (at < text.length) await flush();
    }
  }
  await flush();
}

/** A file that was not there before, for its owner's eyes only. */
export async function writeNewText(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await writeTexts(handle, [text]);
  } finally {
    await handle.close();
  }
}
