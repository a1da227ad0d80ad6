import { describe, expect, test } from 'vitest';

import { createFakeClock, type FakeClock } from '../../../../tests/support/fake-clock.ts';
import { createDescendantRecord, type DescendantRecord } from './descendants.ts';
import type { ProcessFacts, ProcessTree } from './process-facts.ts';

interface World {
  readonly clock: FakeClock;
  readonly record: DescendantRecord;
  /** When each look was made, and what it asked for. */
  readonly looks: [number, number | undefined, readonly number[]][];
  /** What was reported: the descendants, and the server itself. */
  readonly reported: (readonly [readonly number[], readonly number[]])[];
  found: readonly ProcessFacts[];
  isRunning: boolean;
}

const facts = (pid: number, start = `s${pid}`): ProcessFacts => ({ pid, group: pid, start });

function open(lookMs = 0): World {
  const clock = createFakeClock();
  const numbers = (all: readonly { pid: number }[]): readonly number[] => all.map(({ pid }) => pid);
  const tree: ProcessTree = {
    describe: async (pid) => facts(pid),
    scope: async () => ({ bootId: '', space: '' }),
    memoryBytes: async () => undefined,
    isGroupAlive: async () => false,
    signalGroup: async () => undefined,
    endRun: async () => 0,
    findDescendants: async (leader, known) => {
      world.looks.push([clock.now(), leader, numbers(known)]);
      await new Promise<void>((resolve) => {
        if (lookMs === 0) resolve();
        else clock.setTimer(lookMs, resolve);
      });
      return world.found;
    },
    signalProcess: async () => undefined,
    usage: async () => undefined,
  };
  const record = createDescendantRecord({
    pid: 7,
    isRunning: () => world.isRunning,
    tree,
    clock,
    onFound: (known, server) => void world.reported.push([numbers(known), numbers(server)]),
  });
  const world: World = { clock, record, looks: [], reported: [], found: [], isRunning: true };
  return world;
}

describe('T123: descendants are looked for', () => {
  test('soon after the server did something, then ever less often, and at most twice a second', async () => {
    const { clock, record, looks } = open();
    record.noteActivity();
    record.noteActivity();
    await clock.advance(100);
    for (let time = 0; time < 40; time += 1) {
      record.noteActivity();
      await clock.advance(50);
    }

    expect(looks.map(([at]) => at)).toEqual([5, 25, 65, 145, 305, 625, 1125, 1625]);
  });

  test('not at all while the server is silent', async () => {
    const { clock, looks } = open();
    await clock.advance(100_000);

    expect([looks.length, clock.pending]).toEqual([0, 0]);
  });

  test('more often again when there are new ones, also while the server is silent', async () => {
    const world = open();
    world.record.noteActivity();
    await world.clock.advance(10_000);
    const before = world.looks.length;
    world.found = [facts(8)];
    world.record.noteActivity();
    await world.clock.advance(10_000);

    expect(world.looks.slice(before).map(([at]) => at - 10_000)).toEqual([5, 25, 65, 145, 305, 625]);
    expect(world.clock.pending).toBe(0);
  });

  test('a few times only when there are new ones at each look', async () => {
    const world = open();
    let next = 100;
    const timer = (): void => {
      world.found = [facts((next += 1))];
      world.clock.setTimer(1, timer);
    };
    timer();
    world.record.noteActivity();
    await world.clock.advance(3000);

    expect(world.looks.map(([at]) => at)).toEqual([5, 25, 65, 145, 305, 625]);
  });

  test('for a hundredth of the time at most', async () => {
    const { clock, record, looks } = open(20);
    for (let time = 0; time < 50; time += 1) {
      record.noteActivity();
      await clock.advance(100);
    }

    expect(looks.map(([at]) => at)).toEqual([5, 2025, 4045]);
  });

  test('and one that left the group is remembered, however many others there are', async () => {
    const world = open();
    const inGroup = Array.from({ length: 5000 }, (_, at) => ({ ...facts(at + 100), group: 7 }));
    world.found = [...inGroup, facts(8)];
    world.record.noteActivity();
    await world.clock.advance(5);

    expect(world.record.known).toHaveLength(4096);
    expect(world.record.known[0]?.pid).toBe(8);
  });

  test('and reported once at first, then when there are new ones', async () => {
    const world = open();
    const look = async (found: readonly ProcessFacts[]): Promise<void> => {
      world.found = found;
      world.record.noteActivity();
      await world.clock.advance(1000);
    };
    await look([]);
    await look([facts(8), facts(9)]);
    await look([facts(9)]);
    await look([facts(9), facts(10)]);
    // The number of one that ended belongs to a new descendant.
    await look([facts(9), facts(10, 'later')]);

    const asked = world.looks.map(([, , known]) => known.join(' '));
    expect(world.reported).toEqual([
      [[], [7]],
      [[8, 9], [7]],
      [[9, 10], [7]],
      [[9, 10], [7]],
    ]);
    expect([...new Set(asked)]).toEqual(['', '8 9', '9', '9 10']);
  });

  test('before a stop, below what is known when the server has ended, and no more afterwards', async () => {
    const world = open();
    world.found = [facts(8)];
    world.record.noteActivity();
    await world.clock.advance(1000);
    world.isRunning = false;
    world.record.noteActivity();
    await Promise.all([world.record.close(), world.clock.advance(1000)]);
    world.record.noteActivity();
    await world.clock.advance(1000);

    expect(world.looks[0]).toEqual([5, 7, []]);
    expect(world.looks.at(-1)).toEqual([1000, undefined, [8]]);
    expect(world.record.known).toEqual([{ pid: 8, start: 's8' }]);
    expect(world.clock.pending).toBe(0);
  });
});

test('T123: a look that takes too long holds up no stop, and its late result counts no more', async () => {
  const world = open(5000);
  world.found = [facts(8)];
  let isClosed = false;
  void world.record.close().then(() => (isClosed = true));
  await world.clock.advance(200);
  expect(isClosed).toBe(true);
  await world.clock.advance(10_000);

  expect(world.reported).toEqual([]);
  expect(world.record.known).toEqual([]);
});
