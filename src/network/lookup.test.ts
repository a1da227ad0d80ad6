import type { LookupFunction } from 'node:net';

import { expect, test } from 'vitest';

import { createFakeClock } from '../../tests/support/fake-clock.ts';
import { createLookup } from './lookup.ts';

test('F40: a name that was not found is not asked for again within a second', async () => {
  const clock = createFakeClock();
  const asked: string[] = [];
  const missing: LookupFunction = (host, _, answer) => {
    asked.push(host);
    answer(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), []);
  };
  const lookup = createLookup(clock, missing);
  const ask = (host: string): Promise<string | undefined> =>
    new Promise((resolve) => lookup(host, {}, (error) => resolve(error?.code)));

  expect([await ask('a.test'), await ask('a.test'), await ask('b.test')]).toEqual(Array(3).fill('ENOTFOUND'));
  expect(asked).toEqual(['a.test', 'b.test']);
  await clock.advance(1000);
  await ask('a.test');
  expect(asked).toEqual(['a.test', 'b.test', 'a.test']);
});

test('F40: names that are found are asked for every time, because they may move', async () => {
  let count = 0;
  const lookup = createLookup(createFakeClock(), (_, __, answer) =>
    answer(null, `10.0.0.${(count += 1)}`, 4),
  );
  const ask = (): Promise<unknown> =>
    new Promise((resolve) => lookup('a.test', {}, (_, address) => resolve(address)));
  expect([await ask(), await ask()]).toEqual(['10.0.0.1', '10.0.0.2']);
});
