/** Creates the live catalog of one host: what its servers offer now. */

import type { CacheStore } from '../catalog/catalog-cache.ts';
import { pinKeyOf, type PinStore } from '../catalog/pins.ts';
import { createNameTable } from '../catalog/public-names.ts';
import type { WithheldTool } from '../catalog/tool-info.ts';
import type { Connection } from '../connection/connection.ts';
import type { Supervisor } from '../connection/supervisor.ts';
import type { EventBus } from '../kernel/events.ts';
import type { Machine } from '../kernel/machine.ts';
import type { Problem } from '../kernel/problems.ts';
import type { PinMode } from '../kernel/servers.ts';
import type { Redactor } from '../masking/redactor.ts';
import type { Clock } from '../platform/clock.ts';
import type { Files } from '../platform/files/files.ts';
import type { Roster } from '../roster/load-roster.ts';
import type { NamingProfile } from '../settings/settings.ts';
import type { CurrentPolicy } from './current-policy.ts';
import { createToolsChangedEvents, isUsable, KnownTools } from './known-tools.ts';
import { createListWait, type ListWait, type QuestionHolds } from './list-wait.ts';
import { createLists, hasEntries, type Lists } from './lists.ts';
import { createToolReviews, type ToolReviews } from './review-tools.ts';
import { followServers, type ServerChanges } from './server-changes.ts';
import { createServerProblems } from './server-problems.ts';
import { createServerTools, type ServerToolsStore } from './server-tools.ts';
import { createSubscriptions, type Subscribe } from './subscriptions.ts';
import { ToolFinder } from './tool-finder.ts';
import { createToolTable } from './tool-table.ts';
import { createToolRedactor } from './tool-views.ts';

export interface CatalogParts {
  readonly machine: Machine;
  readonly files: Files;
  readonly clock: Clock;
  readonly wallNow: () => number;
  readonly redactor: Redactor;
  readonly bus: EventBus;
  readonly startQuestions: QuestionHolds;
  readonly debug: (message: string) => void;
  readonly warn: (message: string) => void;
  readonly toast: (text: string) => void;
  readonly roster: { readonly current: Roster };
  readonly supervisor: Supervisor;
  readonly policy: CurrentPolicy;
  readonly closing: AbortSignal;
  /** Throws for an unknown or ambiguous name. */
  readonly connectionOf: (server: string) => Connection;
  /** Throws if the host is closed. */
  readonly requireOpen: () => void;
  readonly pins: PinStore | undefined;
  readonly cache: CacheStore | undefined;
  /** The pin mode for servers of the program whose definitions set none. */
  readonly ownPinning: PinMode;
  /** Overrides the setting. */
  readonly naming: NamingProfile | undefined;
  /** Starts only servers that a waiting caller needs. */
  readonly startsOnlyNeeded: boolean;
}

export interface Catalog extends ServerChanges {
  readonly known: KnownTools;
  readonly finder: ToolFinder;
  readonly subscribe: Subscribe;
  /** These methods of `Host`, which documents them. */
  readonly methods: Lists & {
    withheld(): readonly WithheldTool[];
    acceptPins(server: string, tool?: string): Promise<readonly WithheldTool[]>;
  };
  /** Problems in what servers offer. */
  problems(): readonly Problem[];
  /** Uses the tools of the old connection until its replacement has a list. */
  replaced(old: Connection, next: Connection): void;
}

export function createCatalog(parts: CatalogParts): Catalog {
  const tools = createTools(parts);
  const { known, serverTools, reviews, listWait } = tools;
  const { bus, requireOpen, connectionOf } = parts;
  const withheld = (): readonly WithheldTool[] =>
    known.connections().flatMap((connection) => serverTools.current(connection)?.withheld ?? []);
  const finder = new ToolFinder({
    known,
    withheld,
    connectUnknown: () => listWait.until({ kind: 'tools', wait: undefined, ref: undefined }),
    missing: () =>
      known.connections().flatMap((connection) => {
        const isOverdue = listWait.overdueText(connection, 'tools') !== undefined;
        return isOverdue ? [connection.entry.ref] : [];
      }),
    refused: () =>
      known.connections().flatMap((connection) => serverTools.current(connection)?.refused ?? []),
    roster: parts.roster,
    connectionOf,
  });
  const problems = createServerProblems({
    bus,
    connections: () => known.connections(),
    current: (connection) => serverTools.current(connection),
  });
  const accept = async (
    connection: Connection,
    tool: string | undefined,
  ): Promise<readonly WithheldTool[]> => {
    const accepted = await reviews.accept(connection, tool);
    serverTools.forget(connection);
    await known.refresh();
    return accepted;
  };
  let subscriptions: Subscribe | undefined;
  return {
    known,
    finder,
    subscribe: (connection, uri) => (subscriptions ??= subscriptionsOf(parts))(connection, uri),
    methods: {
      ...createLists({ ...parts, ...tools }),
      withheld,
      acceptPins: async (server, tool) => {
        requireOpen();
        return accept(connectionOf(server), tool);
      },
    },
    problems,
    replaced: (old, next) => serverTools.carryOver(old, next),
    ...followServers({ ...parts, known, reviews }),
  };
}

interface Tools {
  readonly known: KnownTools;
  readonly serverTools: ServerToolsStore;
  readonly listWait: ListWait;
  readonly reviews: ToolReviews;
}

function createTools(parts: CatalogParts): Tools {
  const { redactor, bus, roster, supervisor, policy, debug } = parts;
  const { emit } = bus;
  const { naming, maxNameLength } = roster.current.settings.settings;
  const shown = createToolRedactor(redactor);
  const reviews = createToolReviews({
    ...parts,
    shown,
    listBytes: () => roster.current.settings.settings.limits.listBytes,
    onSuperseded: (key) => void reviewAgain(key),
  });
  const isFollowed = (): boolean => bus.isHeard('mcp.tools.changed');
  const serverTools = createServerTools({ ...reviews, emit, toast: parts.toast, isFollowed });
  const names = createNameTable({ profile: parts.naming ?? naming, maxLength: maxNameLength });
  const known = new KnownTools({
    serverTools,
    table: createToolTable(names, emit, shown),
    policy,
    emitChanges: createToolsChangedEvents({
      emit,
      serverTools,
      early: [...supervisor.connections.values()].filter(isUsable),
    }),
    supervisor,
  });
  const reviewAgain = async (key: string): Promise<void> => {
    const pinned = known.connections().filter(({ entry }) => pinKeyOf(entry.definition) === key);
    for (const connection of pinned) serverTools.forget(connection);
    await known.refresh().catch((error: unknown) => debug(`reviewing tools again failed: ${String(error)}`));
  };
  const listWait = createListWait({
    ...parts,
    emit,
    connections: () => known.connections(),
    // Only tools are cached between runs.
    isCached: async (kind, connection) =>
      kind === 'tools' && (await serverTools.refresh(connection)) !== undefined,
    hasEntries: (kind, connection) => hasEntries(kind, connection, serverTools),
  });
  return { known, serverTools, listWait, reviews };
}

function subscriptionsOf({ bus, clock, debug, redactor }: CatalogParts): Subscribe {
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
