/** The way to the service for `holt serve`. It is loaded when it is asked for: no other command carries it. */

import type { OpenService } from '../commands/service-door.ts';
import { escapeLine } from '../masking/escape-text.ts';

export interface OpenerParts {
  readonly version: string;
  readonly error: (text: string) => void;
}

export function createServiceOpener({ version, error }: OpenerParts): OpenService {
  // Faults while serving are for the person at the terminal; clients are told nothing of them.
  const onFault = (fault: unknown): void =>
    error(`${escapeLine(fault instanceof Error ? fault.message : String(fault))}\n`);
  return async (request) => {
    const { openService } = await import('./long-running.ts');
    return openService({ ...request, version, onFault });
  };
}
