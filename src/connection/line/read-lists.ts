/** Reads the lists of tools, resources and prompts that a server offers, each to its end. */

import type { ResourceTemplateType, ServerCapabilities } from '@modelcontextprotocol/client';

import type { JsonObject } from '../../kernel/json.ts';
import type { Prompt, Resource, Tool } from '../../kernel/protocol-types.ts';
import { weightOf } from '../../network/receive-budget.ts';
import type { ListLimit, ListSlot } from '../catalog-budget.ts';
import { listAll, weighAsJson, type EarlyStop, type ListCaps, type Page } from './list-all.ts';
import type { Line, ListKind } from './line.ts';
import { withoutFaultyMarks } from './marked-tools.ts';
import { AnswerError } from './questions.ts';

export interface Lists {
  readonly tools: readonly Tool[];
  readonly resources: readonly Resource[];
  readonly resourceTemplates: readonly ResourceTemplateType[];
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
  readonly line: Line;
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
  const mirrors = parts.envelope !== undefined && parts.line.transport.processId === undefined;
  return mirrors ? withoutFaultyMarks(tools, parts.warn) : tools;
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
async function readTemplates(
  parts: ListParts,
  signal: AbortSignal,
): Promise<readonly ResourceTemplateType[]> {
  try {
    return await readCounted<ResourceTemplateType>(
      'resources/templates/list',
      'resourceTemplates',
      parts,
      signal,
    );
  } catch (error) {
    if (!(error instanceof AnswerError)) throw error;
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
  const { line, envelope, refuseOld = false } = parts;
  return async (cursor) => {
    let weight: number | undefined;
    const result = await line.ask(method, cursor === undefined ? {} : { cursor }, {
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
  const kept = tools.filter(({ name }) => {
    if (!seen.has(name)) return seen.add(name);
    twice.add(name);
    return false;
  });
  for (const name of [...twice].slice(0, 10)) {
    warn('entry-duplicate', `tool "${name.slice(0, 100)}" is listed more than once; the first is kept`);
  }
  return kept.length === tools.length ? tools : kept;
}
