/**
 * Stores the known tools of each server: from its own list while it is connected, else from the cache. A list
 * counts only after it was compared with what was accepted.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

import type { ToolPart } from '../catalog/cached-catalog.ts';
import { pinKeyOf, toolDigest } from '../catalog/pins.ts';
import type { RefusedTool, WithheldTool } from '../catalog/tool-info.ts';
import type { Connection } from '../connection/connection.ts';
import type { Session } from '../connection/session.ts';
import type { Emit } from '../kernel/events.ts';
import type { Tool } from '../kernel/protocol-types.ts';
import { instructionsText, refusalText, withheldToast } from './server-problems.ts';

/** A tool whose definition may not have been parsed yet. */
export interface ListedTool {
  readonly name: string;
  readonly digest: string;
  /** The properties that it has, if known without parsing it. */
  readonly parts?: readonly ToolPart[];
  readonly tool: Tool;
}

export interface ServerTools {
  /** The list that the tools come from. Undefined if they come from the cache. */
  readonly source: readonly Tool[] | undefined;
  readonly tools: readonly ListedTool[];
  readonly withheld: readonly WithheldTool[];
  readonly refused: readonly RefusedTool[];
  /** Diff lines. Empty while the instructions are the accepted ones. */
  readonly instructionsChanged: readonly string[];
}

export interface Review extends FoundChanges {
  readonly offered: readonly Tool[];
}

/** The tools and instructions of a server, to be compared with what was accepted. */
export interface Offer {
  readonly tools: readonly Tool[];
  readonly instructions?: string;
}

export interface ServerToolsParts {
  readonly review: (connection: Connection, offer: Offer) => Promise<Review>;
  /** Whether another process has accepted something since the last review. Never rejects. */
  readonly isStale: (connection: Connection) => Promise<boolean>;
  /** Loads the cached tools. */
  readonly load: (connection: Connection) => Promise<readonly ListedTool[] | undefined>;
  readonly save: (connection: Connection, tools: readonly ListedTool[], offer: Offer) => void;
  /** Whether a listener needs the difference between the cached tools and a server's first list. */
  readonly isFollowed: () => boolean;
  readonly emit: Emit;
  /** Notifies the user that a tool is withheld. */
  readonly toast: (text: string) => void;
}

export interface ServerToolsStore {
  /** Returns what is known without waiting. Undefined if nothing is known or it is out of date. */
  current(connection: Connection): ServerTools | undefined;
  /** Returns what is known, even if the server has a newer list that was not reviewed yet. */
  latest(connection: Connection): ServerTools | undefined;
  /** Returns what is known, and reviews or loads it first if necessary. Never connects. */
  refresh(connection: Connection): Promise<ServerTools | undefined>;
  /** Reviews the tools again if what was accepted has changed since. Returns whether it did. */
  recheck(connection: Connection): Promise<boolean>;
  /** Uses the tools of the old connection until its replacement has a list, if both have the same pin key. */
  carryOver(old: Connection, next: Connection): void;
  /** Returns the tools that were cached before the first review, and then forgets them. */
  takeCached(connection: Connection): ServerTools['tools'] | undefined;
  /** Makes the next `refresh` review the server again. */
  forget(connection: Connection): void;
}

