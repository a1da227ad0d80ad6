import { describe, expect, test } from 'vitest';

import { createFakeClock } from '../../../tests/support/fake-clock.ts';
import { NetworkFailure } from '../../network/network-failure.ts';
import { createRedial, type Redial } from './redial.ts';

function make(random = 0): {
  readonly redial: Redial;
  readonly waits: () => readonly number[];
  readonly lost: unknown[];
  readonly clock: ReturnType<typeof createFakeClock>;
} {
  const clock = createFakeClock();
  const waits: number[] = [];
  const lost: unknown[] = [];
  const setTimer = (ms: number, fire: () => void): (() => void) => {
    waits.push(ms);
    return clock.setTimer(ms, fire);
  };
  const redial = createRedial({
    clock: { ...clock, setTimer, now: () => clock.now() },
    random: () => random,
    onLost: (failure) => lost.push(failure),
  });
  return { redial, waits: () => waits, lost, clock };
}

const refused = new NetworkFailure({ kind: 'refused', host: 'a.test' });

describe('opening a change stream again', () => {
  test('T120: waits longer when the server asks for it, up to five minutes, and never shorter than a second', () => {
    const { redial, waits } = make(1);
    for (const asked of [1, 0, 500, 1000, 5000, 60_000, 86_400_000])
      redial.schedule(() => undefined, asked, 0);
    expect(waits()).toEqual(
      [1100, 1100, 1100, 1100, 5500, 66_000, 330_000].map((ms) => expect.closeTo(ms, 6) as unknown),
    );
  });

  test('T120: a server that asks for one millisecond does not switch the back-off off', async () => {
    const { redial, clock } = make();
    let connections = 0;
    const dial = (): void => {
      connections += 1;
      redial.opened();
      redial.ended();
      redial.schedule(dial, 1, 0);
    };
    dial();
    await clock.advance(95_000);
    expect(connections).toBe(7);
  });

  test('T120: failures in a row lengthen the wait, whatever the server asked for before', () => {
    const { redial, waits } = make();
    for (const attempt of [0, 1, 2]) redial.schedule(() => undefined, 1, attempt);
    expect(waits()).toEqual([1000, 2000, 4000]);
  });

  test('starts over after a stream that brought something or lived long', async () => {
    const { redial, waits, clock } = make();
    const round = async (livedMs: number, bore: boolean): Promise<void> => {
      redial.opened();
      if (bore) redial.bore();
      await clock.advance(livedMs);
      redial.ended();
      redial.schedule(() => undefined, 1000, 0);
    };
    await round(0, false);
    await round(0, false);
    await round(0, true);
    await round(0, false);
    await round(10_000, false);
    expect(waits()).toEqual([2000, 4000, 1000, 2000, 1000]);
  });

  test('is given up after three failures in a row, once it has worked', () => {
    const { redial, lost } = make();
    for (let count = 0; count < 5; count += 1) redial.failed(refused);
    expect(lost).toEqual([]);
    redial.opened();
    redial.failed(refused);
    redial.failed(refused);
    redial.opened();
    redial.failed(refused);
    redial.failed(refused);
    expect(lost).toEqual([]);
    redial.failed(refused);
    expect(lost).toEqual([refused]);
  });

  test('a server that answers, if only with a refusal, is not lost', () => {
    const { redial, lost } = make();
    redial.opened();
    for (let count = 0; count < 5; count += 1) redial.failed(undefined);
    expect(lost).toEqual([]);
  });
});
