/** Writes stdout lines that are not messages to the server's log, and reports the first one. */

import type { LogFile } from '../../platform/files/log-file.ts';

export interface NoiseLogParts {
  readonly log: Pick<LogFile, 'write' | 'redact'>;
  readonly debug?: ((message: string) => void) | undefined;
  readonly onFirst: (line: string) => void;
}

/** Maximum number of lines in the debug output; more would add nothing. */
const shownLines = 5;
const shownCharacters = 200;

export function createNoiseLog({ log, debug, onFirst }: NoiseLogParts): (line: string) => void {
  let count = 0;
  return (line) => {
    log.write(Buffer.from(`${line}\n`));
    count += 1;
    if (count > shownLines) return;
    const text = log.redact(line.slice(0, 4 * shownCharacters)).slice(0, shownCharacters);
    if (count === 1) onFirst(text);
    debug?.(`no message: ${text}`);
  };
}
