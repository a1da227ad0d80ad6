/** Takes a file's rights from everybody but its owner. */

import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** Gives the mode it had before. A link is not followed: what it leads to may be somebody else's. */
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