export function createServerTools(parts: ServerToolsParts): ServerToolsStore {
  const known = new WeakMap<Connection, ServerTools>();
  const loading = new WeakMap<Connection, Promise<ServerTools | undefined>>();
  const cached = holdUntilReview(parts.load);
  const warn = createChangeWarnings(parts.emit, parts.toast);

  const isCurrent = (connection: Connection, found: ServerTools): boolean => {
    const { session } = connection;
    return session === undefined || found.source === session.lists.tools;
  };
  const current = (connection: Connection): ServerTools | undefined => {
    const found = known.get(connection);
    return found !== undefined && isCurrent(connection, found) ? found : undefined;
  };
  const loadOnce = async (connection: Connection): Promise<ServerTools | undefined> => {
    const { session } = connection;
    if (session === undefined) {
      const tools = await cached.load(connection);
      return tools === undefined ? undefined : { source: undefined, tools, ...noChanges };
    }
    // Load the cached tools before this review overwrites them.
    if (!known.has(connection) && parts.isFollowed()) await cached.load(connection);
    const offer = offerOf(session);
    const source = offer.tools;
    // Callers that wait only for the connection go first. They may also close it in the meantime.
    await nextTurn();
    const review = await parts.review(connection, offer);
    const { offered, withheld, refused, instructionsChanged } = review;
    warn(connection, review);
    const tools = offered.map((tool) => ({ name: tool.name, digest: toolDigest(tool), tool }));
    parts.save(connection, tools, offer);
    return { source, tools, withheld, refused, instructionsChanged };
  };
  const refresh = async (connection: Connection): Promise<ServerTools | undefined> =>
    current(connection) ?? loadAgain(connection);
  const loadAgain = async (connection: Connection): Promise<ServerTools | undefined> => {
    const underway = loading.get(connection) ?? loadOnce(connection);
    loading.set(connection, underway);
    const fresh = await underway.finally(() => loading.delete(connection));
    if (fresh === undefined) return undefined;
    known.set(connection, fresh);
    // The server may have sent a new list in the meantime.
    return isCurrent(connection, fresh) ? fresh : refresh(connection);
  };
  return {
    current,
    latest: (connection) => known.get(connection),
    refresh,
    recheck: async (connection) => {
      const found = current(connection);
      if (found?.source === undefined || !(await parts.isStale(connection))) return false;
      // Another review may have finished first.
      if (current(connection) === found) await loadAgain(connection);
      return true;
    },
    carryOver: (old, next) => {
      const before = known.get(old);
      if (before === undefined || pinKeyOf(old.entry.definition) !== pinKeyOf(next.entry.definition)) return;
      known.set(next, { ...before, source: undefined });
    },
    takeCached: cached.take,
    forget: (connection) => known.delete(connection),
  };
}

export function offerOf({ lists, instructions }: Pick<Session, 'lists' | 'instructions'>): Offer {
  return { tools: lists.tools, ...(instructions === undefined ? {} : { instructions }) };
}

/** Cached tools were accepted when they were stored. */
const noChanges = { withheld: [], refused: [], instructionsChanged: [] } as const;

/** Keeps loaded tools in memory until they were compared with the server's first list. */
function holdUntilReview(load: ServerToolsParts['load']): {
  readonly load: ServerToolsParts['load'];
  readonly take: ServerToolsStore['takeCached'];
} {
  const held = new WeakMap<Connection, ServerTools['tools']>();
  return {
    load: async (connection) => {
      const tools = await load(connection);
      if (tools !== undefined) held.set(connection, tools);
      return tools;
    },
    take: (connection) => {
      const tools = held.get(connection);
      held.delete(connection);
      return tools;
    },
  };
}

export interface FoundChanges {
  readonly withheld: readonly WithheldTool[];
  readonly refused: readonly RefusedTool[];
  /** All changed tools, including those that are only reported and not withheld. */
  readonly changed: readonly WithheldTool[];
  /** Diff lines. Empty while the instructions are the accepted ones. */
  readonly instructionsChanged: readonly string[];
}

/** Limits the warnings, because the server chooses how many tools it lists. */
const maxWarnings = 20;

export function createChangeWarnings(
  emit: Emit,
  toast: (text: string) => void,
): (connection: Connection, found: FoundChanges) => void {
  const reported = new WeakMap<Connection, Omit<FoundChanges, 'withheld'>>();
  return (connection, { withheld, refused, changed, instructionsChanged }) => {
    const before = reported.get(connection);
    reported.set(connection, { refused, changed, instructionsChanged });
    const { ref } = connection.entry;
    if (refused.length > 0 && !isDeepStrictEqual(before?.refused, refused)) {
      for (const tool of refused.slice(0, maxWarnings))
        emit('mcp.warning', { server: ref, code: 'schema-too-deep', message: refusalText(tool) });
    }
    if (changed.length > 0 && !isDeepStrictEqual(before?.changed, changed)) {
      emitMutated({ changed, withheld }, emit);
      const text = withheldToast(ref, withheld);
      if (text !== undefined) toast(text);
    }
    if (instructionsChanged.length === 0) return;
    if (isDeepStrictEqual(before?.instructionsChanged, instructionsChanged)) return;
    const message = instructionsText(ref, instructionsChanged);
    emit('mcp.warning', { server: ref, code: 'instructions-changed', message });
  };
}

function emitMutated({ changed, withheld }: Pick<FoundChanges, 'changed' | 'withheld'>, emit: Emit): void {
  const held = new Set(withheld.map(({ tool }) => tool));
  for (const { server, tool, changes } of changed)
    emit('mcp.tool.mutated', { server, tool, withheld: held.has(tool), changes });
}
