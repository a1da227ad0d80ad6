import { describe, expect, test } from 'vitest';

import { createCatalogBudget } from '../catalog-budget.ts';
import { listAll as listAllIn, type ListCaps, type Page } from './read-lists.ts';

type Fetch = (cursor: string | undefined) => Promise<Omit<Page<number>, 'weight'>>;

/** Pages without a weight, in a budget without an end. */
function listAll(fetchPage: Fetch, caps?: ListCaps) {
  const weighed = async (cursor: string | undefined): Promise<Page<number>> => ({
    ...(await fetchPage(cursor)),
    weight: 1,
  });
  return listAllIn(weighed, { add: () => true }, caps);
}

/** A server whose page `n` has the item `n`, and says what comes next. */
function server(next: (page: number) => string | undefined) {
  const asked: (string | undefined)[] = [];
  const fetchPage: Fetch = (cursor) => {
    asked.push(cursor);
    const page = asked.length - 1;
    const nextCursor = next(page);
    return Promise.resolve({ items: [page], ...(nextCursor === undefined ? {} : { nextCursor }) });
  };
  return { asked, fetchPage };
}

test('pages are read to the end, an empty cursor being a cursor like any other', async () => {
  const { asked, fetchPage } = server((page) => ['', 'b', undefined][page]);
  expect(await listAll(fetchPage)).toEqual({ items: [0, 1, 2] });
  expect(asked).toEqual([undefined, '', 'b']);
});

test('F56: a cursor that comes again ends the list', async () => {
  const { asked, fetchPage } = server((page) => `c${page % 3}`);
  expect(await listAll(fetchPage)).toEqual({ items: [0, 1, 2, 3], stop: 'repeated-cursor' });
  expect(asked).toEqual([undefined, 'c0', 'c1', 'c2']);
});

test('F56: a list without end stops after a thousand pages', async () => {
  const { asked, fetchPage } = server((page) => `c${page}`);
  const result = await listAll(fetchPage);
  expect([result.items.length, result.stop, asked.length]).toEqual([1000, 'too-many-pages', 1000]);
});

test('F56: or after ten thousand items', async () => {
  const fetchPage = (cursor: string | undefined) =>
    Promise.resolve({
      items: Array.from({ length: 3000 }, (_, index) => index),
      nextCursor: `${cursor ?? ''}x`,
    });
  const result = await listAll(fetchPage);
  expect([result.items.length, result.stop]).toEqual([10_000, 'too-many-items']);
});

test('a single page over the limit is cut', async () => {
  const result = await listAll(() => Promise.resolve({ items: [1, 2, 3] }), { maxItems: 2 });
  expect(result).toEqual({ items: [1, 2], stop: 'too-many-items' });
});

test('a list of exactly as many items as are allowed is whole', async () => {
  expect(await listAll(() => Promise.resolve({ items: [1, 2] }), { maxItems: 2 })).toEqual({ items: [1, 2] });
});

test('a later page that fails keeps the pages before it', async () => {
  const error = new Error('gone');
  const fetchPage = (cursor: string | undefined) =>
    cursor === undefined ? Promise.resolve({ items: [1], nextCursor: 'b' }) : Promise.reject(error);
  expect(await listAll(fetchPage)).toEqual({ items: [1], stop: 'failed-page', error });
});

test('a first page that fails is a failure', async () => {
  await expect(listAll(() => Promise.reject(new Error('gone')))).rejects.toThrow('gone');
});

describe('the bytes of a list', () => {
  const text = 'x'.repeat(100);
  const listed = async (listBytes: number, page: Omit<Page<string>, 'nextCursor'>) => {
    let asked = 0;
    const budget = createCatalogBudget(() => ({ listBytes, catalogBytes: 1 << 20 }));
    const reading = budget.open('fs').slot().begin();
    const fetchPage = () => Promise.resolve({ ...page, nextCursor: `c${(asked += 1)}` });
    const { items, stop } = await listAllIn(fetchPage, reading, { maxPages: 50 });
    return { kept: items.length, stop, asked, held: budget.heldBytes };
  };

  test('T113: pages are read until the next one does not fit', async () => {
    expect(await listed(1000, { items: [text], weight: 300 })).toEqual({
      kept: 3,
      stop: 'too-many-bytes',
      asked: 4,
      held: 900,
    });
  });

  test('T113: of the page that does not fit, as many entries are kept as do', async () => {
    expect(await listed(1000, { items: Array<string>(50).fill(text), weight: 5100 })).toEqual({
      kept: 9,
      stop: 'too-many-bytes',
      asked: 1,
      held: 9 * 102,
    });
  });

  test('T113: long cursors count as part of their pages', async () => {
    expect(await listed(1000, { items: [], weight: 300 })).toMatchObject({
      asked: 4,
      stop: 'too-many-bytes',
    });
  });
});
