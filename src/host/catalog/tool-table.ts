/** All tools of all servers under their public names, with what the policy says about each. Made anew when a part changes. */

import { normalInputSchema } from '../../catalog/normal-schema.ts';
import type { NameTable, ToolPair } from '../../catalog/public-names.ts';
import type { Decision, ToolInfo } from '../../catalog/tool-info.ts';
import type { Connection } from '../../connection/connection.ts';
import type { ServerEntry } from '../../connection/supervisor.ts';
import type { Emit } from '../../kernel/events.ts';
import type { Policy } from '../../policy/policy.ts';
import { lazyInfo, type Whose } from './lazy-info.ts';
import type { ListedTool, ServerTools } from './server-tools.ts';

/** A tool that is offered, and the way to it. */
export interface OfferedTool {
  readonly info: ToolInfo;
  readonly listed: ListedTool;
  readonly connection: Connection;
  /** The list it stands in. */
  readonly known: ServerTools;
}

export interface KnownServer {
  readonly connection: Connection;
  readonly known: ServerTools;
}

export interface ToolTable {
  /** Brings the table in step; cheap when nothing is new. */
  update(servers: readonly KnownServer[], policy: Policy): void;
  list(): readonly ToolInfo[];
  find(name: string): OfferedTool | undefined;
  /** By the server's own names. */
  at(server: string, tool: string): OfferedTool | undefined;
  /** Also of tools that are not offered at the moment. */
  pairOf(name: string): { readonly server: string; readonly tool: string } | undefined;
  nameOf(server: string, tool: string): string | undefined;
}

/** What the table is to be made from. */
interface Parts {
  readonly servers: readonly KnownServer[];
  readonly entries: readonly ServerEntry[];
  readonly policy: Policy;
}

interface Built {
  readonly infos: readonly ToolInfo[];
  readonly byPair: ReadonlyMap<string, ReadonlyMap<string, OfferedTool>>;
}

export function createToolTable(names: NameTable, emit: Emit): ToolTable {
  let parts: Parts | undefined;
  let made: Built | undefined;
  /** Whose names were given out already, and what the server was called then. */
  const named = new WeakMap<ServerTools, string>();
  const giveNames = (servers: readonly KnownServer[]): void => {
    const fresh = servers.filter(({ connection, known }) => named.get(known) !== connection.entry.ref);
    tellClashes(names.update(pairsOf(fresh)).clashes, emit);
    for (const { connection, known } of fresh) named.set(known, connection.entry.ref);
  };
  // Made when somebody looks: while many servers come up one by one, nobody does in between.
  const built = (): Built | undefined => {
    if (parts !== undefined) made ??= build(parts, names);
    return made;
  };
  const at = (server: string, tool: string): OfferedTool | undefined =>
    built()?.byPair.get(server)?.get(tool);
  return {
    update: (servers, policy) => {
      if (parts !== undefined && isSame(parts, servers, policy)) return;
      giveNames(servers);
      parts = { servers, entries: servers.map(({ connection }) => connection.entry), policy };
      made = undefined;
    },
    list: () => built()?.infos ?? [],
    find: (name) => {
      // A name that was given out keeps its meaning, even where another one is shown now.
      const pair = names.pairOf(name);
      return pair === undefined ? undefined : at(pair.server, pair.tool);
    },
    at,
    pairOf: (name) => names.pairOf(name),
    nameOf: (server, tool) => names.nameOf({ server, tool }),
  };
}

function build({ servers, entries, policy }: Parts, names: NameTable): Built {
  const infos: ToolInfo[] = [];
  const byPair = new Map<string, ReadonlyMap<string, OfferedTool>>();
  for (const [index, { connection, known }] of servers.entries()) {
    const entry = entries[index] ?? connection.entry;
    const own = new Map<string, OfferedTool>();
    const isLive = known.source !== undefined;
    for (const listed of known.tools) {
      const name = names.nameOf({ server: entry.ref, tool: listed.name });
      if (name === undefined || own.has(listed.name)) continue;
      const info = infoOf({ name, listed, entry, isLive }, policy);
      own.set(listed.name, { info, listed, connection, known });
      infos.push(info);
    }
    byPair.set(entry.ref, own);
  }
  return { infos, byPair };
}

function isSame(parts: Parts, servers: readonly KnownServer[], policy: Policy): boolean {
  if (parts.policy !== policy || parts.servers.length !== servers.length) return false;
  return servers.every(({ connection, known }, index) => {
    const before = parts.servers[index];
    return (
      before?.connection === connection && before.known === known && parts.entries[index] === connection.entry
    );
  });
}

/** For each server its tools and then those that are withheld: their names are theirs. */
function pairsOf(servers: readonly KnownServer[]): readonly ToolPair[] {
  const pairs: ToolPair[] = [];
  for (const { connection, known } of servers) {
    const server = connection.entry.ref;
    for (const { name } of known.tools) pairs.push({ server, tool: name });
    for (const { tool } of known.withheld) pairs.push({ server, tool });
  }
  return pairs;
}

function tellClashes(clashes: ReturnType<NameTable['update']>['clashes'], emit: Emit): void {
  for (const { name, pairs } of clashes) {
    const whose = pairs.map(({ server, tool }) => `"${tool}" of "${server}"`).join(' and ');
    const message = `${whose} would both be called ${name}: each has a longer name now`;
    emit('mcp.warning', { server: pairs[0]?.server ?? '', code: 'name-clash', message });
  }
}

interface Named {
  readonly name: string;
  readonly listed: ListedTool;
  readonly entry: ServerEntry;
  /** From the server itself, not from what was kept of another time. */
  readonly isLive: boolean;
}

function infoOf({ name, listed, entry, isLive }: Named, policy: Policy): ToolInfo {
  const { ref, definition, trust } = entry;
  const question = { server: ref, tool: listed.name, definition, approved: trust === 'approved' };
  const whose = { name, server: ref, tool: listed.name, agent: definition.origin.agent };
  const { decision } = policy.decide(question);
  return isLive ? plainInfo(whose, listed, decision) : lazyInfo(whose, listed, decision);
}

function plainInfo(whose: Whose, { tool }: ListedTool, decision: Decision): ToolInfo {
  const { title, description, outputSchema, annotations } = tool;
  return {
    ...whose,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    inputSchema: normalInputSchema(tool.inputSchema),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
    decision,
  };
}
