/** Builds the catalog of a host: tools, resources, prompts and calls. */

import { readFailure } from '../calls/call-failure.ts';
import { createNameTable } from '../catalog/public-names.ts';
import { pinKeyOf } from '../catalog/pins.ts';
import type { WithheldTool } from '../catalog/tool-info.ts';
import type { Connection } from '../connection/connection.ts';
import { builtInName } from './built-in-tools.ts';
import { createKeptTools, type KeptTools } from './catalog/keep-tools.ts';
import { isSpeaking, KnownTools } from './catalog/known-tools.ts';
import { createLateStarts } from './catalog/late-starts.ts';
import { createListChanges } from './catalog/list-changes.ts';
import { listErrorOf } from './catalog/list-errors.ts';
import { createListWait, type ListWait } from './catalog/list-wait.ts';
import { createOffers, type OffersParts } from './catalog/offers.ts';
import { createSearch } from './catalog/search.ts';
import { createServerProblems } from './catalog/server-problems.ts';
import { createServerTools, type ServerToolsBook } from './catalog/server-tools.ts';
import { createShownTools } from './catalog/shown-tools.ts';
import { createSubscriptions, type Subscribe } from './catalog/subscriptions.ts';
import { createToolsTeller } from './catalog/tell-tools.ts';
import { ToolFinder } from './catalog/tool-finder.ts';
import { createToolTable } from './catalog/tool-table.ts';
import { explainTool, logLevelOf, wireCalls } from './catalog/wire-calls.ts';
import { hostClosed } from './host-closed.ts';
import type { HostCatalog, HostOptions, ListedKind } from './host.ts';
import type { HostShared } from './host-shared.ts';
import type { World } from './world.ts';

export function wireCatalog(shared: HostShared): HostCatalog {
  const { world, roster, supervisor, closing, policy } = shared;
  const tools = wireTools(shared);
  const { known, finder } = tools;
  const connectionOf = (ref: string): Connection =>
    supervisor.connections.get(ref) ?? supervisor.add(roster.find(ref));
  const requireOpen = (): void => {
    if (closing.aborted) throw hostClosed();
  };
  const redact = (text: string): string => world.redactor.redact(text);
  const calls = wireCalls(shared, { known, finder, policy, redact, requireOpen });
  const sessions = sessionsOf(tools, connectionOf);
  const subscribe = wireSubscriptions(shared);
  const list = wireList(shared, tools, connectionOf, requireOpen);
  followServers(shared, tools);
  return {
    tools: list,
    listErrors: (kind, { server } = {}) => listErrors(kind, server, tools, connectionOf),
    withheld: tools.withheld,
    acceptPins: async (server, tool) => {
      requireOpen();
      return tools.accept(connectionOf(server), tool);
    },
    findTool: (selector, options = {}) => calls.findTool(selector, options),
    searchTools: createSearch(() => list(), connectionOf),
    call: (name, args = {}, options = {}) => calls.call(name, args, options),
    callRaw: (name, args = {}, options = {}) => calls.callRaw(name, args, options),
    explain: async (selector) => {
      requireOpen();
      const own = builtInName(selector);
      const rules = await policy.read();
      if (own !== undefined) return { name: own, server: 'holt', tool: own, ...rules.decideBuiltIn(own) };
      const { info, listed, connection } = await finder.bySelector(selector);
      const { name, server, tool } = info;
      return { name, server, tool, ...explainTool(rules, listed.name, connection) };
    },
    ...createOffers({
      connectionOf,
      redact,
      shown: (value) => world.redactor.redactValue(value),
      requireOpen,
      sessions,
      logLevel: () => logLevelOf(world.bus),
    }),
    subscribe: async (server, uri) => {
      requireOpen();
      const connection = connectionOf(server);
      return subscribe(connection, uri).catch((error: unknown) => {
        throw readFailure(error, { server, tool: uri, connection, signal: undefined, redact });
      });
    },
  };
}

