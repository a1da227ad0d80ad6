/**
 * Stores the known tools of each server: from its own list while it is connected, else from the cache. A list
 * counts only after it was compared with what was accepted.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Tool } from '../../kernel/protocol-types.ts';
import type { ToolPart } from '../../catalog/catalog-cache.ts';
import { pinKeyOf, toolDigest } from '../../catalog/pins.ts';
import type { RefusedTool, WithheldTool } from '../../catalog/tool-info.ts';
import type { Connection } from '../../connection/connection.ts';
import type { Session } from '../../connection/session.ts';
import type { Emit } from '../../kernel/events.ts';
import { createTeller, type FoundChanges } from './tell-changes.ts';

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

export interface ServerToolsBook {
  /** Returns what is known without waiting. Undefined if nothing is known or it is out of date. */
  current(connection: Connection): ServerTools | undefined;
  /** Returns what is known, even if the server has a newer list that was not reviewed yet. */
  latest(connection: Connection): ServerTools | undefined;
  /** Returns what is known, and reviews or loads it first if necessary. Never connects. */
  look(connection: Connection): Promise<ServerTools | undefined>;
  /** Reviews the tools again if what was accepted has changed since. Returns whether it did. */
  recheck(connection: Connection): Promise<boolean>;
  /** Uses the tools of the old connection until its replacement has a list, if both have the same pin key. */
  inherit(old: Connection, next: Connection): void;
  /** Returns the tools that were cached before the first review, and then forgets them. */
  takeKept(connection: Connection): ServerTools['tools'] | undefined;
  /** Makes the next `look` review the server again. */
  forget(connection: Connection): void;
}

export function createServerTools(parts: ServerToolsParts): ServerToolsBook {
  const known = new WeakMap<Connection, ServerTools>();
  const looking = new WeakMap<Connection, Promise<ServerTools | undefined>>();
  const kept = holdOn(parts.load);
  const tell = createTeller(parts.emit, parts.toast);

  const isTrue = (connection: Connection, found: ServerTools): boolean => {
    const { session } = connection;
    return session === undefined || found.source === session.lists.tools;
  };
  const current = (connection: Connection): ServerTools | undefined => {
    const found = known.get(connection);
    return found !== undefined && isTrue(connection, found) ? found : undefined;
  };
  const lookOnce = async (connection: Connection): Promise<ServerTools | undefined> => {
    const { session } = connection;
    if (session === undefined) {
      const tools = await kept.load(connection);
      return tools === undefined ? undefined : { source: undefined, tools, ...nothingOdd };
    }
    // Load the cached tools before this review overwrites them.
    if (!known.has(connection) && parts.isFollowed()) await kept.load(connection);
    const offer = offerOf(session);
    const source = offer.tools;
    // Callers that wait only for the connection go first. They may also close it in the meantime.
    await nextTurn();
    const review = await parts.review(connection, offer);
    const { offered, withheld, refused, instructionsChanged } = review;
    tell(connection, review);
    const tools = offered.map((tool) => ({ name: tool.name, digest: toolDigest(tool), tool }));
    parts.save(connection, tools, offer);
    return { source, tools, withheld, refused, instructionsChanged };
  };
  const look = async (connection: Connection): Promise<ServerTools | undefined> =>
    current(connection) ?? lookAgain(connection);
  const lookAgain = async (connection: Connection): Promise<ServerTools | undefined> => {
    const underway = looking.get(connection) ?? lookOnce(connection);
    looking.set(connection, underway);
    const fresh = await underway.finally(() => looking.delete(connection));
    if (fresh === undefined) return undefined;
    known.set(connection, fresh);
    // The server may have sent a new list in the meantime.
    return isTrue(connection, fresh) ? fresh : look(connection);
  };
  return {
    current,
    latest: (connection) => known.get(connection),
    look,
    recheck: async (connection) => {
      const found = current(connection);
      if (found?.source === undefined || !(await parts.isStale(connection))) return false;
      // Another review may have finished first.
      if (current(connection) === found) await lookAgain(connection);
      return true;
    },
    inherit: (old, next) => {
      const before = known.get(old);
      if (before === undefined || pinKeyOf(old.entry.definition) !== pinKeyOf(next.entry.definition)) return;
      known.set(next, { ...before, source: undefined });
    },
    takeKept: kept.take,
    forget: (connection) => known.delete(connection),
  };
}

export function offerOf({ lists, instructions }: Pick<Session, 'lists' | 'instructions'>): Offer {
  return { tools: lists.tools, ...(instructions === undefined ? {} : { instructions }) };
}

/** Cached tools were accepted when they were stored. */
const nothingOdd = { withheld: [], refused: [], instructionsChanged: [] } as const;

/** Keeps loaded tools in memory until they were compared with the server's first list. */
function holdOn(load: ServerToolsParts['load']): {
  readonly load: ServerToolsParts['load'];
  readonly take: ServerToolsBook['takeKept'];
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
