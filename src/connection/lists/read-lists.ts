/**
 * Reads the lists of tools, resources and prompts that a server offers, page by page to the end or to a limit.
 * Never discards what was read so far.
 */

import type { ServerCapabilities } from '@modelcontextprotocol/client';

import type { JsonObject } from '../../kernel/json.ts';
import type { Prompt, Resource, ResourceTemplate, Tool } from '../../kernel/protocol-types.ts';
import { StructureCount } from '../../network/count-structure.ts';
import { weightOf } from '../../network/receive-budget.ts';
import type { ListLimit, ListReading, ListSlot } from '../catalog-budget.ts';
import type { Channel, ListKind } from '../channel.ts';
import { ResponseError } from '../requests.ts';
import { withoutInvalidHeaders } from './tool-headers.ts';

export interface Lists {
  readonly tools: readonly Tool[];
  readonly resources: readonly Resource[];
  readonly resourceTemplates: readonly ResourceTemplate[];
  readonly prompts: readonly Prompt[];
}

export const noLists: Lists = { tools: [], resources: [], resourceTemplates: [], prompts: [] };

/** Why lists could not be read, by kind. */
export type FailedLists = Readonly<Partial<Record<ListKind, string>>>;

export type Warn = (code: string, message: string) => void;

/** The budget slot of each list of a server. */
export type ListSlots = { readonly [Key in keyof Lists]: ListSlot };

export interface ListParts {
  readonly server: string;
  readonly slots: ListSlots;
  readonly channel: Channel;
  readonly envelope: JsonObject | undefined;
  readonly capabilities: ServerCapabilities;
  readonly caps?: ListCaps | undefined;
  readonly warn: Warn;
  /** Why the last read of a list failed. Reading the list again removes its entry. */
  readonly failed: Map<ListKind, string>;
  /** Rejects lists that only the transport's repair makes valid in the stateless protocol. */
  readonly refuseOld?: boolean;
  /** Called with the result of every page. */
  readonly onPage?: (result: JsonObject) => void;
}

/** Rejects if the first page cannot be read. Lists that the server does not offer are empty. */
export async function readList(
  kind: ListKind,
  parts: ListParts,
  signal: AbortSignal,
): Promise<Partial<Lists>> {
  parts.failed.delete(kind);
  if (parts.capabilities[kind] === undefined)
    return kind === 'resources' ? { resources: [], resourceTemplates: [] } : { [kind]: [] };
  if (kind === 'tools') return { tools: await readTools(parts, signal) };
  if (kind === 'prompts')
    return { prompts: await readCounted<Prompt>('prompts/list', 'prompts', parts, signal) };
  const [resources, resourceTemplates] = await Promise.all([
    readCounted<Resource>('resources/list', 'resources', parts, signal),
    readTemplates(parts, signal),
  ]);
  return { resources, resourceTemplates };
}

async function readTools(parts: ListParts, signal: AbortSignal): Promise<readonly Tool[]> {
  const tools = firstOfEachName(await readCounted<Tool>('tools/list', 'tools', parts, signal), parts.warn);
  const mirrors = parts.envelope !== undefined && parts.channel.transport.processId === undefined;
  return mirrors ? withoutInvalidHeaders(tools, parts.warn) : tools;
}

/** Records a failed list, so that it is not mistaken for an empty one. The server stays usable. */
export function noteFailedList(
  kind: ListKind,
  message: string,
  { failed, warn }: Pick<ListParts, 'failed' | 'warn'>,
): void {
  failed.set(kind, message);
  warn('list-failed', message);
}

const methodNotFound = -32_601;

/** Many servers with resources do not implement templates. */
async function readTemplates(parts: ListParts, signal: AbortSignal): Promise<readonly ResourceTemplate[]> {
  try {
    return await readCounted<ResourceTemplate>(
      'resources/templates/list',
      'resourceTemplates',
      parts,
      signal,
    );
  } catch (error) {
    if (!(error instanceof ResponseError)) throw error;
    if (error.code !== methodNotFound)
      noteFailedList('resources', `Failed to get resource templates: ${error.message}`, parts);
    return [];
  }
}

const stops: Readonly<Record<Exclude<EarlyStop, 'too-many-bytes'>, string>> = {
  'too-many-items': 'it has more entries than are read',
  'too-many-pages': 'it has more pages than are read',
  'repeated-cursor': 'it came back to a page that was read before',
  'failed-page': 'a later page could not be read',
};

