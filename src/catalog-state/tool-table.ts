/**
 * The table of all tools under their public names, with the policy's decision for each. Rebuilt when a part
 * changes.
 */

import { type NamedList, type NameTable, plainName, type ToolList } from '../catalog/public-names.ts';
import type { ToolInfo } from '../catalog/tool-info.ts';
import type { Connection } from '../connection/connection.ts';
import type { ServerEntry } from '../connection/supervisor.ts';
import type { Emit } from '../kernel/events.ts';
import type { Policy } from '../policy/policy.ts';
import type { ListedTool, ServerTools } from './server-tools.ts';
import { lazyInfo, noRedaction, plainInfo, type ToolRedactor } from './tool-views.ts';

/** An offered tool and its connection. */
export interface OfferedTool {
  readonly info: ToolInfo;
  readonly listed: ListedTool;
  readonly connection: Connection;
  /** The tools that it was listed with. */
  readonly known: ServerTools;
}

export interface KnownServer {
  readonly connection: Connection;
  readonly known: ServerTools;
}

export interface ToolTable {
  /**
   * Updates the table; cheap if nothing changed. Returns the servers with a tool whose public name changed
   * after a caller got it.
   */
  update(servers: readonly KnownServer[], policy: Policy): ReadonlySet<string>;
  /** Returns all tools. From then on all their names count as given to callers. */
  list(): readonly ToolInfo[];
  find(name: string): OfferedTool | undefined;
  /** Finds a tool by the server's own name for it. */
  at(server: string, tool: string): OfferedTool | undefined;
  /** Returns all tools whose name in the default profile, `mcp__server__tool`, would be this one. */
  byUsualName(name: string): readonly OfferedTool[];
  /** Returns the owner of a name, even if the tool is not offered now. */
  pairOf(name: string): { readonly server: string; readonly tool: string } | undefined;
  /** Marks this name as given to a caller. It then keeps its meaning. */
  give(name: string): void;
  isGiven(name: string): boolean;
  /** Returns the public names of all tools that would have this name, whether or not one of them got it. */
  wantedBy(name: string): readonly string[];
  /** Whether this may be the name of a tool that this server has not listed yet. */
  mayBeOf(name: string, server: string): boolean;
}

/** The inputs that the table is built from. */
interface Parts {
  readonly servers: readonly KnownServer[];
  readonly entries: readonly ServerEntry[];
  readonly policy: Policy;
  readonly shown: ToolRedactor;
}

/** The names that were made for a list, and the name of its server at that time. */
interface GivenNames {
  readonly ref: string;
  /** The server's tools, followed by those that are withheld. */
  readonly list: NamedList;
}

/** One server's tools as they are shown, with the list they come from. */
interface BuiltServer extends KnownServer {
  readonly entry: ServerEntry;
  /** Undefined for a tool without a name. */
  readonly infos: readonly (ToolInfo | undefined)[];
}

interface Built {
  readonly infos: readonly ToolInfo[];
  /** Built on first lookup, so that listing does not wait for it. */
  readonly byPair: () => ReadonlyMap<string, ReadonlyMap<string, OfferedTool>>;
}

export function createToolTable(names: NameTable, emit: Emit, shown = noRedaction): ToolTable {
  let parts: Parts | undefined;
  let made: Built | undefined;
  const named = new WeakMap<ServerTools, GivenNames>();
  const nameTools = (servers: readonly KnownServer[]): ReadonlySet<string> => {
    const fresh = servers.filter(({ connection, known }) => named.get(known)?.ref !== connection.entry.ref);
    const { clashes, named: lists, renamed } = names.update(fresh.map((server) => listOf(server, shown)));
    emitNameClashes(clashes, emit);
    fresh.forEach(({ connection, known }, index) => {
      const list = lists[index];
      if (list !== undefined) named.set(known, { ref: connection.entry.ref, list });
    });
    return renamed;
  };
  // Built on first access: while many servers connect one by one, nothing reads it in between.
  const built = (): Built | undefined => {
    if (parts !== undefined) made ??= build(parts, (known) => named.get(known)?.list.names() ?? []);
    return made;
  };
  const at = (server: string, tool: string): OfferedTool | undefined =>
    built()?.byPair().get(server)?.get(tool);
  return {
    update: (servers, policy) => {
      if (parts !== undefined && isSame(parts, servers, policy)) return noServers;
      const renamed = nameTools(servers);
      parts = { servers, entries: servers.map(({ connection }) => connection.entry), policy, shown };
      made = undefined;
      return renamed;
    },
    list: () => {
      names.publishAll();
      return built()?.infos ?? [];
    },
    find: (name) => {
      // A name that a caller got keeps its meaning, even if another name is shown now.
      const pair = names.pairOf(name);
      return pair === undefined ? undefined : at(pair.server, pair.tool);
    },
    at,
    byUsualName: (name) => {
      const tools = [...(built()?.byPair().values() ?? [])].flatMap((own) => [...new Set(own.values())]);
      return tools.filter(({ info }) => plainName('double', info.server, info.tool) === name);
    },
    pairOf: (name) => names.pairOf(name),
    give: (name) => names.publish(name),
    isGiven: (name) => names.isPublished(name),
    wantedBy: (name) =>
      names.claimantsOf(name).flatMap(({ server, tool }) => at(server, tool)?.info.name ?? []),
    mayBeOf: (name, server) => names.mayBeOf(name, server),
  };
}

