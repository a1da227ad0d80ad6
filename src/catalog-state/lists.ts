/** Lists tools, resources, templates and prompts of all servers or of one, and searches tools. */

import type {
  PromptInfo,
  ResourceInfo,
  ResourceTemplateInfo,
  ToolInfo,
  ToolMatch,
} from '../catalog/tool-info.ts';
import { createToolIndex, type ToolIndex } from '../catalog/tool-search.ts';
import type { Connection } from '../connection/connection.ts';
import type { Session } from '../connection/session.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { Redactor } from '../masking/redactor.ts';
import type { Clock } from '../platform/clock.ts';
import { isUsable, type KnownTools } from './known-tools.ts';
import { listErrorOf } from './list-errors.ts';
import { createBackgroundStarts, type ListedKind, type ListOptions, type ListWait } from './list-wait.ts';
import type { ToolReviews } from './review-tools.ts';
import type { ServerToolsStore } from './server-tools.ts';

/** These methods of `Host`, which documents them. */
export interface Lists {
  tools(options?: ListOptions): Promise<readonly ToolInfo[]>;
  listErrors(
    kind: ListedKind,
    options?: { readonly server?: string | undefined },
  ): Readonly<Record<string, string>>;
  searchTools(
    query: string,
    options?: { readonly limit?: number | undefined; readonly server?: string | undefined },
  ): Promise<readonly ToolMatch[]>;
  resources(options?: ListOptions): Promise<readonly ResourceInfo[]>;
  resourceTemplates(options?: ListOptions): Promise<readonly ResourceTemplateInfo[]>;
  prompts(options?: ListOptions): Promise<readonly PromptInfo[]>;
}

export interface ListsParts {
  readonly clock: Clock;
  readonly redactor: Redactor;
  readonly closing: AbortSignal;
  readonly known: KnownTools;
  readonly serverTools: ServerToolsStore;
  readonly listWait: ListWait;
  readonly reviews: Pick<ToolReviews, 'writePins'>;
  readonly connectionOf: (server: string) => Connection;
  readonly requireOpen: () => void;
  readonly startsOnlyNeeded: boolean;
}

export function createLists(parts: ListsParts): Lists {
  const { redactor, connectionOf, requireOpen } = parts;
  const tools = createToolList(parts);
  const gather = async <Item, Info>(
    kind: ListedKind,
    options: ListOptions,
    items: (lists: Session['lists']) => readonly Item[],
    toInfo: (server: string, item: Item) => Info,
  ): Promise<readonly Info[]> => {
    requireOpen();
    const all = await sessionsFor(kind, options, parts);
    requireOpen();
    return all.flatMap(({ server, session }) =>
      items(session.lists).map((item) => redactor.redactValue(toInfo(server, item))),
    );
  };
  /** Built on first use and again when the list of tools changes. */
  let indexed: { readonly tools: readonly ToolInfo[]; readonly index: ToolIndex } | undefined;
  return {
    tools,
    listErrors: (kind, { server } = {}) => listErrors(kind, server, parts),
    searchTools: async (query, options = {}) => {
      if (options.server !== undefined) connectionOf(options.server);
      const all = await tools();
      if (indexed?.tools !== all) indexed = { tools: all, index: createToolIndex(all) };
      return indexed.index.search(query, options).flatMap(({ at, score }) => {
        const tool = all[at];
        return tool === undefined ? [] : [{ tool, score }];
      });
    },
    resources: (options = {}) => gather('resources', options, (lists) => lists.resources, resourceInfo),
    resourceTemplates: (options = {}) =>
      gather('resources', options, (lists) => lists.resourceTemplates, templateInfo),
    prompts: (options = {}) => gather('prompts', options, (lists) => lists.prompts, promptInfo),
  };
}

function createToolList(parts: ListsParts): Lists['tools'] {
  const { clock, closing, known, serverTools, listWait, reviews, connectionOf, requireOpen } = parts;
  const startInBackground = createBackgroundStarts({
    clock,
    closing,
    connections: () => known.connections(),
    isFirstHand: (connection) => serverTools.latest(connection)?.source !== undefined,
  });
  return async ({ wait, server } = {}) => {
    requireOpen();
    const ref = server === undefined ? undefined : connectionOf(server).entry.ref;
    await listWait.until({ kind: 'tools', wait, ref });
    await known.refresh();
    // Write the pins before the caller sees the tools.
    if (wait !== 'cached') await reviews.writePins();
    requireOpen();
    if (wait !== 'settled' && wait !== 'fresh' && !parts.startsOnlyNeeded) startInBackground(ref);
    const all = known.table.list();
    return ref === undefined ? all : all.filter((info) => info.server === ref);
  };
}

/** Whether the server has entries to show now. */
export function hasEntries(kind: ListedKind, connection: Connection, serverTools: ServerToolsStore): boolean {
  const { session } = connection;
  if (session !== undefined) return session.lists[kind].length > 0;
  return kind === 'tools' && isUsable(connection) && (serverTools.latest(connection)?.tools.length ?? 0) > 0;
}

/** The reasons for all servers, or for one that the caller named. */
function listErrors(
  kind: ListedKind,
  server: string | undefined,
  { known, listWait, connectionOf }: ListsParts,
): Readonly<Record<string, string>> {
  const isNamed = server !== undefined;
  const connections = isNamed ? [connectionOf(server)] : known.connections();
  const errors = connections.flatMap((connection) => {
    const { ref } = connection.entry;
    const overdue = listWait.overdueText(connection, kind);
    const error = listErrorOf(kind, { ref, report: connection.report(), overdue, isNamed });
    return error === undefined ? [] : [[ref, error] as const];
  });
  return Object.fromEntries(errors);
}

interface ServerSession {
  readonly server: string;
  readonly session: Session;
}

/**
 * Returns the sessions of all connected servers once the list has waited, or the session of one named server.
 * Rejects if that one cannot be used.
 */
async function sessionsFor(
  kind: ListedKind,
  { server, wait }: ListOptions,
  { known, listWait, connectionOf }: ListsParts,
): Promise<readonly ServerSession[]> {
  if (server !== undefined && wait !== 'cached') {
    const connection = connectionOf(server);
    return [{ server: connection.entry.ref, session: await connection.ready() }];
  }
  const ref = server === undefined ? undefined : connectionOf(server).entry.ref;
  await listWait.until({ kind, wait, ref });
  return known
    .connections()
    .filter(({ entry }) => ref === undefined || entry.ref === ref)
    .flatMap(({ entry, session }) => (session === undefined ? [] : [{ server: entry.ref, session }]));
}

type Listed = Session['lists'];

function resourceInfo(server: string, resource: Listed['resources'][number]): ResourceInfo {
  const { uri, name, size } = resource;
  return { server, uri, name, ...described(resource), ...(size === undefined ? {} : { size }) };
}

function templateInfo(server: string, template: Listed['resourceTemplates'][number]): ResourceTemplateInfo {
  const { uriTemplate, name } = template;
  return { server, uriTemplate, name, ...described(template) };
}

interface Described {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly mimeType?: string | undefined;
  readonly annotations?: object | undefined;
}

function described({ title, description, mimeType, annotations }: Described): {
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly annotations?: JsonObject;
} {
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(mimeType === undefined ? {} : { mimeType }),
    ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
  };
}

function promptInfo(server: string, prompt: Listed['prompts'][number]): PromptInfo {
  const { name, title, description, arguments: given = [] } = prompt;
  return {
    server,
    name,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    arguments: given.map((argument) => ({
      name: argument.name,
      ...(argument.description === undefined ? {} : { description: argument.description }),
      required: argument.required === true,
    })),
  };
}
