/** Whoever sits at the terminal, or nobody: then there is nothing to ask with. */

import type { Desktop } from '../platform/open-url.ts';

/**
 * Undefined when the input ended, or the answer is no longer wanted. All but the last line of a question is shown above
 * it when its turn comes. `fresh`: what was typed before it is shown is no answer to it.
 */
export type Ask = (question: string, signal?: AbortSignal, fresh?: boolean) => Promise<string | undefined>;

export interface Person extends Desktop {
  readonly isTerminal: boolean;
  readonly askLine?: Ask | undefined;
  readonly askHidden?: Ask | undefined;
  /** For a line of any length. */
  readonly askLong?: Ask | undefined;
  readonly columns?: (() => number) | undefined;
  /** What people asked to see: on stdout, unless that belongs to a document. */
  readonly say: (text: string) => void;
  readonly error: (text: string) => void;
}