interface WiredTools {
  readonly known: KnownTools;
  readonly book: ServerToolsBook;
  readonly finder: ToolFinder;
  readonly listWait: ListWait;
  readonly withheld: () => readonly WithheldTool[];
  readonly accept: KeptTools['accept'];
  readonly kept: Pick<KeptTools, 'flush' | 'writePins'>;
}

function wireTools(shared: HostShared): WiredTools {
  const { options, world, roster, supervisor, policy, addProblems } = shared;
  const { emit } = world.bus;
  const { naming, maxNameLength } = roster.current.settings.settings;
  const shown = createShownTools(world.redactor);
  const kept = createKeptTools({
    world,
    shown,
    pins: options.stores?.pins,
    ownPinning: options.pinning ?? 'warn',
    cache: options.stores?.cache,
    listBytes: () => roster.current.settings.settings.limits.listBytes,
    onOvertaken: (key) => void lookAgain(key),
  });
  const isFollowed = (): boolean => world.bus.isHeard('mcp.tools.changed');
  const book = createServerTools({ ...kept, emit, toast: toastOf(options), isFollowed });
  shared.onReplaced((old, next) => book.inherit(old, next));
  const names = createNameTable({ profile: options.naming ?? naming, maxLength: maxNameLength });
  const table = createToolTable(names, emit, shown);
  const known = new KnownTools({
    book,
    table,
    policy,
    tell: createToolsTeller({ emit, book, early: [...supervisor.connections.values()].filter(isSpeaking) }),
    connections: () => supervisor.connections.values(),
  });
  const lookAgain = async (key: string): Promise<void> => {
    const pinned = known.connections().filter(({ entry }) => pinKeyOf(entry.definition) === key);
    for (const connection of pinned) book.forget(connection);
    await known.refresh().catch((error: unknown) => world.debug(lookFailed(error)));
  };
  const withheld = (): readonly WithheldTool[] =>
    known.connections().flatMap((connection) => book.current(connection)?.withheld ?? []);
  addProblems(
    createServerProblems({
      bus: world.bus,
      connections: () => known.connections(),
      instructionsChanged: (connection) => book.current(connection)?.instructionsChanged ?? [],
      refused: (connection) => book.current(connection)?.refused ?? [],
      withheld: (connection) => book.current(connection)?.withheld ?? [],
    }),
  );
  const listWait = wireListWait(world, known, book);
  const finder = new ToolFinder({
    known,
    withheld,
    connectUnknown: () => listWait.until({ kind: 'tools', wait: undefined, ref: undefined }),
    missing: () => overdueServers(known, listWait),
    refused: () => known.connections().flatMap((connection) => book.current(connection)?.refused ?? []),
    refs: () => [...roster.current.servers, ...roster.current.shadowed].map(({ ref }) => ref),
    connectionOf: (ref) => supervisor.connections.get(ref) ?? supervisor.add(roster.find(ref)),
  });
  const accept: WiredTools['accept'] = async (connection, tool) => {
    const accepted = await kept.accept(connection, tool);
    book.forget(connection);
    await known.refresh();
    return accepted;
  };
  return { known, book, finder, listWait, withheld, accept, kept };
}

function toastOf({ interaction }: HostOptions): (text: string) => void {
  return (text) => interaction?.toast?.({ level: 'warning', text });
}

function wireListWait(world: World, known: KnownTools, book: ServerToolsBook): ListWait {
  return createListWait({
    ...world,
    emit: world.bus.emit,
    connections: () => known.connections(),
    // Only tools are cached between runs.
    isCached: async (kind, connection) => kind === 'tools' && (await book.look(connection)) !== undefined,
    hasEntries: (kind, connection) => hasEntries(kind, connection, book),
  });
}

function overdueServers(known: KnownTools, listWait: ListWait): readonly string[] {
  const overdue = known
    .connections()
    .filter((connection) => listWait.overdueText(connection, 'tools') !== undefined);
  return overdue.map(({ entry }) => entry.ref);
}

