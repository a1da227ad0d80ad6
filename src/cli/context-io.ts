/** What the command line needs of the process, and of whoever sits in front of it. */

import type { Host } from '../host/host.ts';
import { wrapLines } from '../terminal/wrap.ts';
import type { Interrupts } from './interrupts.ts';
import type { Person } from './person.ts';

export interface ContextIo extends Omit<Person, 'os' | 'say'> {
  readonly version: string;
  readonly distFolder: string;
  readonly nodePath: string;
  readonly out: (text: string) => void;
  /** Width of the terminal that errors are written to; undefined if that is none. */
  readonly errorColumns?: (() => number | undefined) | undefined;
  /** Shows one line that the next one replaces; undefined removes it. A session has its own way. */
  readonly progress?: ((line: string | undefined) => void) | undefined;
  /** Aborted when nobody reads the output any more. */
  readonly readerGone: AbortSignal;
  readonly interrupts: Interrupts;
  /** The host of the session that this line was typed in. */
  readonly sharedHost?: Host | undefined;
  /** Runs another command line; what a session does with each line. */
  readonly runLine?: ((argv: readonly string[], io: ContextIo) => Promise<number>) | undefined;
}

/** Lines for stderr, as text. */
export function errorText(
  lines: readonly string[],
  { errorColumns }: Pick<ContextIo, 'errorColumns'>,
): string {
  return wrapLines(lines, errorColumns?.() ?? Infinity)
    .map((line) => `${line}\n`)
    .join('');
}
