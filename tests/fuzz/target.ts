/** What the fuzz run attacks: where inputs come from, and what happens with one of them. */

import type fc from 'fast-check';

export interface Target<Value> {
  readonly name: string;
  /** Values are plain data, so that a case can be given to another process. */
  readonly inputs: fc.Arbitrary<Value>;
  open(): Promise<OpenTarget<Value>>;
}

export interface OpenTarget<Value> extends AsyncDisposable {
  /** Makes the bytes or texts of a case. What this costs is not measured. */
  prepare(value: Value): PreparedCase;
}

export interface PreparedCase {
  /** The input as it is read, for the comparison with `JSON.parse` and for reports. */
  readonly text: string;
  /** The user's own file, which nobody else writes, may be so large that reading it takes long. */
  readonly mayStall?: boolean;
  /** Resolves when the input has been dealt with. Rejects when a promise is broken. Can be called again. */
  run(): Promise<void>;
}

/** A target whose values only its own functions know. */
export type AnyTarget = Target<unknown>;

export function asTarget<Value>(target: Target<Value>): AnyTarget {
  return target; // its values come from its own `inputs`
}

/** A promise of holt that a case found broken. */
export class BrokenPromise extends Error {}
