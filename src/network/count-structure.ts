/**
 * Counts the structural characters of JSON as its bytes arrive, so that a message that is small on the wire
 * but large in memory is refused before it is parsed: `[[],[],…]` costs about 25 bytes of heap for each byte
 * received.
 *
 * It counts `[`, `]`, `{`, `}`, `,` and `:` outside strings. Up to the first syntax error, this counter and a
 * parser see the same strings, and the parser stops at that error. A parser therefore never creates more
 * values than were counted.
 *
 * It also notices nesting that `JSON.stringify` and `structuredClone` cannot handle: both recurse, and fail
 * with a stack overflow from about 4,000 levels on.
 */

const quote = 0x22;
const backslash = 0x5c;
const [separator, opening, closing] = [1, 2, 3];
const kinds = new Uint8Array(256);
for (const character of ',:') kinds[character.charCodeAt(0)] = separator;
for (const character of '[{') kinds[character.charCodeAt(0)] = opening;
for (const character of ']}') kinds[character.charCodeAt(0)] = closing;

/** Messages that are nested deeper are refused. */
export const maxLevels = 2000;

/**
 * Short strings are scanned byte by byte;
 * from this length on, a native search for the closing quote is faster.
 */
const walkedBytes = 32;

export class StructureCount {
  #count = 0;
  #level = 0;
  #deepest = 0;
  #state: 'outside' | 'inside' | 'escaped' = 'outside';

  get count(): number {
    return this.#count;
  }

  get isTooDeep(): boolean {
    return this.#deepest > maxLevels;
  }

  /** Counts the next bytes of the same message. */
  add(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;)
      at = this.#state === 'outside' ? this.#plain(bytes, at) : this.#string(bytes, at);
  }

  /** Call at the end of each line of an event stream: a JSON string never continues on the next line. */
  endLine(): void {
    this.#state = 'outside';
  }

  reset(): void {
    this.#count = 0;
    this.#level = 0;
    this.#deepest = 0;
    this.#state = 'outside';
  }

  /** Scans to the end of the chunk, or past the quote that opens a string. */
  #plain(bytes: Uint8Array, from: number): number {
    let count = 0;
    let level = this.#level;
    let deepest = this.#deepest;
    let at = from;
    for (; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? 0;
      if (byte === quote) break;
      const kind = kinds[byte] ?? 0;
      if (kind === 0) continue;
      count += 1;
      if (kind === closing) level -= 1;
      else if (kind === opening) {
        level += 1;
        if (level > deepest) deepest = level;
      }
    }
    this.#count += count;
    this.#level = level;
    this.#deepest = deepest;
    if (at === bytes.length) return at;
    this.#state = 'inside';
    return at + 1;
  }

  /** Scans to the end of the chunk, or past the quote that closes the string. */
  #string(bytes: Uint8Array, from: number): number {
    let at = from;
    if (this.#state === 'escaped') {
      this.#state = 'inside';
      at += 1;
    }
    for (const walked = Math.min(at + walkedBytes, bytes.length); at < walked; at += 1) {
      const byte = bytes[at];
      if (byte === quote) return this.#close(at);
      if (byte !== backslash) continue;
      if (at + 1 === bytes.length) this.#state = 'escaped';
      else at += 1;
    }
    return at >= bytes.length ? bytes.length : this.#searchEnd(bytes, at);
  }

  #searchEnd(bytes: Uint8Array, from: number): number {
    const found = bytes.indexOf(quote, from);
    const end = found === -1 ? bytes.length : found;
    const isEscaped = backslashesBefore(bytes, from, end) % 2 === 1;
    if (found !== -1) return isEscaped ? end + 1 : this.#close(end);
    if (isEscaped) this.#state = 'escaped';
    return end;
  }

  #close(at: number): number {
    this.#state = 'outside';
    return at + 1;
  }
}

function backslashesBefore(bytes: Uint8Array, from: number, at: number): number {
  let count = 0;
  while (at - 1 - count >= from && bytes[at - 1 - count] === backslash) count += 1;
  return count;
}
