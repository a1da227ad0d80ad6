/** Reads what a server offers: the three lists are asked for together and read to their end. */

import type {
  Prompt,
  Resource,
  ResourceTemplateType,
  ServerCapabilities,
  Tool,
} from '@modelcontextprotocol/client';

import { listAll, type EarlyStop, type ListCaps, type Page } from './list-all.ts';
import type { Line, ListKind } from './line.ts';
import { withoutFaultyMarks } from './marked-tools.ts';
import { AnswerError, type JsonObject } from './questions.ts';

export interface Lists {
  readonly tools: readonly Tool[];
  readonly resources: readonly Resource[];
  readonly resourceTemplates: readonly ResourceTemplateType[];
  readonly prompts: readonly Prompt[];
}

export const noLists: Lists = { tools: [], resources: [], resourceTemplates: [], prompts: [] };

export type Warn = (code: string, message: string) => void;

export interface ListParts {
  readonly line: Line;
  readonly envelope: JsonObject | undefined;
  readonly capabilities: ServerCapabilities;
  readonly caps?: ListCaps | undefined;
  readonly warn: Warn;
  /** Refuses lists that only repair makes lists of the stateless protocol. */
  readonly refuseOld?: boolean;
  /** Sees every page as it was answered. */
  readonly onPage?: (result: JsonObject) => void;
}

/** Rejects when the first page of the list cannot be read; what the server does not offer is empty. */
export async function readList(
  kind: ListKind,
  parts: ListParts,
  signal: AbortSignal,
): Promise<Partial<Lists>> {
  if (parts.capabilities[kind] === undefined)
    return kind === 'resources' ? { resources: [], resourceTemplates: [] } : { [kind]: [] };
  if (kind === 'tools') return { tools: await readTools(parts, signal) };
  if (kind === 'prompts')
    return { prompts: await readPages<Prompt>('prompts/list', 'prompts', parts, signal) };
  const [resources, resourceTemplates] = await Promise.all([
    readPages<Resource>('resources/list', 'resources', parts, signal),
    readTemplates(parts, signal),
  ]);
  return { resources, resourceTemplates };
}

async function readTools(parts: ListParts, signal: AbortSignal): Promise<readonly Tool[]> {
  const tools = firstOfEachName(await readPages<Tool>('tools/list', 'tools', parts, signal), parts.warn);
  const mirrors = parts.envelope !== undefined && parts.line.transport.processId === undefined;
  return mirrors ? withoutFaultyMarks(tools, parts.warn) : tools;
}

const methodNotFound = -32_601;

/** Many servers with resources have never heard of templates. */
async function readTemplates(
  parts: ListParts,
  signal: AbortSignal,
): Promise<readonly ResourceTemplateType[]> {
  try {
    return await readPages<ResourceTemplateType>(
      'resources/templates/list',
      'resourceTemplates',
      parts,
      signal,
    );
  } catch (error) {
    if (!(error instanceof AnswerError)) throw error;
    if (error.code !== methodNotFound)
      parts.warn('list-failed', `Failed to get resource templates: ${error.message}`);
    return [];
  }
}

const stops: Readonly<Record<EarlyStop, string>> = {
  'too-many-items': 'it has more entries than are read',
  'too-many-pages': 'it has more pages than are read',
  'repeated-cursor': 'it came back to a page that was read before',
  'failed-page': 'a later page could not be read',
};

async function readPages<Item>(
  method: string,
  key: string,
  parts: ListParts,
  signal: AbortSignal,
): Promise<readonly Item[]> {
  const { line, envelope, caps, warn, refuseOld = false } = parts;
  const fetchPage = async (cursor: string | undefined): Promise<Page<Item>> => {
    const result = await line.ask(method, cursor === undefined ? {} : { cursor }, {
      signal,
      envelope,
      refuseOld,
    });
    parts.onPage?.(result);
    const { [key]: items, nextCursor } = result;
    if (!Array.isArray(items)) throw new Error(`the answer to ${method} has no list of ${key}`);
    // The transport has left out every entry that is not one.
    return { items: items as Item[], nextCursor: typeof nextCursor === 'string' ? nextCursor : undefined };
  };
  const { items, stop } = await listAll(fetchPage, caps);
  if (stop !== undefined)
    warn('list-cut', `The list of ${key} is not whole: ${stops[stop]}. ${items.length} were kept.`);
  return items;
}

/** A call could not tell them apart. Within one page the transport has seen to it; this is for the others. */
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
