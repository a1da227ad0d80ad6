/** Counts the bytes of one message: of the whole body, or of one event of a stream that may go on for days. */

export interface MessageMeter {
  /** False once a message is over the limit. */
  count(chunk: Uint8Array): boolean;
}

export function createMessageMeter(limitBytes: number, kind: 'body' | 'events'): MessageMeter {
  let bytes = 0;
  if (kind === 'body') return { count: (chunk) => (bytes += chunk.byteLength) <= limitBytes };
  let tail = Buffer.alloc(0);
  return {
    count: (chunk) => {
      // Looked at together with the last bytes before it: a blank line may lie across two chunks.
      const seam = tail.length;
      const text = Buffer.concat([tail, chunk]);
      const { first, last } = eventEnds(text);
      // Events that begin and end inside one chunk are as small as chunks are.
      const fits = bytes + (first === undefined ? chunk.byteLength : Math.max(0, first - seam)) <= limitBytes;
      bytes = last === undefined ? bytes + chunk.byteLength : Math.min(chunk.byteLength, text.length - last);
      tail = text.subarray(Math.max(last ?? 0, text.length - 3));
      return fits;
    },
  };
}

const blankLines = ['\n\n', '\r\r', '\n\r\n', '\r\n\r'];

/** Where the first and the last blank line of a text end. */
function eventEnds(text: Buffer): { readonly first: number | undefined; readonly last: number | undefined } {
  let first: number | undefined;
  let last: number | undefined;
  for (const blank of blankLines) {
    const from = text.indexOf(blank);
    if (from === -1) continue;
    first = Math.min(first ?? Infinity, from + blank.length);
    last = Math.max(last ?? 0, text.lastIndexOf(blank) + blank.length);
  }
  return { first, last };
}