const noServers: ReadonlySet<string> = new Set();

function build(
  { servers, entries, policy, shown }: Parts,
  namesOf: (known: ServerTools) => readonly (string | undefined)[],
): Built {
  const built = servers.map((server, index) => {
    const entry = entries[index] ?? server.connection.entry;
    return {
      ...server,
      entry,
      infos: infosOf(server.known, entry, { policy, shown }, namesOf(server.known)),
    };
  });
  let byPair: ReturnType<Built['byPair']> | undefined;
  return {
    infos: joined(built.map(({ infos }) => infos.filter((info) => info !== undefined))),
    byPair: () => (byPair ??= new Map(built.map((server) => [server.entry.ref, byTool(server)]))),
  };
}

/** `flatMap` copies items one by one, which takes a tenth of the total time with thousands of tools. */
function joined<Item>(lists: readonly (readonly Item[])[]): readonly Item[] {
  const [first = [], ...others] = lists;
  return others.length === 0 ? first : first.concat(...others);
}

function byTool({ connection, known, infos }: BuiltServer): ReadonlyMap<string, OfferedTool> {
  const own = new Map<string, OfferedTool>();
  known.tools.forEach((listed, index) => {
    const info = infos[index];
    if (info === undefined || own.has(listed.name)) return;
    const offered = { info, listed, connection, known };
    own.set(listed.name, offered);
    // Also under the redacted name, if that differs.
    if (!own.has(info.tool)) own.set(info.tool, offered);
  });
  return own;
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

/** Lists the tools, then those withheld or refused, because they keep their names. */
function listOf({ connection, known }: KnownServer, shown: ToolRedactor): ToolList {
  const tools = known.tools.map(({ name }) => shown.name(name));
  const leftOut = [...known.withheld, ...known.refused];
  return { server: connection.entry.ref, tools: tools.concat(leftOut.map(({ tool }) => tool)) };
}

function emitNameClashes(clashes: ReturnType<NameTable['update']>['clashes'], emit: Emit): void {
  for (const { name, pairs, reserved } of clashes) {
    const servers = pairs.map(({ server, tool }) => `"${tool}" of "${server}"`);
    const whose = reserved === undefined ? servers : [...servers, `holt's own "${reserved}"`];
    const many = whose.length > 2 ? 'all' : 'both';
    const each = reserved === undefined ? 'each' : "each but holt's own";
    const message = `${whose.join(' and ')} would ${many} be called ${name}: ${each} has a longer name now`;
    emit('mcp.warning', { server: pairs[0]?.server ?? '', code: 'name-clash', message });
  }
}

function infosOf(
  known: ServerTools,
  { ref, definition, trust }: ServerEntry,
  { policy, shown }: Pick<Parts, 'policy' | 'shown'>,
  names: readonly (string | undefined)[],
): BuiltServer['infos'] {
  const subject = { server: ref, definition, approved: trust === 'approved' };
  const { agent } = definition.origin;
  // Tools from a server are already parsed. Tools from the cache are parsed on first access.
  const make = known.source === undefined ? lazyInfo : plainInfo;
  return known.tools.map((listed, index) => {
    const tool = listed.name;
    const name = names[index];
    if (name === undefined) return undefined;
    const whose = { name, server: ref, tool: shown.name(tool), agent };
    return make(whose, listed, policy.decideFor(subject, tool).decision, shown);
  });
}
