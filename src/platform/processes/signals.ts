/** Signals to processes and groups that may be gone already. */

import { errorCode } from '../error-code.ts';

/** False when nobody is there. Not being allowed to means that somebody is. */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
