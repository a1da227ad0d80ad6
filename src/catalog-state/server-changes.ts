/**
 * Follows what servers offer. A connection reports each new list; an event is emitted only after the list was
 * compared with the previous one, and tools with what was accepted.
 */

import { isDeepStrictEqual } from 'node:util';

import type { ListKind } from '../connection/channel.ts';
import type { Connection } from '../connection/connection.ts';
import type { Session } from '../connection/session.ts';
import type { Supervisor } from '../connection/supervisor.ts';
import type { Emit, EventBus } from '../kernel/events.ts';
import { isUsable, type KnownTools } from './known-tools.ts';
import type { ToolReviews } from './review-tools.ts';

export interface ServerChangesParts {
  readonly bus: EventBus;
  readonly debug: (message: string) => void;
  readonly supervisor: Pick<Supervisor, 'connections'>;
  readonly closing: AbortSignal;
  readonly known: KnownTools;
  readonly reviews: Pick<ToolReviews, 'writePins' | 'flush'>;
}

export interface ServerChanges {
  /** Compares the new list of a server with the previous one. */
  onListChanged(server: string, kind: ListKind): void;
  /** Compares what servers offer with what was reported before, once connections match a reload. */
  reloaded(): Promise<void>;
  /** Resolves when everything is written. Never rejects. */
  close(): Promise<void>;
}

export function followServers(parts: ServerChangesParts): ServerChanges {
  const { bus, debug, supervisor, closing, known, reviews } = parts;
  const others = createListChanges(bus.emit, () => supervisor.connections);
  const running = new Set<Promise<void>>();
  const writeAfterLast = (): void => {
    if (running.size > 0 || closing.aborted || known.connections().some(isStarting)) return;
    void reviews.writePins();
  };
  const refresh = (server: string): void => {
    if (closing.aborted) return;
    const underway = known
      .refresh(supervisor.connections.get(server))
      .catch((error: unknown) => debug(`reviewing the tools of ${server} failed: ${String(error)}`))
      .finally(() => {
        running.delete(underway);
        writeAfterLast();
      });
    running.add(underway);
  };
  bus.on('mcp.status.changed', ({ server, status: { status } }) => {
    // Any other status may change whether the tools that are known of the server count.
    if (status === 'connected' || bus.isHeard('mcp.tools.changed')) refresh(server);
    else if (!closing.aborted && status === 'failed') known.updateTable();
    if (!closing.aborted) others.compare(server);
    writeAfterLast();
  });
  return {
    onListChanged: (server, kind) => {
      if (kind === 'tools') refresh(server);
      else others.compare(server);
    },
    reloaded: async () => {
      others.compareAll();
      await known.recheck({ isFollowed: bus.isHeard('mcp.tools.changed') });
    },
    close: async () => {
      await Promise.all(running);
      await reviews.flush();
    },
  };
}

function isStarting(connection: Connection): boolean {
  const status = connection.status();
  return status.status === 'connecting' && status.retryAt === undefined;
}

const kinds = ['resources', 'prompts'] as const;
type Lists = Session['lists'];

interface ListChanges {
  /** Compares what this server offers now. */
  compare(ref: string): void;
  /** Does the same for all servers, including removed ones. */
  compareAll(): void;
}

/** Emits an event when the resources or prompts of a server differ from those emitted before. */
function createListChanges(emit: Emit, connections: () => ReadonlyMap<string, Connection>): ListChanges {
  const emitted = {
    resources: new Map<string, unknown>(),
    prompts: new Map<string, unknown>(),
  };
  const compare = (ref: string): void => {
    const connection = connections().get(ref);
    const lists = connection?.session?.lists;
    // Until a restarted server has lists again, its previous ones count.
    if (connection !== undefined && lists === undefined && isUsable(connection)) return;
    for (const kind of kinds) {
      const fresh = listOf(lists, kind);
      if (isDeepStrictEqual(emitted[kind].get(ref) ?? noEntries, fresh)) continue;
      emitted[kind].set(ref, fresh);
      emit(`mcp.${kind}.changed`, { server: ref });
    }
  };
  return {
    compare,
    compareAll: () => {
      for (const ref of new Set([
        ...emitted.resources.keys(),
        ...emitted.prompts.keys(),
        ...connections().keys(),
      ]))
        compare(ref);
    },
  };
}

const noEntries: readonly unknown[] = [];

function listOf(lists: Lists | undefined, kind: (typeof kinds)[number]): readonly unknown[] {
  if (lists === undefined) return noEntries;
  if (kind === 'prompts') return lists.prompts;
  return [...lists.resources, ...lists.resourceTemplates];
}
