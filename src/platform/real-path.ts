/** The one true name of a place on the disk, also of a file that is still to be made. */

import { realpathSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import path from 'node:path';

import { errorCode } from './error-code.ts';

/** Links are followed as far as the path exists; what does not exist yet is added as it was given. */
export async function realPathOf(place: string): Promise<string> {
  try {
    return await realpath(place);
  } catch (error) {
    const parent = path.dirname(place);
    if (errorCode(error) !== 'ENOENT' || parent === place) throw error;
    return path.join(await realPathOf(parent), path.basename(place));
  }
}

/** The same without waiting; what cannot be followed is taken as it was given. */
export function realPathNow(place: string): string {
  try {
    return realpathSync.native(place);
  } catch {
    const parent = path.dirname(place);
    return parent === place ? place : path.join(realPathNow(parent), path.basename(place));
  }
}
