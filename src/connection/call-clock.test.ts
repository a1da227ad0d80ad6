import { expect, test } from 'vitest';

import { createFakeClock } from '../../tests/support/fake-clock.ts';
import { CallClock, type CallLimits } from './call-timers.ts';
import { createWakeWatch } from './wake-watch.ts';

function started(limits: CallLimits) {
  const clock = createFakeClock();
  const wake = createWakeWatch({ clock, wallNow: () => clock.now() });
  return { clock, wake, call: new CallClock(limits, wake) };
}

test('F17: a call that is silent too long is over', async () => {
  const { clock, call } = started({ idleMs: 1000, totalMs: 60_000 });
  await clock.advance(999);
  expect([call.signal.aborted, call.passed]).toEqual([false, undefined]);
  await clock.advance(1);
  expect([call.signal.aborted, call.passed]).toEqual([true, 'idle']);
});

test('F17: progress makes the silence begin anew, but not the whole', async () => {
  const { clock, call } = started({ idleMs: 1000, totalMs: 5000 });
  for (let turn = 0; turn < 9; turn += 1) {
    await clock.advance(500);
    call.touch();
  }
  expect(call.signal.aborted).toBe(false);
  await clock.advance(500);
  expect([call.signal.aborted, call.passed]).toEqual([true, 'total']);
});

test('a call that ended in time leaves no timer behind', async () => {
  const { clock, wake, call } = started({ idleMs: 1000, totalMs: 5000 });
  call.end();
  wake.close();
  expect(clock.pending).toBe(0);
  await clock.advance(10_000);
  expect(call.signal.aborted).toBe(false);
});

test('the caller’s own signal is passed on with its reason, also when it came before', () => {
  const user = new AbortController();
  const { call } = started({ idleMs: 1000, totalMs: 5000, signal: user.signal });
  user.abort('enough');
  expect([call.signal.reason, call.passed]).toEqual(['enough', undefined]);
  const late = started({ idleMs: 1000, totalMs: 5000, signal: user.signal });
  expect(late.call.signal.reason).toBe('enough');
});

test('no limit means no limit', async () => {
  const { clock, call } = started({ idleMs: Infinity, totalMs: Infinity });
  await clock.advance(3_600_000);
  expect(call.signal.aborted).toBe(false);
});

test('F44: time that the program was stopped is not counted as silence', async () => {
  const { clock, call } = started({ idleMs: 30_000, totalMs: 600_000 });
  await clock.advance(10_000);
  call.touch();
  clock.freeze(120_000);
  await clock.advance(20_000);
  expect(call.passed).toBeUndefined();
  await clock.advance(15_000);
  expect(call.passed).toBe('idle');
});
