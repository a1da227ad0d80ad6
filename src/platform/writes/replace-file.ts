/** Putting a finished file in another's place. Patient on Windows, where a scanner or editor may have the old one open. */

import { setTimeout as pause } from 'node:timers/promises';

import type { OperatingSystem } from '../../kernel/machine.ts';
import { errorCode } from '../error-code.ts';

export interface ReplaceParts {
  readonly os: OperatingSystem;
  readonly rename: (from: string, to: string) => Promise<void>;
}

const passing = new Set(['EPERM', 'EACCES', 'EBUSY']);
/** Together about a second. */
const pausesMs = [10, 20, 40, 80, 160, 320, 400];

export async function replaceFile(from: string, to: string, parts: ReplaceParts): Promise<void> {
  for (const pauseMs of parts.os === 'windows' ? pausesMs : []) {
    try {
      await parts.rename(from, to);
      return;
    } catch (error) {
      if (!passing.has(errorCode(error) ?? '')) throw error;
      await pause(pauseMs);
    }
  }
  await parts.rename(from, to);
}
