/** Resolves the canonical path of a file, even of one that does not exist yet. */

import { realpathSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import path from 'node:path';

import { HoltError, errorCode } from '../../kernel/errors.ts';

/** Follows links as far as the path exists and appends the missing part unchanged. */
export async function realPathOf(place: string): Promise<string> {
  try {
    return await realpath(place);
  } catch (error) {
    const parent = path.dirname(place);
    if (errorCode(error) === 'ENOTDIR') throw await noFolder(place, error);
    if (errorCode(error) !== 'ENOENT' || parent === place) throw error;
    return path.join(await realPathOf(parent), path.basename(place));
  }
}

/** Names the nearest existing parent, which is the file that is in the folder's place. */
async function noFolder(place: string, cause: unknown): Promise<HoltError<'config-unwritable'>> {
  let above = path.dirname(place);
  while (path.dirname(above) !== above && (await isMissing(above))) above = path.dirname(above);
  return new HoltError(
    'config-unwritable',
    `${above} is not a folder, so nothing can be written there`,
    { file: place, reason: 'not-a-folder' },
    { cause, remedy: 'Move it away; holt makes the folder itself.' },
  );
}

async function isMissing(place: string): Promise<boolean> {
  return realpath(place).then(
    () => false,
    () => true,
  );
}

/** The synchronous version. A part that cannot be resolved is used unchanged. */
export function realPathNow(place: string): string {
  try {
    return realpathSync.native(place);
  } catch {
    const parent = path.dirname(place);
    return parent === place ? place : path.join(realPathNow(parent), path.basename(place));
  }
}
