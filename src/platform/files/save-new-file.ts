/** Saves bytes under an unused name, so that existing files are never overwritten. */

import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { errorCode } from '../../kernel/errors.ts';

const maxTries = 1000;

/**
 * Returns the path of the new file. `name` may come from a server: only its last segment is used, and it
 * cannot be hidden or point to another folder.
 */
export async function saveNewFile(folder: string, name: string, bytes: Uint8Array): Promise<string> {
  await mkdir(folder, { recursive: true });
  const { name: stem, ext } = path.parse(harmlessName(name));
  for (let tried = 0; tried < maxTries; tried += 1) {
    const file = path.join(folder, tried === 0 ? `${stem}${ext}` : `${stem}-${tried}${ext}`);
    try {
      await writeFile(file, bytes, { flag: 'wx' });
      return file;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }
  throw new Error(`there are too many files called ${stem} in ${folder}`);
}

function harmlessName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? '';
  const safe = last
    .replaceAll(/[^\w.-]+/g, '_')
    .replace(/^[.-]+/, '')
    .slice(0, 100);
  return safe === '' ? 'file' : safe;
}
