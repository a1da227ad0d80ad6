/** The time that a caller gives to a whole call: what counts, what does not, and what is said when it is over. */

import { expect, test } from 'vitest';

import { createFakeClock } from '../../tests/support/fake-clock.ts';
import { CallDeadline } from './call-timers.ts';
import { createWakeWatch } from './wake-watch.ts';

function started(ms: number, signal?: AbortSignal) {
  const clock = createFakeClock();
  const wake = createWakeWatch({ clock, wallNow: () => clock.now() });
  const before = clock.pending;
  const deadline = new CallDeadline({ ms, tool: 'mcp__s__t', server: () => '', signal }, wake);
  return { clock, deadline, timers: () => clock.pending - before };
}

test('what takes too long is given up, and what it waited for is told', async () => {
  const { clock, deadline, timers } = started(1000);
  const waiting = deadline.unlessPassed(new Promise<never>(() => undefined)).catch((error: unknown) => error);
  await clock.advance(999);
  expect([deadline.failure, deadline.signal.aborted, timers()]).toEqual([undefined, false, 1]);
  await clock.advance(1);
  expect(deadline.failure).toMatchObject({
    code: 'call-timeout',
    message:
      'The call of mcp__s__t took longer than 1 s and was cancelled while the server was still starting',
    details: { server: '', limit: 'total', afterMs: 1000 },
  });
  expect([await waiting, deadline.signal.reason]).toEqual([deadline.failure, deadline.failure]);
  await expect(deadline.unlessPassed(Promise.resolve())).rejects.toBe(deadline.failure);
  expect(() => deadline.throwIfPassed()).toThrow(deadline.failure);
  expect(timers()).toBe(0);
});

test('what is held is not counted until the last who holds it lets go', async () => {
  const { clock, deadline, timers } = started(1000);
  await clock.advance(400);
  const [first, second] = [deadline.hold(), deadline.hold()];
  await clock.advance(5000);
  expect(deadline.leftMs).toBe(600);
  first();
  first();
  await clock.advance(5000);
  expect([deadline.leftMs, timers()]).toEqual([600, 0]);
  second();
  expect(timers()).toBe(1);
  await clock.advance(599);
  expect(deadline.failure).toBeUndefined();
  await clock.advance(1);
  expect(deadline.failure?.details.afterMs).toBe(1000);
});

test('once it is sent it ends with the time that the server’s calls have, held or not', async () => {
  const { clock, deadline } = started(1000);
  deadline.waitsForAnswer('s', 3000);
  deadline.hold();
  await clock.advance(2999);
  expect(deadline.failure).toBeUndefined();
  await clock.advance(1);
  expect(deadline.failure?.message).toBe('The call to "s" took longer than 3 s and was cancelled');
});

test('a call that may take longer than the server’s own limit may', async () => {
  const { clock, deadline } = started(5000);
  deadline.waitsForAnswer('s', 3000);
  await clock.advance(4999);
  expect(deadline.failure).toBeUndefined();
});

test('a call that is over leaves nothing behind, whoever answers later', async () => {
  const user = new AbortController();
  const { clock, deadline, timers } = started(1000, user.signal);
  const release = deadline.hold();
  deadline.end();
  release();
  expect(timers()).toBe(0);
  await clock.advance(5000);
  user.abort('late');
  expect([deadline.failure, deadline.signal.aborted]).toEqual([undefined, false]);
});

test('the caller’s own signal is passed on with its reason, also when it came before', () => {
  const user = new AbortController();
  const { deadline } = started(1000, user.signal);
  user.abort('enough');
  expect([deadline.signal.reason, deadline.failure]).toEqual(['enough', undefined]);
  expect(started(1000, user.signal).deadline.signal.reason).toBe('enough');
});
