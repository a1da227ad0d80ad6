import { describe, expect, test } from 'vitest';

import { createSecretCache } from './secret-sources.ts';

function createWorld() {
  const clock = { now: 0 };
  const cache = createSecretCache(() => clock.now);
  let runs = 0;
  const value = async (): Promise<string> => `value ${(runs += 1)}`;
  return { clock, cache, value, runs: () => runs };
}

describe('the value of a command', () => {
  test('is fetched once for simultaneous callers, and cached for five minutes', async () => {
    const { cache, value, clock } = createWorld();
    expect(
      await Promise.all([cache.once('a', value), cache.once('a', value), cache.once('b', value)]),
    ).toEqual(['value 1', 'value 1', 'value 2']);
    clock.now = 5 * 60_000 - 1;
    expect(await cache.once('a', value)).toBe('value 1');
    clock.now = 5 * 60_000;
    expect(await cache.once('a', value)).toBe('value 3');
  });

  test('is not cached when the command failed', async () => {
    const { cache, value } = createWorld();
    await expect(cache.once('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await cache.once('a', value)).toBe('value 1');
  });

  test('is dropped alone or with all others', async () => {
    const { cache, value } = createWorld();
    await cache.once('a', value);
    await cache.once('b', value);
    cache.drop(['a']);
    expect([await cache.once('a', value), await cache.once('b', value)]).toEqual(['value 3', 'value 2']);
    cache.drop();
    expect([await cache.once('a', value), await cache.once('b', value)]).toEqual(['value 4', 'value 5']);
  });

  test('that fails late does not remove a newer one', async () => {
    const { cache, value } = createWorld();
    let fail: (reason: Error) => void = () => undefined;
    const late = cache.once('a', () => new Promise((_, reject) => (fail = reject)));
    cache.drop(['a']);
    expect(await cache.once('a', value)).toBe('value 1');
    fail(new Error('late'));
    await expect(late).rejects.toThrow('late');
    expect(await cache.once('a', value)).toBe('value 1');
  });
});

describe('an answer of the user', () => {
  test('is requested once, one question at a time', async () => {
    const { cache } = createWorld();
    const asked: string[] = [];
    let open = 0;
    const ask = (key: string) => async (): Promise<string> => {
      open += 1;
      expect(open).toBe(1);
      asked.push(key);
      await Promise.resolve();
      open -= 1;
      return `answer to ${key}`;
    };
    const answers = await Promise.all(['a', 'b', 'a', 'b'].map((key) => cache.answer(key, ask(key))));
    expect([answers, asked]).toEqual([
      ['answer to a', 'answer to b', 'answer to a', 'answer to b'],
      ['a', 'b'],
    ]);
  });

  test('that is missing is requested again, and a failure does not affect others', async () => {
    const { cache } = createWorld();
    expect(await cache.answer('a', async () => undefined)).toBeUndefined();
    await expect(cache.answer('a', () => Promise.reject(new Error('gone')))).rejects.toThrow('gone');
    expect(await cache.answer('a', async () => '')).toBe('');
    expect(await cache.answer('a', async () => 'other')).toBe('');
  });

  test('stays when command values are dropped', async () => {
    const { cache } = createWorld();
    await cache.answer('a', async () => 'mine');
    cache.drop();
    expect(await cache.answer('a', async () => 'other')).toBe('mine');
  });
});
