/** The outcome of a check: how many entries it examined, and its violations with the few entries that show them. */

import type { Entry } from '../history.ts';

export interface Violation {
  readonly invariant: string;
  readonly message: string;
  /** The shortest part of the history that shows it. */
  readonly slice: readonly Entry[];
}

export interface Checked {
  readonly looked: number;
  readonly violations: readonly Violation[];
}

export type Check = (history: readonly Entry[]) => Checked;
