/**
 * Bytes in, lines out, in time that grows with the bytes and not with their square: pieces of an unfinished line are
 * kept as they came and put together once. Where a character or a line is cut does not matter.
 */

export interface LineFramer {
  push(chunk: Buffer): void;
  /** The next whole line without its end, undefined when there is none yet, `too-long` when there will be none. */
  next(): Buffer | 'too-long' | undefined;
  /** What came after the last line end. */
  rest(): Buffer | undefined;
  /** Bytes that `next` has not looked at. */
  readonly waitingBytes: number;
  clear(): void;
}

const newline = 0x0a;
const carriageReturn = 0x0d;
/** Pieces below this are copied together: a million of one byte each would cost a hundred times their size. */
const smallBytes = 1024;
const slabBytes = 16 << 10;

export function createLineFramer(maxBytes: number): LineFramer {
  let chunks: Buffer[] = [];
  let chunkIndex = 0;
  let at = 0;
  let waitingBytes = 0;
  const line = createPieces();

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
    line.take();
  };

  return {
    push: (chunk) => {
      chunks.push(chunk);
      waitingBytes += chunk.length;
    },
    next: () => {
      for (let chunk = nextChunk(); chunk !== undefined; chunk = nextChunk()) {
        const end = chunk.indexOf(newline, at);
        line.add(chunk.subarray(at, end === -1 ? chunk.length : end));
        advance(chunk, end === -1 ? chunk.length : end + 1);
        if (line.bytes > maxBytes) return 'too-long';
        if (end !== -1) return withoutReturn(line.take());
      }
      return undefined;
    },
    rest: () => (line.bytes === 0 ? undefined : withoutReturn(line.take())),
    get waitingBytes() {
      return waitingBytes;
    },
    clear,
  };
}

function withoutReturn(line: Buffer): Buffer {
  return line.at(-1) === carriageReturn ? line.subarray(0, -1) : line;
}

interface Pieces {
  readonly bytes: number;
  add(piece: Buffer): void;
  take(): Buffer;
}

function createPieces(): Pieces {
  let pieces: Buffer[] = [];
  let bytes = 0;
  let slab: Buffer | undefined;
  let slabUsed = 0;
  const addSmall = (piece: Buffer): void => {
    if (slab === undefined || slabUsed + piece.length > slab.length) {
      slab = Buffer.allocUnsafe(slabBytes);
      slabUsed = 0;
    } else pieces.pop();
    slabUsed += piece.copy(slab, slabUsed);
    pieces.push(slab.subarray(0, slabUsed));
  };
  return {
    get bytes() {
      return bytes;
    },
    add: (piece) => {
      if (piece.length === 0) return;
      // The first piece of a line is mostly the whole of it.
      if (piece.length < smallBytes && pieces.length > 0) addSmall(piece);
      else {
        pieces.push(piece);
        slab = undefined;
      }
      bytes += piece.length;
    },
    take: () => {
      const [only = Buffer.alloc(0)] = pieces;
      const line = pieces.length > 1 ? Buffer.concat(pieces, bytes) : only;
      [pieces, bytes, slab] = [[], 0, undefined];
      return line;
    },
  };
}
