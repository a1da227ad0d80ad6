/**
 * Bytes in, lines out, in time that grows with the bytes and not with their square. An unfinished line is kept as text and
 * put together once: bytes that wait lie outside of V8's heap, and it does not notice how many there are.
 */

import { StringDecoder } from 'node:string_decoder';

import { StructureCount } from '../../network/count-structure.ts';
import type { Excess, MessageLimits } from '../../network/message-meter.ts';
import type { Received } from '../../network/receive-budget.ts';

/** A line without its end, and what it was made of. */
export interface Line extends Received {
  readonly text: string;
}

export interface LineFramer {
  push(chunk: Buffer): void;
  /** The next whole line, undefined when there is none yet, the limit it is over when there will be none. */
  next(): Line | Excess | undefined;
  /** What came after the last line end. */
  rest(): Line | undefined;
  /** Bytes that `next` has not looked at. */
  readonly waitingBytes: number;
  /** Those and the bytes of the unfinished line. */
  readonly heldBytes: number;
  clear(): void;
}

const newline = 0x0a;
/** What is shorter has too little structure to matter. */
const countedBytes = 4 << 10;

export function createLineFramer({ messageBytes, messageNodes }: MessageLimits): LineFramer {
  let chunks: Buffer[] = [];
  let chunkIndex = 0;
  let at = 0;
  let waitingBytes = 0;
  const line = createPieces();
  const structure = new StructureCount();

  const nextChunk = (): Buffer | undefined => {
    const chunk = chunks[chunkIndex];
    if (chunk === undefined && chunkIndex > 0) [chunks, chunkIndex] = [[], 0];
    return chunk;
  };
  const advance = (chunk: Buffer, to: number): void => {
    waitingBytes -= to - at;
    at = to;
    if (at < chunk.length) return;
    chunkIndex += 1;
    at = 0;
  };
  const clear = (): void => {
    [chunks, chunkIndex, at, waitingBytes] = [[], 0, 0, 0];
    line.take(nothing);
    structure.reset();
  };
  const finish = (piece: Buffer): Line => {
    const bytes = line.bytes + piece.length;
    const nodes = structure.count;
    structure.reset();
    return { text: withoutReturn(line.take(piece)), bytes, nodes };
  };

  return {
    push: (chunk) => {
      chunks.push(chunk);
      waitingBytes += chunk.length;
    },
    next: () => {
      for (let chunk = nextChunk(); chunk !== undefined; chunk = nextChunk()) {
        const end = chunk.indexOf(newline, at);
        const piece = chunk.subarray(at, end === -1 ? chunk.length : end);
        advance(chunk, end === -1 ? chunk.length : end + 1);
        if (line.bytes + piece.length > messageBytes) return 'bytes';
        if (end === -1 || line.bytes > 0 || piece.length >= countedBytes) structure.add(piece);
        if (structure.count > messageNodes) return 'nodes';
        if (end !== -1) return finish(piece);
        line.add(piece);
      }
      return undefined;
    },
    rest: () => (line.bytes === 0 ? undefined : finish(nothing)),
    get waitingBytes() {
      return waitingBytes;
    },
    get heldBytes() {
      return waitingBytes + line.bytes;
    },
    clear,
  };
}

const nothing = Buffer.alloc(0);

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

interface Pieces {
  readonly bytes: number;
  add(piece: Buffer): void;
  /** All there was, and this last one. */
  take(last: Buffer): string;
}

/** So many are put together: a million of one byte each would cost many times their size. */
const togetherCount = 1024;

function createPieces(): Pieces {
  // Where a character is cut in two, it keeps the first half.
  const decoder = new StringDecoder('utf8');
  let texts: string[] = [];
  let recent: string[] = [];
  let bytes = 0;
  return {
    get bytes() {
      return bytes;
    },
    add: (piece) => {
      bytes += piece.length;
      recent.push(decoder.write(piece));
      if (recent.length < togetherCount) return;
      texts.push(recent.join(''));
      recent = [];
    },
    take: (last) => {
      // Most lines come in one piece.
      if (bytes === 0) return last.toString('utf8');
      const line = [...texts, ...recent, decoder.end(last)].join('');
      [texts, recent, bytes] = [[], [], 0];
      return line;
    },
  };
}
