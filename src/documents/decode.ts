/**
 * Decodes the bytes of a config file and encodes text again: UTF-8, or UTF-16 as some Windows editors write
 * it, with or without a byte order mark.
 */

import type { FileOutcome } from '../platform/files/files.ts';

export interface DecodedText {
  readonly text: string;
  readonly bom: boolean;
  readonly utf16: boolean;
}

export function decodeText(bytes: Uint8Array): DecodedText {
  const { kind, markBytes } = encodingOf(bytes);
  const body = bytes.subarray(markBytes);
  const buffer = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const text = kind === 'utf8' ? buffer.toString('utf8') : fromUtf16(buffer, kind);
  return { text, bom: markBytes > 0, utf16: kind !== 'utf8' };
}

/**
 * Encodes `text` like `original`, byte order mark included. Returns `undefined` if `original` contains bytes
 * that are not valid text: writing the decoded text back would change them.
 */
export function encodeLike(original: Uint8Array, text: string): Uint8Array | undefined {
  const encoding = encodingOf(original);
  const again = encode(original, encoding, decodeText(original).text);
  return again.equals(original) ? encode(original, encoding, text) : undefined;
}

interface Encoding {
  readonly kind: 'utf8' | 'utf16le' | 'utf16be';
  readonly markBytes: number;
}

function encodingOf(bytes: Uint8Array): Encoding {
  const [a, b, c] = bytes;
  if (a === 0xff && b === 0xfe) return { kind: 'utf16le', markBytes: 2 };
  if (a === 0xfe && b === 0xff) return { kind: 'utf16be', markBytes: 2 };
  if (a === 0xef && b === 0xbb && c === 0xbf) return { kind: 'utf8', markBytes: 3 };
  return { kind: unmarkedKind(bytes), markBytes: 0 };
}

/** Config files begin with ASCII characters, so in UTF-16 every other byte is zero. */
function unmarkedKind([a, b, c, d]: Uint8Array): Encoding['kind'] {
  if (a && b === 0 && c && d === 0) return 'utf16le';
  if (a === 0 && b && c === 0 && d) return 'utf16be';
  return 'utf8';
}

function fromUtf16(buffer: Buffer, kind: Encoding['kind']): string {
  if (kind === 'utf16le') return buffer.toString('utf16le');
  const even = Buffer.from(buffer.subarray(0, buffer.length - (buffer.length % 2)));
  return even.swap16().toString('utf16le');
}

function encode(original: Uint8Array, { kind, markBytes }: Encoding, text: string): Buffer {
  const body = Buffer.from(text, kind === 'utf8' ? 'utf8' : 'utf16le');
  if (kind === 'utf16be') body.swap16();
  return Buffer.concat([original.subarray(0, markBytes), body]);
}

/** Returns the text of a file that was loaded, or `undefined` if there is none. */
export function textOf(outcome: FileOutcome): string | undefined {
  return outcome.kind === 'file' ? decodeText(outcome.bytes).text : undefined;
}
