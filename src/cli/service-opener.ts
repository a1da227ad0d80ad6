/** Opens the service for `holt serve`. Loaded on demand, so that no other command carries its code. */

import type { OpenService } from '../commands/command.ts';
import { escapeLine } from '../masking/escape-text.ts';

export interface OpenerParts {
  readonly version: string;
  readonly error: (text: string) => void;
}

export function createServiceOpener({ version, error }: OpenerParts): OpenService {
  // Report errors while serving only at the terminal, not to clients.
  const onFault = (fault: unknown): void =>
    error(`${escapeLine(fault instanceof Error ? fault.message : String(fault))}\n`);
  return async (request) => {
    const { openService } = await import('./long-running.ts');
    return openService({ ...request, version, onFault });
  };
}
