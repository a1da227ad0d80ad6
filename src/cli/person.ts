/** The person at the terminal. Without a terminal, the functions that ask are undefined. */

import type { Desktop } from '../platform/processes/open-url.ts';

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
