/** Sends signals to processes and groups that may no longer exist. */

import { errorCode } from '../../error-code.ts';

/** Returns false when there is no such process. A permission error means that there is one. */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
