/** Whoever sits at the terminal, or nobody: then there is nothing to ask with. */

import type { Desktop } from '../platform/open-url.ts';

/** Undefined when the input ended, or the answer is no longer wanted. */
type Ask = (question: string, signal?: AbortSignal) => Promise<string | undefined>;

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
