/**
 * Measures each message as it arrives: a whole body, or one event of a stream that may stay open for days.
 */

import { StructureCount } from './count-structure.ts';

/** The limits for one message. */
export interface MessageLimits {
  readonly messageBytes: number;
  /** Structural characters, as `count-structure.ts` counts them. */
  readonly messageNodes: number;
}

/** The limit that a message exceeds. */
export type Excess = MessageExcess | 'lines';
export type MessageExcess = 'bytes' | 'nodes' | 'levels';

/** The event parser creates an error for each unknown line of an event, so thousands of them stall the program. */
export const maxUnknownLines = 1000;

export interface MessageMeter {
  /** Counts a chunk. Returns `undefined` while all messages are within the limits. */
  count(chunk: Uint8Array): Excess | undefined;
  /** Bytes of the message that is being received. */
  readonly bytes: number;
  /** Structural characters of everything received so far. */
  readonly totalNodes: number;
}

export function createMessageMeter(limits: MessageLimits, kind: 'body' | 'events'): MessageMeter {
  return kind === 'body' ? new BodyMeter(limits) : new EventMeter(limits);
}

class BodyMeter implements MessageMeter {
  readonly #limits: MessageLimits;
  readonly #structure = new StructureCount();
  #bytes = 0;

  constructor(limits: MessageLimits) {
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get totalNodes(): number {
    return this.#structure.count;
  }

  count(chunk: Uint8Array): Excess | undefined {
    this.#bytes += chunk.byteLength;
    this.#structure.add(chunk);
    return excessOf(this.#bytes, this.#structure, this.#limits);
  }
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** The first bytes of `data`, `event`, `id`, `retry`, of a comment, and of a byte order mark. */
const fieldStarts: ReadonlySet<number> = new Set([...Buffer.from('deir:'), 0xef]);

/** An empty line ends an event; lines end with `\n`, `\r` or `\r\n`. */
class EventMeter implements MessageMeter {
  readonly #limits: MessageLimits;
  readonly #structure = new StructureCount();
  #bytes = 0;
  #earlierNodes = 0;
  #lineBytes = 0;
  #unknownLines = 0;
  #isAfterReturn = false;

  constructor(limits: MessageLimits) {
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get totalNodes(): number {
    return this.#earlierNodes + this.#structure.count;
  }

  count(chunk: Uint8Array): Excess | undefined {
    const ends = lineEndsOf(chunk);
    for (let at = 0; at < chunk.length;) {
      const end = ends.next(at);
      if (end > at) this.#addToLine(chunk.subarray(at, end));
      if (end < chunk.length) this.#endLine(chunk[end] ?? lineFeed);
      const excess = excessOf(this.#bytes, this.#structure, this.#limits);
      if (excess !== undefined) return excess;
      if (this.#unknownLines > maxUnknownLines) return 'lines';
      at = end + 1;
    }
    return undefined;
  }

  #addToLine(bytes: Uint8Array): void {
    if (this.#lineBytes === 0 && !fieldStarts.has(bytes[0] ?? 0)) this.#unknownLines += 1;
    this.#structure.add(bytes);
    this.#bytes += bytes.length;
    this.#lineBytes += bytes.length;
    this.#isAfterReturn = false;
  }

  #endLine(byte: number): void {
    const isSecondHalf = byte === lineFeed && this.#isAfterReturn;
    this.#isAfterReturn = byte === carriageReturn;
    if (isSecondHalf) return;
    this.#bytes += 1;
    this.#structure.endLine();
    if (this.#lineBytes === 0) this.#endEvent();
    this.#lineBytes = 0;
  }

  #endEvent(): void {
    this.#bytes = 0;
    this.#unknownLines = 0;
    this.#earlierNodes += this.#structure.count;
    this.#structure.reset();
  }
}

/** Remembers the next position of each kind of line end, so that no byte is searched twice. */
function lineEndsOf(chunk: Uint8Array): { readonly next: (from: number) => number } {
  let feed = -1;
  let back = -1;
  const search = (byte: number, from: number): number => {
    const found = chunk.indexOf(byte, from);
    return found === -1 ? chunk.length : found;
  };
  return {
    next: (from) => {
      if (feed < from) feed = search(lineFeed, from);
      if (back < from) back = search(carriageReturn, from);
      return Math.min(feed, back);
    },
  };
}

function excessOf(bytes: number, structure: StructureCount, limits: MessageLimits): Excess | undefined {
  return bytes > limits.messageBytes ? 'bytes' : structureExcess(structure, limits);
}

/** The limit of its structure that a message exceeds. */
export function structureExcess(
  { count, isTooDeep }: Pick<StructureCount, 'count' | 'isTooDeep'>,
  { messageNodes }: Pick<MessageLimits, 'messageNodes'>,
): 'nodes' | 'levels' | undefined {
  if (count > messageNodes) return 'nodes';
  return isTooDeep ? 'levels' : undefined;
}
