/** All tools of all servers under their public names, with what the policy says about each. Made anew when a part changes. */

import { normalInputSchema } from '../../catalog/normal-schema.ts';
import type { NameTable } from '../../catalog/public-names.ts';
import type { Decision, JsonObject, ToolInfo } from '../../catalog/tool-info.ts';
import type { Connection } from '../../connection/connection.ts';
import type { ServerEntry } from '../../connection/supervisor.ts';
import type { Emit } from '../../kernel/events.ts';
import type { Policy } from '../../policy/policy.ts';
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

interface Built {
  readonly servers: readonly KnownServer[];
  readonly entries: readonly ServerEntry[];
  readonly policy: Policy;
  readonly infos: readonly ToolInfo[];
  readonly byName: ReadonlyMap<string, OfferedTool>;
  readonly byPair: ReadonlyMap<string, ReadonlyMap<string, OfferedTool>>;
}

export function createToolTable(names: NameTable, emit: Emit): ToolTable {
  let built: Built | undefined;
  const build = (servers: readonly KnownServer[], policy: Policy): Built => {
    tellClashes(names.update(servers.flatMap(pairsOf)).clashes, emit);
    const byName = new Map<string, OfferedTool>();
    const byPair = new Map<string, ReadonlyMap<string, OfferedTool>>();
    for (const { connection, known } of servers) {
      const { ref } = connection.entry;
      const own = new Map<string, OfferedTool>();
      for (const listed of known.tools) {
        const name = names.nameOf({ server: ref, tool: listed.name });
        if (name === undefined) continue;
        const isLive = known.source !== undefined;
        const info = infoOf({ name, listed, entry: connection.entry, isLive }, policy);
        const offered = { info, listed, connection, known };
        own.set(listed.name, offered);
        byName.set(name, offered);
      }
      byPair.set(ref, own);
    }
    const infos = [...byName.values()].map(({ info }) => info);
    const entries = servers.map(({ connection }) => connection.entry);
    return { servers, entries, policy, infos, byName, byPair };
  };
  const at = (server: string, tool: string): OfferedTool | undefined => built?.byPair.get(server)?.get(tool);
  return {
    update: (servers, policy) => {
      if (built === undefined || !isSame(built, servers, policy)) built = build(servers, policy);
    },
    list: () => built?.infos ?? [],
    find: (name) => {
      const found = built?.byName.get(name);
      if (found !== undefined) return found;
      // A name that was given out keeps its meaning, even where another one is shown now.
      const pair = names.pairOf(name);
      return pair === undefined ? undefined : at(pair.server, pair.tool);
    },
    at,
    pairOf: (name) => names.pairOf(name),
    nameOf: (server, tool) => names.nameOf({ server, tool }),
  };
}

function isSame(built: Built, servers: readonly KnownServer[], policy: Policy): boolean {
  if (built.policy !== policy || built.servers.length !== servers.length) return false;
  return servers.every(({ connection, known }, index) => {
    const before = built.servers[index];
    return (
      before?.connection === connection && before.known === known && built.entries[index] === connection.entry
    );
  });
}

/** With those that are withheld: their names are theirs. */
function pairsOf({ connection, known }: KnownServer): { server: string; tool: string }[] {
  const server = connection.entry.ref;
  return [
    ...known.tools.map(({ name }) => ({ server, tool: name })),
    ...known.withheld.map(({ tool }) => ({ server, tool })),
  ];
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

type Whose = Pick<ToolInfo, 'name' | 'server' | 'tool' | 'agent'>;

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

/** What a tool says of itself may still be text on disk: it is looked at when somebody asks for it. */
function lazyInfo({ name, server, tool, agent }: Whose, listed: ListedTool, decision: Decision): ToolInfo {
  let schema: JsonObject | undefined;
  return {
    name,
    server,
    tool,
    agent,
    get title() {
      return listed.tool.title;
    },
    get description() {
      return listed.tool.description;
    },
    get inputSchema() {
      return (schema ??= normalInputSchema(listed.tool.inputSchema));
    },
    get outputSchema() {
      return listed.tool.outputSchema;
    },
    get annotations() {
      return listed.tool.annotations;
    },
    decision,
  } as ToolInfo; // a field that is undefined here is one that is left out
}
