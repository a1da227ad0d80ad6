/** What the command line needs from the process and from the person who uses it. */

import type { Host } from '../host/host.ts';
import type { Desktop } from '../platform/processes/open-url.ts';
import { wrapLines } from '../terminal/wrap.ts';
import type { Interrupts } from './interrupts.ts';

export interface ContextIo extends Omit<Person, 'os' | 'say'> {
  readonly version: string;
  readonly distFolder: string;
  readonly nodePath: string;
  readonly out: (text: string) => void;
  /** Width of the terminal that stderr writes to; undefined if it is not a terminal. */
  readonly errorColumns?: (() => number | undefined) | undefined;
  /** Shows a line that the next one replaces; undefined removes it. Only a session sets this. */
  readonly progress?: ((line: string | undefined) => void) | undefined;
  /** Aborted when the reader of the output has gone. */
  readonly readerGone: AbortSignal;
  readonly interrupts: Interrupts;
  /** The host of the session in which this line was typed. */
  readonly sharedHost?: Host | undefined;
  /** Runs another command line. A session uses this for each line. */
  readonly runLine?: ((argv: readonly string[], io: ContextIo) => Promise<number>) | undefined;
}

/** Joins lines for stderr, wrapped to its width. */
export function errorText(
  lines: readonly string[],
  { errorColumns }: Pick<ContextIo, 'errorColumns'>,
): string {
  return wrapLines(lines, errorColumns?.() ?? Infinity)
    .map((line) => `${line}\n`)
    .join('');
}

/**
 * Resolves to undefined if the input ends or the signal aborts. All but the last line of a question is shown
 * above it when its turn comes. With `fresh`, input typed before the question is shown is ignored.
 */
export type Ask = (question: string, signal?: AbortSignal, fresh?: boolean) => Promise<string | undefined>;

export interface Person extends Desktop {
  readonly isTerminal: boolean;
  readonly askLine?: Ask | undefined;
  readonly askHidden?: Ask | undefined;
  /** For a line of any length. */
  readonly askLong?: Ask | undefined;
  readonly columns?: (() => number) | undefined;
  /** Prints what the person asked for: to stdout, unless that carries a JSON document. */
  readonly say: (text: string) => void;
  readonly error: (text: string) => void;
}
