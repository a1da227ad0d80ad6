import { describe, expect, test } from 'vitest';

import { createFakeClock, type FakeClock } from '../../../../tests/support/fake-clock.ts';
import { endSurvivors, type SurvivorsEnd } from './stop-program.ts';
import type { ProcessIdentity, ProcessTree } from '../trees/process-facts.ts';

interface World {
  readonly clock: FakeClock;
  /** Processes that run, by number, with their start. */
  readonly running: Map<number, string>;
  readonly signals: string[];
  end(known: readonly ProcessIdentity[], graceMs: number, skipsGrace?: AbortSignal): Promise<SurvivorsEnd>;
}

function open(
  running: readonly [number, string][],
  onSignal: (signal: string, pid: number, world: World) => void,
): World {
  const clock = createFakeClock();
  const tree: ProcessTree = {
    describe: async () => undefined,
    scope: async () => ({ bootId: '', space: '' }),
    memoryBytes: async () => undefined,
    isGroupAlive: async () => false,
    signalGroup: async () => undefined,
    endRun: async () => 0,
    // Numbers from 100 on descend from all others.
    findDescendants: async (_leader, known) => {
      const found = known.filter(({ pid, start }) => world.running.get(pid) === start);
      const below = found.length === 0 ? [] : [...world.running].filter(([pid]) => pid >= 100);
      const all = new Map([...found.map(({ pid, start }) => [pid, start] as const), ...below]);
      return [...all].map(([pid, start]) => ({ pid, start, group: 1 }));
    },
    signalProcess: async ({ pid }, signal) => {
      world.signals.push(`${signal} ${pid}`);
      onSignal(signal, pid, world);
    },
    usage: async () => undefined,
  };
  const world: World = {
    clock,
    running: new Map(running),
    signals: [],
    end: async (known, graceMs, skipsGrace) => {
      const parts = { tree, clock, graceMs, ...(skipsGrace === undefined ? {} : { skipsGrace }) };
      const ending = endSurvivors(known, parts);
      await clock.advance(10_000);
      return ending;
    },
  };
  return world;
}

const one = { pid: 50, start: 'a' };
const endsAt =
  (last: string) =>
  (signal: string, pid: number, world: World): void => {
    if (signal === last) world.running.delete(pid);
  };

describe('survivors', () => {
  test('T123: that exit on SIGTERM get no other signal', async () => {
    const world = open([[50, 'a']], endsAt('SIGTERM'));
    expect(await world.end([one], 500)).toEqual({ ended: 1, left: [] });
    expect(world.signals).toEqual(['SIGTERM 50']);
  });

  test('T123: that ignore SIGTERM are stopped and killed, with what they started meanwhile', async () => {
    const world = open([[50, 'a']], (signal, pid, { running }) => {
      if (signal === 'SIGSTOP' && pid === 50) running.set(100, 'b');
      if (signal === 'SIGKILL') running.delete(pid);
    });
    expect(await world.end([one], 500)).toEqual({ ended: 2, left: [] });
    expect(world.signals).toEqual(['SIGTERM 50', 'SIGSTOP 50', 'SIGSTOP 100', 'SIGKILL 50', 'SIGKILL 100']);
  });

  test('T123: are killed immediately when there is no time, or it is cut short', async () => {
    const world = open([[50, 'a']], endsAt('SIGKILL'));
    expect(await world.end([one], 0)).toEqual({ ended: 1, left: [] });
    expect(world.signals).toEqual(['SIGSTOP 50', 'SIGKILL 50']);

    const skipsGrace = new AbortController();
    const cut = open([[50, 'a']], (signal, pid, { running }) => {
      if (signal === 'SIGTERM') skipsGrace.abort();
      if (signal === 'SIGKILL') running.delete(pid);
    });
    expect(await cut.end([one], 5000, skipsGrace.signal)).toEqual({ ended: 1, left: [] });
    expect(cut.signals).toEqual(['SIGTERM 50', 'SIGSTOP 50', 'SIGKILL 50']);
  });

  test('T123: that cannot be ended are reported', async () => {
    const world = open([[50, 'a']], () => undefined);
    expect(await world.end([one], 500)).toEqual({ ended: 0, left: [one] });
  });

  test('T123: whose number another process has now are never signalled', async () => {
    const world = open([[50, 'later']], () => undefined);
    expect(await world.end([one], 500)).toEqual({ ended: 0, left: [] });
    expect(world.signals).toEqual([]);
  });
});
