/** Removes everyone else's access to a file. */

import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/**
 * Sets mode 0600 and returns the previous mode. Does not follow links, because the target may belong to
 * another user.
 */
export async function makePrivate(file: string): Promise<number> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { mode } = await handle.stat();
    await handle.chmod(0o600);
    return mode & 0o777;
  } finally {
    await handle.close();
  }
}
