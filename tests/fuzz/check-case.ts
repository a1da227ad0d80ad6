/** Runs one case and looks for what must not happen: a crash, a stall of the event loop, a case that never ends, too much memory. */

import { everyMs, longestStall, timeOf } from '../support/longest-stall.ts';
import type { PreparedCase } from './target.ts';

export type FaultKind = 'crash' | 'stall' | 'hang' | 'memory';

export class Fault extends Error {
  readonly kind: FaultKind;

  constructor(kind: FaultKind, message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

export const limits = {
  /** Of the time that `JSON.parse` takes for the same input, … */
  stallRatio: 10,
  /** … which counts as this much at least. */
  shortestParseMs: 10,
  memoryMiB: 512,
  caseMs: 30_000,
} as const;

/** A stall counts only if it is there each time: the shortest of these is taken, also where it is only half of the limit. */
const tries = 5;
/** Long enough to leave the core to servers, short beside 100 ms. */
const lookMs = 4;
/** Shorter inputs parse in far less than `shortestParseMs`. */
const parsedLength = 100_000;

export interface Faults {
  /** The first error since the last call that nothing handled. */
  take(): unknown;
  stop(): void;
}

/** Errors that would end a process. As long as this listens they do not. */
export function watchFaults(): Faults {
  let first: { readonly error: unknown } | undefined;
  const note = (error: unknown): void => {
    first ??= { error };
  };
  process.on('uncaughtException', note);
  process.on('unhandledRejection', note);
  return {
    take: () => {
      const taken = first;
      first = undefined;
      return taken?.error;
    },
    stop: () => {
      process.off('uncaughtException', note);
      process.off('unhandledRejection', note);
    },
  };
}

export function peakMiB(): number {
  return process.resourceUsage().maxRSS / 1024;
}

/** Gives the longest stall as a multiple of the time for `JSON.parse`. Rejects with a `Fault`. */
export async function checkCase(
  prepare: () => PreparedCase,
  faults: Faults,
  stallRatio: number = limits.stallRatio,
): Promise<number> {
  let smallest = Number.POSITIVE_INFINITY;
  let stall = '';
  for (let round = 1; round <= tries; round += 1) {
    const prepared = prepare();
    const stallMs = await longestStall(() => runOnce(prepared, faults), everyMs(lookMs));
    const parseMs = stallMs < limits.shortestParseMs ? 0 : parseTime(prepared.text);
    const ratio = prepared.mayStall === true ? 0 : stallMs / Math.max(parseMs, limits.shortestParseMs);
    if (ratio < smallest) {
      smallest = ratio;
      stall = `the event loop stalled for ${stallMs.toFixed(0)} ms; JSON.parse takes ${parseMs.toFixed(1)} ms for the ${prepared.text.length} characters of the input`;
    }
    if (smallest <= stallRatio / 2) break;
  }
  if (smallest > stallRatio) throw new Fault('stall', `${stall} (each time in ${tries} runs)`);
  const peak = peakMiB();
  if (peak > limits.memoryMiB)
    throw new Fault('memory', `the process takes ${peak.toFixed(0)} MiB, over ${limits.memoryMiB} MiB`);
  return smallest;
}

async function runOnce({ run }: PreparedCase, faults: Faults): Promise<void> {
  let stopTimer = (): void => undefined;
  const tooLate = new Promise<never>((_, reject) => {
    const timer = setTimeout(
      () => reject(new Fault('hang', `the case has not ended after ${limits.caseMs / 1000} s`)),
      limits.caseMs,
    );
    stopTimer = () => clearTimeout(timer);
  });
  try {
    await Promise.race([run(), tooLate]);
  } catch (error) {
    throw error instanceof Fault ? error : new Fault('crash', describe(error), error);
  } finally {
    stopTimer();
  }
  // Rejections without a handler are reported when the microtasks are done.
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  const unhandled = faults.take();
  if (unhandled !== undefined)
    throw new Fault('crash', `nothing handled the error ${describe(unhandled)}`, unhandled);
}

/** Of the text itself where it is JSON, else of the same text as a JSON string for each line. */
function parseTime(text: string): number {
  if (text.length < parsedLength) return 0;
  const isJson = canParse(text);
  const json = isJson ? text : JSON.stringify(text.split('\n'));
  return Math.min(...[1, 2, 3].map(() => timeOf(() => void JSON.parse(json))));
}

function canParse(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `\nbecause of ${describe(error.cause)}`;
  return `${error.stack ?? error.message}${cause}`;
}
