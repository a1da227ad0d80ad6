import { expect, test } from 'vitest';

import { listAll, type Page } from './list-all.ts';

/** A server whose page `n` has the item `n`, and says what comes next. */
function server(next: (page: number) => string | undefined) {
  const asked: (string | undefined)[] = [];
  const fetchPage = (cursor: string | undefined): Promise<Page<number>> => {
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
