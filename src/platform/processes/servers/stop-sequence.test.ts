import { describe, expect, test } from 'vitest';

import { createFakeClock, type FakeClock } from '../../../../tests/support/fake-clock.ts';
import type { ProcessTree } from '../trees/process-facts.ts';
import { createStopSequence, type StopSequence } from './stop-program.ts';

interface World {
  readonly clock: FakeClock;
  readonly sequence: StopSequence;
  /** What happened, and when. */
  readonly story: [number, string][];
  readonly exit: () => void;
  readonly setGroupAlive: (isAlive: boolean) => void;
}

function open(onSignal: (signal: string, world: World) => void = () => undefined): World {
  const clock = createFakeClock();
  const story: [number, string][] = [];
  let isGroupAlive = true;
  let exit = (): void => undefined;
  const exited = new Promise<void>((resolve) => {
    exit = resolve;
  });
  const tree: ProcessTree = {
    describe: async () => undefined,
    scope: async () => ({ bootId: '', space: '' }),
    memoryBytes: async () => undefined,
    isGroupAlive: async () => isGroupAlive,
    signalGroup: async (leader, signal) => {
      story.push([clock.now(), `${signal} ${leader}`]);
      onSignal(signal, world);
    },
    endRun: async () => 0,
    findDescendants: async () => [],
    signalProcess: async () => undefined,
    usage: async () => undefined,
  };
  const endInput = (): void => void story.push([clock.now(), 'input ends']);
  const sequence = createStopSequence({ pid: 77, exited, endInput, clock, tree });
  const world: World = {
    clock,
    sequence,
    story,
    exit: () => exit(),
    setGroupAlive: (isAlive) => {
      isGroupAlive = isAlive;
    },
  };
  return world;
}

const steps = { stdinMs: 500, termMs: 1500 };

test('F02: who goes when its input ends gets no signal', async () => {
  const world = open();
  const stopped = world.sequence.run(steps);
  await world.clock.advance(100);
  world.setGroupAlive(false);
  world.exit();
  await world.clock.advance(0);

  expect(await stopped).toEqual({ isGone: true, wasSignalled: false });
  expect(world.story).toEqual([[0, 'input ends']]);
  expect(world.clock.pending).toBe(0);
});

test('F01: the steps are 0.5 s and 1.5 s, and the last one is for all', async () => {
  const world = open((signal, { setGroupAlive, exit }) => {
    if (signal !== 'SIGKILL') return;
    setGroupAlive(false);
    exit();
  });
  const stopped = world.sequence.run(steps);
  await world.clock.advance(5000);

  expect(await stopped).toEqual({ isGone: true, wasSignalled: true });
  expect(world.story).toEqual([
    [0, 'input ends'],
    [500, 'SIGTERM 77'],
    [2000, 'SIGKILL 77'],
  ]);
});

test('who goes when it is asked is not killed', async () => {
  const world = open((_signal, { setGroupAlive, exit }) => {
    setGroupAlive(false);
    exit();
  });
  const stopped = world.sequence.run(steps);
  await world.clock.advance(5000);

  expect(await stopped).toEqual({ isGone: true, wasSignalled: true });
  expect(world.story.at(-1)).toEqual([500, 'SIGTERM 77']);
});

test('a leader that leaves others behind is not the end of it', async () => {
  const world = open((signal, { setGroupAlive }) => setGroupAlive(signal !== 'SIGTERM'));
  world.exit();
  const stopped = world.sequence.run(steps);
  await world.clock.advance(700);

  expect(await stopped).toEqual({ isGone: true, wasSignalled: true });
  expect(world.story).toEqual([
    [0, 'input ends'],
    [500, 'SIGTERM 77'],
  ]);
});

test('what even the kernel cannot end is not waited for', async () => {
  const world = open();
  const stopped = world.sequence.run(steps);
  await world.clock.advance(3001);

  expect(await stopped).toEqual({ isGone: false, wasSignalled: true });
});

describe('when the waits are skipped', () => {
  test('the rest of the steps is left out', async () => {
    const world = open((_signal, { setGroupAlive, exit }) => {
      setGroupAlive(false);
      exit();
    });
    const stopped = world.sequence.run(steps);
    await world.clock.advance(100);
    world.sequence.skipWaits();
    await world.clock.advance(0);

    expect(await stopped).toEqual({ isGone: true, wasSignalled: true });
    expect(world.story).toEqual([
      [0, 'input ends'],
      [100, 'SIGKILL 77'],
    ]);
  });

  test('its end is still waited for after the last signal', async () => {
    const world = open();
    world.sequence.skipWaits();
    const stopped = world.sequence.run(steps);
    await world.clock.advance(10);
    world.sequence.skipWaits();
    world.setGroupAlive(false);
    world.exit();
    await world.clock.advance(20);

    expect(await stopped).toEqual({ isGone: true, wasSignalled: true });
    expect(world.story).toEqual([
      [0, 'input ends'],
      [0, 'SIGKILL 77'],
    ]);
  });
});
