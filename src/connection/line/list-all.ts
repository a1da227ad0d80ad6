/** Reads a list page by page to its end, or to where it is wiser to stop. What was read so far is never thrown away. */

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor?: string | undefined;
}

/** Why reading stopped before the end. */
export type EarlyStop = 'too-many-items' | 'too-many-pages' | 'repeated-cursor' | 'failed-page';

export interface ListResult<Item> {
  readonly items: readonly Item[];
  readonly stop?: EarlyStop;
  /** What went wrong with a page that was not the first. */
  readonly error?: unknown;
}

export interface ListCaps {
  readonly maxItems?: number;
  readonly maxPages?: number;
}

/** Rejects only when not even the first page could be read. */
export async function listAll<Item>(
  fetchPage: (cursor: string | undefined) => Promise<Page<Item>>,
  { maxItems = 10_000, maxPages = 1000 }: ListCaps = {},
): Promise<ListResult<Item>> {
  const first = await fetchPage(undefined);
  const items: Item[] = [...first.items];
  const seen = new Set<string>();
  let cursor = first.nextCursor;
  for (let pages = 1; cursor !== undefined; pages += 1) {
    if (items.length >= maxItems) return { items: items.slice(0, maxItems), stop: 'too-many-items' };
    if (seen.has(cursor)) return { items, stop: 'repeated-cursor' };
    if (pages >= maxPages) return { items, stop: 'too-many-pages' };
    seen.add(cursor);
    try {
      const page = await fetchPage(cursor);
      // One by one: a page may hold more than a call takes arguments.
      for (const item of page.items) items.push(item);
      cursor = page.nextCursor;
    } catch (error) {
      return { items, stop: 'failed-page', error };
    }
  }
  return items.length > maxItems ? { items: items.slice(0, maxItems), stop: 'too-many-items' } : { items };
}
