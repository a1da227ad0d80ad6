import { expect, test } from 'vitest';

import { createCatalogBudget, type ListSlot } from './catalog-budget.ts';

const open = (listBytes: number, catalogBytes: number) =>
  createCatalogBudget(() => ({ listBytes, catalogBytes }));

/** Reads a list entry by entry; gives how many of them fit. */
function read(slot: ListSlot, entries: number, weight = 100): number {
  const reading = slot.begin();
  let count = 0;
  while (count < entries && reading.add(weight)) count += 1;
  reading.keep();
  return count;
}

test('T113: a list has its own limit, and all lists have one together', () => {
  const budget = open(1000, 2500);
  const [first, second, third] = [budget.open('fs'), budget.open('fs'), budget.open('fs')].map((lists) =>
    lists.slot(),
  );
  if (first === undefined || second === undefined || third === undefined)
    throw new Error('three were opened');
  expect([read(first, 20), read(second, 20), read(third, 20), budget.heldBytes]).toEqual([10, 10, 5, 2500]);
});

test('T113: the limit that was met is named', () => {
  const budget = open(1000, 1500);
  const nearest = [budget.open('fs'), budget.open('fs')].map((lists) => {
    const reading = lists.slot().begin();
    for (let entry = 0; entry < 50; entry += 1) reading.add(100);
    return reading.nearest;
  });
  expect(nearest).toEqual([
    { setting: 'limits.listBytes', bytes: 1000 },
    { setting: 'limits.catalogBytes', bytes: 1500 },
  ]);
});

test('T113: the same lists fit when all of them are read again at once', () => {
  const budget = open(1000, 2000);
  const lists = budget.open('fs');
  const slots = [lists.slot(), lists.slot()];
  expect(slots.map((slot) => read(slot, 10))).toEqual([10, 10]);
  const readings = slots.map((slot) => slot.begin());
  for (let entry = 0; entry < 10; entry += 1)
    expect(readings.map((reading) => reading.add(100))).toEqual([true, true]);
  for (const reading of readings) reading.keep();
  expect(budget.heldBytes).toBe(2000);
});

test('T113: a list that became shorter, that failed, and a server that is gone make room', () => {
  const budget = open(1000, 2000);
  const lists = budget.open('fs');
  const slot = lists.slot();
  expect([read(slot, 9), budget.heldBytes]).toEqual([9, 900]);
  expect([read(slot, 2), budget.heldBytes]).toEqual([2, 200]);
  const failing = slot.begin();
  failing.add(700);
  expect(budget.heldBytes).toBe(700);
  failing.drop();
  expect(budget.heldBytes).toBe(200);
  const late = slot.begin();
  late.add(300);
  lists.close();
  expect([budget.heldBytes, late.add(1)]).toEqual([0, false]);
  late.keep();
  expect(budget.heldBytes).toBe(0);
});

test('T113: however much others list, a list has a small share for itself', () => {
  const budget = open(64_000, 64_000);
  expect(read(budget.open('fs').slot(), 1000)).toBe(640);
  expect(read(budget.open('fs').slot(), 1000)).toBe(10);
});
