/** Reads a list page by page, to its end or to a limit. Never discards what was read so far. */

import { StructureCount } from '../../network/count-structure.ts';
import { weightOf, type Received } from '../../network/receive-budget.ts';
import type { ListReading } from '../catalog-budget.ts';

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor?: string | undefined;
  /** The weight of the whole page, as the budget counts it. */
  readonly weight: number;
}

/** Why reading stopped before the end. */
export type EarlyStop =
  | 'too-many-items'
  | 'too-many-pages'
  | 'too-many-bytes'
  | 'repeated-cursor'
  | 'failed-page';

export interface ListResult<Item> {
  readonly items: readonly Item[];
  readonly stop?: EarlyStop;
  /** The error of a page after the first. */
  readonly error?: unknown;
}

export interface ListCaps {
  readonly maxItems?: number;
  readonly maxPages?: number;
}

type Room = Pick<ListReading, 'add'>;

/** Rejects only when not even the first page could be read. */
export async function listAll<Item>(
  fetchPage: (cursor: string | undefined) => Promise<Page<Item>>,
  room: Room,
  { maxItems = 10_000, maxPages = 1000 }: ListCaps = {},
): Promise<ListResult<Item>> {
  const items: Item[] = [];
  const seen = new Set<string>();
  const cut = (stop: EarlyStop): ListResult<Item> => ({ items: items.slice(0, maxItems), stop });
  let page = await fetchPage(undefined);
  for (let pages = 1; ; pages += 1) {
    if (!room.add(page.weight)) {
      addWhatFits(page.items, items, room);
      return cut('too-many-bytes');
    }
    // Push items one by one: spreading a large page would exceed the maximum number of arguments.
    for (const item of page.items) items.push(item);
    const { nextCursor } = page;
    if (items.length > maxItems) return cut('too-many-items');
    if (nextCursor === undefined) return { items };
    const stop = stopBefore(nextCursor, {
      seen,
      isFull: items.length === maxItems,
      isLast: pages >= maxPages,
    });
    if (stop !== undefined) return cut(stop);
    seen.add(nextCursor);
    try {
      page = await fetchPage(nextCursor);
    } catch (error) {
      return { ...cut('failed-page'), error };
    }
  }
}

interface Progress {
  readonly seen: ReadonlySet<string>;
  readonly isFull: boolean;
  /** No more pages are read after this one. */
  readonly isLast: boolean;
}

function stopBefore(cursor: string, { seen, isFull, isLast }: Progress): EarlyStop | undefined {
  if (isFull) return 'too-many-items';
  if (seen.has(cursor)) return 'repeated-cursor';
  return isLast ? 'too-many-pages' : undefined;
}

/** Adds as many items as the budget allows from a page that does not fit as a whole. */
function addWhatFits<Item>(from: readonly Item[], items: Item[], room: Room): void {
  for (const item of from) {
    const weight = weighAsJson(item);
    if (weight === undefined || !room.add(weight)) return;
    items.push(item);
  }
}

/** The weight of a value whose size on the wire is unknown. Undefined if it is nested too deeply. */
export function weighAsJson(value: unknown): number | undefined {
  const text = Buffer.from(printed(value) ?? '');
  if (text.length === 0) return undefined;
  const structure = new StructureCount();
  structure.add(text);
  const received: Received = { bytes: text.length, nodes: structure.count };
  return weightOf(received);
}

function printed(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
