import { expect, test } from 'vitest';

import { descendantsOf, readerOf, type RelatedFacts } from './descendants.ts';

const row = (pid: number, parent: number, start = `s${pid}`): RelatedFacts => ({
  pid,
  parent,
  group: pid,
  start,
});
const find = (
  rows: readonly RelatedFacts[],
  leader: number | undefined,
  known: readonly { pid: number; start: string }[] = [],
  self = 9999,
): readonly number[] =>
  descendantsOf(leader, known, readerOf(rows, self))
    .map(({ pid }) => pid)
    .toSorted((left, right) => left - right);

const rows = [row(1, 0), row(10, 1), row(11, 10), row(12, 11), row(20, 1), row(21, 20), row(30, 1)];

test('T123: descendants of the leader and of known processes are found, and the known ones themselves', () => {
  expect(find(rows, 10)).toEqual([11, 12]);
  expect(find(rows, 10, [{ pid: 20, start: 's20' }])).toEqual([11, 12, 20, 21]);
  expect(find(rows, undefined, [{ pid: 12, start: 's12' }])).toEqual([12]);
});

test('T123: a number that another process has now is not found, and neither is anything below it', () => {
  expect(find(rows, undefined, [{ pid: 20, start: 'before' }])).toEqual([]);
  expect(find(rows, 10, [{ pid: 20, start: 'before' }])).toEqual([11, 12]);
  expect(find(rows, undefined, [{ pid: 99, start: 's99' }])).toEqual([]);
});

test('T123: this process and those that it descends from are left out, whoever started them', () => {
  expect(find(rows, 10, [{ pid: 20, start: 's20' }], 12)).toEqual([20, 21]);
  expect(find([...rows, row(13, 11), row(14, 12)], 10, [], 12)).toEqual([13, 14]);
});

test('rows that contradict each other end the search all the same', () => {
  expect(find([row(10, 12), row(11, 10), row(12, 11)], 10)).toEqual([11, 12]);
  expect(find([row(10, 12), row(11, 10), row(12, 11)], 10, [], 12)).toEqual([]);
});
