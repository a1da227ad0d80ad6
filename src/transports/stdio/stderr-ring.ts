/**
 * A ring buffer for the last bytes that a server wrote to stderr. It grows with what was written, up to a
 * limit.
 */

export interface StderrRing {
  push(chunk: Buffer): void;
  /** Returns the last `lines` lines. Omits a line whose beginning was overwritten. */
  tail(lines: number): string;
}

const smallestBytes = 4 << 10;
/** Maximum number of bytes that `tail` reads; no error message needs more. */
const maxTailBytes = 64 << 10;

export function createStderrRing(maxBytes: number): StderrRing {
  let ring: Buffer = Buffer.alloc(0);
  let used = 0;
  let next = 0;

  const grow = (needed: number): void => {
    if (needed <= ring.length || ring.length === maxBytes) return;
    const size = Math.min(maxBytes, Math.max(smallestBytes, 2 ** Math.ceil(Math.log2(needed))));
    const larger = Buffer.allocUnsafe(size);
    // The buffer never wraps before it reaches its maximum size, so the data starts at 0.
    ring.copy(larger, 0, 0, used);
    ring = larger;
    next = used % size;
  };
  const last = (bytes: number): Buffer => {
    const start = next - bytes;
    if (start >= 0) return ring.subarray(start, next);
    return Buffer.concat([ring.subarray(ring.length + start), ring.subarray(0, next)]);
  };
  return {
    push: (chunk) => {
      if (chunk.length === 0) return;
      const bytes = chunk.length > maxBytes ? chunk.subarray(-maxBytes) : chunk;
      grow(used + bytes.length);
      const first = bytes.copy(ring, next);
      if (first < bytes.length) bytes.copy(ring, 0, first);
      next = (next + bytes.length) % ring.length;
      used = Math.min(used + bytes.length, ring.length);
    },
    tail: (lines) => {
      const bytes = Math.min(used, maxTailBytes);
      if (bytes === 0) return '';
      const text = last(bytes).toString('utf8');
      const all = text.replace(/\n$/, '').split('\n');
      // The first line may be incomplete, cut in the middle of a character or a secret.
      const whole = bytes < used || used === maxBytes ? all.slice(1) : all;
      return whole.slice(-lines).join('\n');
    },
  };
}
