/**
 * Replaces a file with a finished one. Retries on Windows, where a scanner or editor may have the old one
 * open.
 */

import { setTimeout as pause } from 'node:timers/promises';

import type { OperatingSystem } from '../../../kernel/machine.ts';
import { errorCode } from '../../error-code.ts';

export interface ReplaceParts {
  readonly os: OperatingSystem;
  readonly rename: (from: string, to: string) => Promise<void>;
  /**
   * Called right before each attempt. Tells whether the file is unchanged since its new content was computed.
   */
  readonly isUnchanged?: () => Promise<boolean>;
}

const passing = new Set(['EPERM', 'EACCES', 'EBUSY']);
/** About a second in total. */
const pausesMs = [10, 20, 40, 80, 160, 320, 400];

export async function replaceFile(
  from: string,
  to: string,
  { os, rename, isUnchanged = async () => true }: ReplaceParts,
): Promise<'replaced' | 'changed'> {
  for (const pauseMs of os === 'windows' ? pausesMs : []) {
    try {
      if (!(await isUnchanged())) return 'changed';
      await rename(from, to);
      return 'replaced';
    } catch (error) {
      if (!passing.has(errorCode(error) ?? '')) throw error;
      await pause(pauseMs);
    }
  }
  if (!(await isUnchanged())) return 'changed';
  await rename(from, to);
  return 'replaced';
}
