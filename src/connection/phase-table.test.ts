import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { HoltError } from '../kernel/errors.ts';
import { phases, type Phase } from '../kernel/phases.ts';
import { createPhaseWalk, mayFollow, steps, type PhaseStep } from './phase-table.ts';

const chain: readonly Phase[] = phases.slice(0, phases.indexOf('ready') + 1);

function walk(now: () => number = () => 0) {
  const seen: PhaseStep[] = [];
  return {
    seen,
    phases: createPhaseWalk({ server: 'fs', clock: { now }, onStep: (step) => seen.push(step) }),
  };
}

describe('the table of phases', () => {
  test('is the one of the documentation', () => {
    const drawn = [
      ...chain.slice(1).map((to, index) => [chain[index], to]),
      ['ready', 'executing'],
      ['executing', 'ready'],
      ['ready', 'cleaning_up'],
      ['executing', 'cleaning_up'],
      ['cleaning_up', 'disconnected'],
      ['failed', 'cleaning_up'],
      ...phases.filter((phase) => phase !== 'failed').map((phase) => [phase, 'failed']),
    ];
    const allowed = Object.entries(steps).flatMap(([from, targets]) => targets.map((to) => [from, to]));
    const key = (pairs: readonly (readonly (string | undefined)[])[]) =>
      pairs.map((pair) => pair.join(' ')).toSorted();
    expect(key(allowed)).toEqual(key(drawn));
  });

  test('every step it allows is taken and told; every other throws and changes nothing', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...phases), { maxLength: 60 }), (wishes) => {
        const { phases: at, seen } = walk();
        let expected: Phase = 'disconnected';
        for (const wish of wishes) {
          if (mayFollow(expected, wish)) {
            at.enter(wish);
            expect(seen.at(-1)).toEqual({ from: expected, to: wish, ms: 0 });
            expected = wish;
          } else {
            const before = seen.length;
            expect(() => at.enter(wish)).toThrow(HoltError);
            expect(seen).toHaveLength(before);
          }
          expect(at.current).toBe(expected);
        }
      }),
    );
  });

  test('from everywhere there is a way back to disconnected', () => {
    fc.assert(
      fc.property(fc.constantFrom(...phases), (start) => {
        const reached = new Set<Phase>([start]);
        for (const phase of reached) for (const next of steps[phase]) reached.add(next);
        expect(reached.has('disconnected')).toBe(true);
      }),
    );
  });

  test('a step that is not in it names itself', () => {
    const { phases: at } = walk();
    const error = (() => {
      try {
        at.enter('ready');
        return undefined;
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(HoltError.is(error, 'illegal-transition') && [error.message, error.details]).toEqual([
      'Server "fs" cannot go from disconnected to ready',
      { server: 'fs', from: 'disconnected', to: 'ready' },
    ]);
  });
});

describe('a walk', () => {
  test('advances through what lies between, each phase entered and left', () => {
    const { phases: at, seen } = walk();
    at.enter('connecting');
    at.advance('listing_tools');
    at.advance('handshaking');
    expect(seen.map(({ to }) => to)).toEqual([
      'connecting',
      'initializing',
      'handshaking',
      'listing_resources',
      'listing_tools',
    ]);
    at.advance('ready');
    expect(at.current).toBe('ready');
    at.enter('executing');
    at.advance('ready');
    expect(at.current).toBe('executing');
  });

  test('advances to nothing that lies behind ready', () => {
    const { phases: at, seen } = walk();
    at.enter('connecting');
    at.advance('cleaning_up');
    expect([at.current, seen.length]).toEqual(['connecting', 1]);
  });

  test('tells how long each phase lasted, and begins anew with each start', () => {
    let time = 0;
    const { phases: at, seen } = walk(() => time);
    at.enter('connecting');
    time = 300;
    at.enter('initializing');
    time = 312;
    at.enter('failed');
    expect(seen.map(({ ms }) => ms)).toEqual([0, 300, 12]);
    expect(at.times()).toEqual({ connecting: 300, initializing: 12 });
    at.enter('cleaning_up');
    at.enter('disconnected');
    at.enter('connecting');
    expect(at.times()).toEqual({});
  });
});
