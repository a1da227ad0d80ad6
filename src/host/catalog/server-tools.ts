/**
 * What is known of each server's tools: from its own list while it is connected, else from what was kept of the last
 * time. A list counts only after it was compared with what was accepted before.
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

/** A tool whose definition may not have been looked at yet. */
export interface ListedTool {
  readonly name: string;
  readonly digest: string;
  /** Which of them it has, where that is known without a look at the tool. */
  readonly parts?: readonly ToolPart[];
  readonly tool: Tool;
}

export interface ServerTools {
  /** The list it was made from; undefined when it was kept from another time. */
  readonly source: readonly Tool[] | undefined;
  readonly tools: readonly ListedTool[];
  readonly withheld: readonly WithheldTool[];
  readonly refused: readonly RefusedTool[];
  /** Lines of a diff; empty while the instructions are what was accepted. */
  readonly instructionsChanged: readonly string[];
}

export interface Review extends FoundChanges {
  readonly offered: readonly Tool[];
}

/** What a server said of itself, to be compared with what was accepted. */
export interface Offer {
  readonly tools: readonly Tool[];
  readonly instructions?: string;
}

export interface ServerToolsParts {
  readonly review: (connection: Connection, offer: Offer) => Promise<Review>;
  /** Somebody else has accepted something since the last review. Never rejects. */
  readonly isStale: (connection: Connection) => Promise<boolean>;
  /** What was kept of an earlier time. */
  readonly load: (connection: Connection) => Promise<readonly ListedTool[] | undefined>;
  readonly save: (connection: Connection, tools: readonly ListedTool[], offer: Offer) => void;
  /** Whether anybody wants to know how a server's first list differs from what was kept. */
  readonly isFollowed: () => boolean;
  readonly emit: Emit;
  /** For the person: a tool is withheld. */
  readonly toast: (text: string) => void;
}

export interface ServerToolsBook {
  /** Without waiting: undefined when nothing is known, or what is known is no longer true. */
  current(connection: Connection): ServerTools | undefined;
  /** The same, also where the server has a new list that nobody has looked at. */
  latest(connection: Connection): ServerTools | undefined;
  /** What is known without connecting. Never connects. */
  look(connection: Connection): Promise<ServerTools | undefined>;
  /** Looks again at what a server offers, if what was accepted is not what it was then. Says whether it did. */
  recheck(connection: Connection): Promise<boolean>;
  /** Until a server that is started again has a list, that of the one before it counts, if what was accepted is the same. */
  inherit(old: Connection, next: Connection): void;
  /** What was kept of an earlier time when it was first looked at, and is held on to no longer. */
  takeKept(connection: Connection): ServerTools['tools'] | undefined;
  /** What was looked at is looked at again. */
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
    // Before it is written over.
    if (!known.has(connection) && parts.isFollowed()) await kept.load(connection);
    const offer = offerOf(session);
    const source = offer.tools;
    // Whoever waits for nothing but the server goes first, and may let it go meanwhile.
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
    // The list may have become another one meanwhile.
    return isTrue(connection, fresh) ? fresh : look(connection);
  };
  return {
    current,
    latest: (connection) => known.get(connection),
    look,
    recheck: async (connection) => {
      const found = current(connection);
      if (found?.source === undefined || !(await parts.isStale(connection))) return false;
      // Another look may have come first.
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

/** What is kept of another time was accepted then. */
const nothingOdd = { withheld: [], refused: [], instructionsChanged: [] } as const;

/** What was kept stays at hand until it has been compared with what came after it. */
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
