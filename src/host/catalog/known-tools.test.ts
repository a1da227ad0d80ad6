/** The table of tools keeps in step with rules that change while it is made. */

import { expect, test } from 'vitest';

import { createPolicy, type Policy } from '../../policy/policy.ts';
import { KnownTools } from './known-tools.ts';
import type { ToolTable } from './tool-table.ts';

const makePolicy = (): Policy => createPolicy({ rules: [], default: 'ask', servers: [], locked: false });

/** A table that only remembers what it was made from. */
function tableInto(updates: Policy[]): ToolTable {
  return {
    update: (_, policy) => void updates.push(policy),
    list: () => [],
    find: () => undefined,
    at: () => undefined,
    pairOf: () => undefined,
    nameOf: () => undefined,
  };
}

const book = { current: () => undefined, look: () => Promise.resolve(undefined), forget: () => undefined };

function knownWith(reads: readonly Promise<Policy>[], updates: Policy[]): KnownTools {
  let count = 0;
  const read = (): Promise<Policy> =>
    reads[Math.min(count++, reads.length - 1)] ?? Promise.reject(new Error());
  return new KnownTools({
    book,
    table: tableInto(updates),
    connections: () => [],
    policy: { read, current: () => undefined, problems: () => [], remember: () => Promise.resolve() },
  });
}

test('rules that were read again while it looked are those that decide', async () => {
  const [before, after] = [makePolicy(), makePolicy()];
  const updates: Policy[] = [];
  await knownWith([Promise.resolve(before), Promise.resolve(after)], updates).refresh();
  expect(updates).toEqual([after]);
  expect(updates[0]).toBe(after);
});

test('what began earlier and ends later does not undo what began later', async () => {
  const policy = makePolicy();
  const updates: Policy[] = [];
  let release: (policy: Policy) => void = () => undefined;
  const slow = new Promise<Policy>((resolve) => (release = resolve));
  const known = knownWith([slow, Promise.resolve(policy)], updates);
  const early = known.refresh();
  await known.refresh();
  release(policy);
  await early;
  expect(updates).toEqual([policy]);
});