function hasEntries(kind: ListedKind, connection: Connection, book: ServerToolsBook): boolean {
  const { session } = connection;
  if (session !== undefined) return session.lists[kind].length > 0;
  return kind === 'tools' && isSpeaking(connection) && (book.latest(connection)?.tools.length ?? 0) > 0;
}

/** The reasons for all servers, or for one that the caller named. */
function listErrors(
  kind: ListedKind,
  server: string | undefined,
  { known, listWait }: WiredTools,
  connectionOf: (ref: string) => Connection,
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

function wireList(
  { parts, world, closing }: HostShared,
  { known, book, listWait, kept }: WiredTools,
  connectionOf: (ref: string) => Connection,
  requireOpen: () => void,
): HostCatalog['tools'] {
  const startLate = createLateStarts({
    clock: world.clock,
    closing,
    connections: () => known.connections(),
    isFirstHand: (connection) => book.latest(connection)?.source !== undefined,
  });
  return async ({ wait, server } = {}) => {
    requireOpen();
    const ref = server === undefined ? undefined : connectionOf(server).entry.ref;
    await listWait.until({ kind: 'tools', wait, ref });
    await known.refresh();
    // Write the pins before the caller sees the tools.
    if (wait !== 'cached') await kept.writePins();
    requireOpen();
    if (wait !== 'settled' && wait !== 'fresh' && parts.startsOnlyNeeded !== true) startLate(ref);
    const all = known.table.list();
    return ref === undefined ? all : all.filter((info) => info.server === ref);
  };
}

/**
 * Returns the sessions of all connected servers once the list has waited, or the session of one named server.
 */
function sessionsOf(
  { known, listWait }: WiredTools,
  connectionOf: (ref: string) => Connection,
): OffersParts['sessions'] {
  return async (kind, { server, wait }) => {
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
  };
}

function wireSubscriptions({ world }: HostShared): Subscribe {
  const { bus, clock, debug, redactor } = world;
  return createSubscriptions({
    clock,
    emit: (name, event) => bus.emit(name, redactor.redactValue(event)),
    debug,
    onConnected: (server, then) =>
      bus.on('mcp.status.changed', (event) => {
        if (event.server === server && event.status.status === 'connected') then();
      }),
  });
}

/** Compares what each server offers with what was accepted, even if no caller asks for it. */
function followServers(
  { world, supervisor, closing, onClose, onReloaded }: HostShared,
  { known, kept }: WiredTools,
): void {
  const { bus, newLists, debug } = world;
  const others = createListChanges(bus.emit, () => supervisor.connections);
  onReloaded(async () => {
    others.lookAtAll();
    await known.recheck({ isFollowed: bus.isHeard('mcp.tools.changed') });
  });
  const looking = new Set<Promise<void>>();
  const writeAfterLast = (): void => {
    if (looking.size > 0 || closing.aborted || known.connections().some(isStarting)) return;
    void kept.writePins();
  };
  const look = ({ server }: { readonly server: string }): void => {
    if (closing.aborted) return;
    const underway = known
      .refresh(supervisor.connections.get(server))
      .catch((error: unknown) => debug(lookFailed(error)))
      .finally(() => {
        looking.delete(underway);
        writeAfterLast();
      });
    looking.add(underway);
  };
  bus.on('mcp.status.changed', (event) => {
    // Any other status may change whether the tools that are known of the server count.
    if (event.status.status === 'connected' || bus.isHeard('mcp.tools.changed')) look(event);
    else if (!closing.aborted && event.status.status === 'failed') known.note();
  });
  bus.on('mcp.status.changed', ({ server }) => {
    if (!closing.aborted) others.look(server);
    writeAfterLast();
  });
  newLists.follow({ tools: look, others: ({ server }) => others.look(server) });
  onClose(async () => {
    await Promise.all(looking);
    await kept.flush();
  });
}

function isStarting(connection: Connection): boolean {
  const status = connection.status();
  return status.status === 'connecting' && status.retryAt === undefined;
}

function lookFailed(error: unknown): string {
  return `looking at the tools failed: ${String(error)}`;
}
