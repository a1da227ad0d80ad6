/** Counts the bytes of one message: of the whole body, or of one event of a stream that may go on for days. */

export interface MessageMeter {
  /** False once a message is over the limit. */
  count(chunk: Uint8Array): boolean;
}

export function createMessageMeter(limitBytes: number, kind: 'body' | 'events'): MessageMeter {
  let bytes = 0;
  if (kind === 'body') {
    return { count: (chunk) => (bytes += chunk.byteLength) <= limitBytes };
  }
  let tail = Buffer.alloc(0);
  return {
    count: (chunk) => {
      const end = lastEventEnd(tail, chunk);
      bytes = end === undefined ? bytes + chunk.byteLength : chunk.byteLength - end;
      tail = Buffer.from(chunk.subarray(Math.max(0, chunk.byteLength - 3)));
      // Events before the last one in a chunk are no longer than the chunk, which is far below any limit.
      return bytes <= limitBytes;
    },
  };
}

const blankLines = ['\n\n', '\r\r', '\n\r\n', '\r\n\r'];

/** Where, in `chunk`, the last blank line ends. A line may have begun in the chunk before. */
function lastEventEnd(tail: Buffer, chunk: Uint8Array): number | undefined {
  const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  let end = -1;
  for (const blank of blankLines) {
    const at = bytes.lastIndexOf(blank);
    if (at >= 0) end = Math.max(end, at + blank.length);
  }
  if (end >= 0) return end;
  const seam = Buffer.concat([tail, bytes.subarray(0, 3)]);
  const crossed = blankLines.some((blank) => seam.indexOf(blank) >= 0);
  return crossed ? 0 : undefined;
}
