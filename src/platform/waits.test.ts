import { expect, test } from 'vitest';

import { createFakeClock } from '../../tests/support/fake-clock.ts';
import { aborted, isWithin, linkSignal, offAbort, onAbort, orAborted, orLate } from './waits.ts';

test('a signal gets one listener, however many operations wait on it', () => {
  const { signal } = new AbortController();
  const added: string[] = [];
  const add = signal.addEventListener.bind(signal);
  signal.addEventListener = (type: string, ...rest: readonly unknown[]): void => {
    added.push(type);
    Reflect.apply(add, signal, [type, ...rest]);
  };
  for (let count = 0; count < 20; count += 1) onAbort(signal, () => undefined);
  expect(added).toEqual(['abort']);
});

test('a removed listener is not called, and the others are', () => {
  const controller = new AbortController();
  const called: string[] = [];
  const removed = (): void => void called.push('removed');
  onAbort(controller.signal, removed);
  onAbort(controller.signal, () => called.push('stays'));
  offAbort(controller.signal, removed);
  controller.abort();
  onAbort(controller.signal, () => called.push('late'));
  expect(called).toEqual(['stays', 'late']);
});

test('a wait rejects with the reason of the signal that aborts it', async () => {
  const controller = new AbortController();
  const wait = orAborted(new Promise(() => undefined), controller.signal);
  controller.abort(new Error('enough'));
  await expect(wait).rejects.toThrow('enough');
  await expect(aborted(controller.signal)).resolves.toBeUndefined();
  await expect(orAborted(Promise.resolve(1), new AbortController().signal)).resolves.toBe(1);
});

test('a wait with a time limit ends at the limit, and removes its timer when it ends before', async () => {
  const clock = createFakeClock();
  const wait = orLate(new Promise(() => undefined), 100, clock, 'late');
  await clock.advance(100);
  await expect(wait).resolves.toBe('late');
  await expect(orLate(Promise.resolve('value'), 100, clock, 'late')).resolves.toBe('value');
  await expect(orLate(Promise.reject(new Error('failed')), 100, clock, 'late')).rejects.toThrow('failed');
  await expect(isWithin(Promise.resolve(), 100, clock)).resolves.toBe(true);
  await expect(isWithin(Promise.resolve(), 100, clock, AbortSignal.abort())).resolves.toBe(false);
});

test('a linked signal aborts with the outer one or at its limit, and not after its release', async () => {
  const clock = createFakeClock();
  const limit = { ms: 100, clock, reason: () => new Error('timed out') };
  const outer = new AbortController();
  const [first, released] = [linkSignal(outer.signal, limit), linkSignal(outer.signal, limit)];
  const [limited, already] = [linkSignal(undefined, limit), linkSignal(AbortSignal.abort('before'))];
  released.release();
  outer.abort('outer');
  await clock.advance(100);
  expect(first.signal.reason).toBe('outer');
  expect(released.signal.aborted).toBe(false);
  expect(limited.signal.reason).toEqual(new Error('timed out'));
  expect(already.signal.reason).toBe('before');
});
