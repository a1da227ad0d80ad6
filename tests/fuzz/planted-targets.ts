/** Targets with known faults, for the test of the fuzz run: each fails for inputs that contain what its name says. */

import fc from 'fast-check';

import { cpuMs } from '../support/cpu-time.ts';
import { asTarget, type AnyTarget } from './target.ts';

const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'x'), minLength: 1, maxLength: 3 });
const kept: Buffer[] = [];

function planted(name: string, harm: (text: string) => unknown): AnyTarget {
  return asTarget({
    name,
    inputs: letters,
    open: () =>
      Promise.resolve({
        prepare: (text: string) => ({
          text,
          run: async () => {
            if (text.includes('x')) await harm(text);
          },
        }),
        [Symbol.asyncDispose]: () => Promise.resolve(),
      }),
  });
}

/** For so much CPU time, which passes more slowly than the clock on a busy machine. */
function block(ms: number): void {
  const until = cpuMs() + ms;
  while (cpuMs() < until);
}

export const targets: readonly AnyTarget[] = [
  planted('sound', () => undefined),
  planted('throws', () => {
    throw new Error('planted');
  }),
  planted('uncaught', () => {
    setImmediate(() => {
      throw new Error('planted');
    });
  }),
  planted('unhandled', () => void Promise.reject(new Error('planted'))),
  planted('exits', () => process.exit(7)),
  planted('stalls', () => block(250)),
  planted('bloats', () => void kept.push(Buffer.alloc(600 << 20, 1))),
  planted('grows', () => void kept.push(Buffer.alloc(30 << 20, 1))),
];