const listNames: { readonly [Key in keyof Lists]: string } = {
  tools: 'tools',
  resources: 'resources',
  resourceTemplates: 'resource templates',
  prompts: 'prompts',
};

/** Counts the list in its budget slot. It replaces the previous list there only if it can be read. */
async function readCounted<Item>(
  method: string,
  key: keyof Lists,
  parts: ListParts,
  signal: AbortSignal,
): Promise<readonly Item[]> {
  const reading = parts.slots[key].begin();
  try {
    const fetchPage = pagesOf<Item>(method, key, parts, signal);
    const { items, stop } = await listAll(fetchPage, reading, parts.caps);
    if (stop !== undefined) {
      const why = stop === 'too-many-bytes' ? overLimit(reading.nearest) : stops[stop];
      const list = `The list of ${listNames[key]} of "${parts.server}"`;
      parts.warn('list-cut', `${list} is incomplete: ${why}. ${items.length} entries were kept.`);
    }
    reading.keep();
    return items;
  } catch (error) {
    reading.drop();
    throw error;
  }
}

function overLimit({ setting, bytes }: ListLimit): string {
  const limit = bytes < 1 << 20 ? `${bytes} bytes` : `${Math.floor(bytes / (1 << 20))} MiB`;
  const whose = setting === 'limits.listBytes' ? 'it is' : 'the lists of all servers together are';
  return `${whose} larger than ${limit} (${setting})`;
}

function pagesOf<Item>(
  method: string,
  key: keyof Lists,
  parts: ListParts,
  signal: AbortSignal,
): (cursor: string | undefined) => Promise<Page<Item>> {
  const { channel, envelope, refuseOld = false } = parts;
  return async (cursor) => {
    let weight: number | undefined;
    const result = await channel.requests.request(method, cursor === undefined ? {} : { cursor }, {
      signal,
      envelope,
      refuseOld,
      onReceipt: (receipt) => {
        weight = weightOf(receipt);
      },
    });
    parts.onPage?.(result);
    const { [key]: items, nextCursor } = result;
    if (!Array.isArray(items)) throw new Error(`the answer to ${method} has no list of ${key}`);
    return {
      // The transport has already dropped malformed entries.
      items: items as Item[],
      nextCursor: typeof nextCursor === 'string' ? nextCursor : undefined,
      weight: weight ?? weighAsJson(result) ?? Number.POSITIVE_INFINITY,
    };
  };
}

/**
 * Drops tools whose name is taken, because calls could not distinguish them. The transport already does this
 * within one page.
 */
function firstOfEachName(tools: readonly Tool[], warn: Warn): readonly Tool[] {
  const seen = new Set<string>();
  const twice = new Set<string>();
  const first = tools.filter(({ name }) => {
    if (!seen.has(name)) return seen.add(name);
    twice.add(name);
    return false;
  });
  for (const name of [...twice].slice(0, 10)) {
    warn('entry-duplicate', `tool "${name.slice(0, 100)}" is listed more than once; the first is kept`);
  }
  return first.length === tools.length ? tools : first;
}

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

type Budget = Pick<ListReading, 'add'>;

/** Rejects only when not even the first page could be read. */
export async function listAll<Item>(
  fetchPage: (cursor: string | undefined) => Promise<Page<Item>>,
  budget: Budget,
  { maxItems = 10_000, maxPages = 1000 }: ListCaps = {},
): Promise<ListResult<Item>> {
  const items: Item[] = [];
  const seen = new Set<string>();
  const cut = (stop: EarlyStop): ListResult<Item> => ({ items: items.slice(0, maxItems), stop });
  let page = await fetchPage(undefined);
  for (let pages = 1; ; pages += 1) {
    if (!budget.add(page.weight)) {
      addAsManyAsFit(page.items, items, budget);
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
function addAsManyAsFit<Item>(from: readonly Item[], items: Item[], budget: Budget): void {
  for (const item of from) {
    const weight = weighAsJson(item);
    if (weight === undefined || !budget.add(weight)) return;
    items.push(item);
  }
}

/** The weight of a value whose size on the wire is unknown. Undefined if it is nested too deeply. */
export function weighAsJson(value: unknown): number | undefined {
  const text = Buffer.from(toJson(value) ?? '');
  if (text.length === 0) return undefined;
  const structure = new StructureCount();
  structure.add(text);
  return weightOf({ bytes: text.length, nodes: structure.count });
}

function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
