/** The one hash of the tree: SHA-256. Pure, so that every module may name things by their content. */

import { createHash } from 'node:crypto';

/** Returns 64 hexadecimal digits. Several parts hash as if they were one. */
export function sha256(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}
