/** A round: some cases of one target, all chosen by the seed and the round's number. */

import fc from 'fast-check';

import { checkCase, Fault, type Faults } from './check-case.ts';
import { showCase } from './show-case.ts';
import type { AnyTarget, OpenTarget } from './target.ts';

export const casesInRound = 50;
/** Making a failing case smaller may take this long. */
const shrinkMs = 60_000;

export interface RoundPlace {
  readonly seed: string;
  readonly target: string;
  readonly round: number;
  /** Only this case, as a report names it. */
  readonly path?: string | undefined;
}

export interface Failure {
  readonly target: string;
  readonly seed: string;
  readonly round: number;
  readonly path: string;
  readonly kind: string;
  readonly message: string;
  readonly counterexample: string;
}

export interface RoundResult {
  readonly cases: number;
  readonly largestStall: number;
  readonly failure?: Failure;
}

export interface RoundParts {
  readonly target: AnyTarget;
  readonly opened: OpenTarget<unknown>;
  readonly faults: Faults;
  readonly stallRatio: number;
  /** Called with the number of each case before it runs. */
  readonly onCase: (at: number) => void;
}

/** The parameters that make fast-check choose the same inputs again. */
export function chosenBy({ seed, target, round, path }: RoundPlace): fc.Parameters<[unknown]> {
  return {
    seed: fc.hash(`${seed}/${target}/${round}`) | 0,
    numRuns: casesInRound,
    ...(path === undefined ? {} : { path, endOnFailure: true }),
  };
}

export async function runRound(place: RoundPlace, parts: RoundParts): Promise<RoundResult> {
  const { target, opened, faults, stallRatio, onCase } = parts;
  let cases = 0;
  let largestStall = 0;
  let shrinkUntil = Number.POSITIVE_INFINITY;
  let last: Fault | undefined;
  const property = fc.asyncProperty(target.inputs, async (value) => {
    if (performance.now() > shrinkUntil) return;
    onCase(cases);
    cases += 1;
    try {
      const stall = await checkCase(() => opened.prepare(value), faults, stallRatio);
      largestStall = Math.max(largestStall, stall);
    } catch (error) {
      last = error instanceof Fault ? error : new Fault('crash', String(error), error);
      // A process that took too much memory once has done so for every case after it.
      const left = last.kind === 'memory' || last.kind === 'hang' ? 0 : shrinkMs;
      shrinkUntil = Math.min(shrinkUntil, performance.now() + left);
      throw last;
    }
  });
  const details = await fc.check(property, chosenBy(place));
  const { counterexample, counterexamplePath } = details;
  if (!details.failed || counterexample === null || last === undefined) return { cases, largestStall };
  const [value] = counterexample;
  const failure: Failure = {
    target: place.target,
    seed: place.seed,
    round: place.round,
    path: counterexamplePath ?? '',
    kind: last.kind,
    message: last.message,
    counterexample: showCase(value, opened.prepare(value).text),
  };
  return { cases, largestStall, failure };
}
