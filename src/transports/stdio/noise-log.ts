/** Lines on stdout that are no messages: kept in the server's log, told of once. */

import type { LogFile } from '../../platform/log-file.ts';

export interface NoiseLogParts {
  readonly log: Pick<LogFile, 'write' | 'redact'>;
  readonly debug?: ((message: string) => void) | undefined;
  readonly onFirst: (line: string) => void;
}

/** More of them would say the same. */
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
