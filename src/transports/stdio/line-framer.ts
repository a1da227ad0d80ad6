/**
 * Splits the stdout of a program into lines and reads the messages in them. Lines that are not messages go to
 * the server's log.
 */

import { StringDecoder } from 'node:string_decoder';

import type { JSONRPCMessage } from '@modelcontextprotocol/client';

import { StructureCount } from '../../network/count-structure.ts';
import { type MessageExcess, type MessageLimits, structureExcess } from '../../network/message-meter.ts';
import type { Received } from '../../network/receive-budget.ts';
import type { LogFile } from '../../platform/files/log-file.ts';

/** A line without its line ending, and its size in bytes and structural characters. */
export interface Line extends Received {
  readonly text: string;
}

export interface LineFramer {
  push(chunk: Buffer): void;
  /**
   * Returns the next complete line, undefined when there is none yet, or the limit that the line exceeds.
   * After a limit, no more lines follow.
   */
  next(): Line | MessageExcess | undefined;
  /** Returns the text after the last line end. */
  rest(): Line | undefined;
  /** Bytes that `next` has not processed yet. */
  readonly waitingBytes: number;
  /** `waitingBytes` plus the bytes of the unfinished line. */
  readonly heldBytes: number;
  clear(): void;
}

const newline = 0x0a;
/** Shorter lines have too little structure to matter. */
const countedBytes = 4 << 10;

export function createLineFramer(limits: MessageLimits): LineFramer {
  const { messageBytes } = limits;
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
        const excess = structureExcess(structure, limits);
        if (excess !== undefined) return excess;
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
  /** Returns all pieces and `last` as one string, and resets. */
  take(last: Buffer): string;
}

/** Pieces are joined in groups of this size: a million one-byte strings would take many times their size. */
const togetherCount = 1024;

function createPieces(): Pieces {
  // The decoder buffers the first half of a character that is split between two pieces.
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

export type LineContent =
  | { readonly kind: 'messages'; readonly messages: readonly JSONRPCMessage[] }
  | { readonly kind: 'foreign' }
  | { readonly kind: 'noise' }
  | { readonly kind: 'empty' };

export function readLine(line: string): LineContent {
  // Some programs on Windows write a byte order mark first.
  const text = line.startsWith('\uFEFF') ? line.slice(1) : line;
  const first = text.startsWith('{') ? '{' : /\S/.exec(text.length > 1000 ? text.slice(0, 1000) : text)?.[0];
  if (first === undefined) return { kind: 'empty' };
  // The first character identifies most noise, which saves parsing it.
  if (first !== '{' && first !== '[') return { kind: 'noise' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: 'noise' };
  }
  // Protocol revision 2025-03-26 allows batches: several messages in one array.
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  const messages = values.filter(isMessage);
  return messages.length === 0 ? { kind: 'foreign' } : { kind: 'messages', messages };
}

/**
 * Checks only what is needed to route the message. The code that receives a message validates its content.
 */
function isMessage(value: unknown): value is JSONRPCMessage {
  if (typeof value !== 'object' || value === null || !('jsonrpc' in value) || value.jsonrpc !== '2.0')
    return false;
  const id = 'id' in value ? value.id : undefined;
  const hasId = typeof id === 'string' || typeof id === 'number';
  if ('method' in value) return typeof value.method === 'string' && (hasId || id === undefined);
  return hasId && ('result' in value || 'error' in value);
}

export interface NoiseLogParts {
  readonly log: Pick<LogFile, 'write' | 'redact'>;
  readonly debug?: ((message: string) => void) | undefined;
  readonly onFirst: (line: string) => void;
}

/** Maximum number of lines in the debug output; more would add nothing. */
const shownLines = 5;
const shownCharacters = 200;

export function createNoiseLog({ log, debug, onFirst }: NoiseLogParts): (line: string) => void {
  let count = 0;
  return (line) => {
    log.write(Buffer.from(`${line}\n`));
    count += 1;
    if (count > shownLines) return;
    const text = log.redact(line.slice(0, 4 * shownCharacters)).slice(0, shownCharacters);
    if (count === 1) onFirst(text);
    debug?.(`no message: ${text}`);
  };
}
