/** Compares tools with what was accepted, and caches them for the next start. */

import { type CacheStore, createCatalogCacheFile } from '../catalog/catalog-cache.ts';
import { createPinFile } from '../catalog/pin-file.ts';
import {
  createPinReviewer,
  PendingPins,
  type PinReviewer,
  pinKeyOf,
  type PinStore,
} from '../catalog/pins.ts';
import type { WithheldTool } from '../catalog/tool-info.ts';
import type { Connection } from '../connection/connection.ts';
import type { Machine } from '../kernel/machine.ts';
import type { PinMode, ServerDefinition } from '../kernel/servers.ts';
import type { Clock } from '../platform/clock.ts';
import type { Files } from '../platform/files/files.ts';
import { contentKey } from '../roster/same-server.ts';
import { type ListedTool, offerOf, type Review, type ServerToolsParts } from './server-tools.ts';
import { originalName, type ToolRedactor } from './tool-views.ts';

export interface ToolReviews extends Pick<ServerToolsParts, 'review' | 'isStale' | 'load' | 'save'> {
  /** Accepts one tool as the server offers it now, or all of them and the instructions. */
  accept(connection: Connection, tool: string | undefined): Promise<readonly WithheldTool[]>;
  /**
   * Writes the pins added since the last call, so that servers that start together share one write. Never
   * rejects.
   */
  writePins(): Promise<void>;
  /** Resolves when everything is written. Never rejects. */
  flush(): Promise<void>;
}

export interface ToolReviewsParts {
  readonly machine: Machine;
  readonly files: Files;
  readonly clock: Clock;
  readonly wallNow: () => number;
  readonly warn: (message: string) => void;
  readonly shown: ToolRedactor;
  readonly pins: PinStore | undefined;
  /** The mode for servers of the program whose definitions set none. */
  readonly ownPinning: PinMode;
  readonly cache: CacheStore | undefined;
  /** The maximum size of one list in bytes. */
  readonly listBytes: () => number;
  /** Called when another process has pinned something else for a server. */
  readonly onSuperseded: (pinKey: string) => void;
}

/** Below this number, checking each pin is faster than reading and writing a stamp for all of them. */
const manyTools = 200;

/** How long new pins wait for servers that are still starting, in milliseconds. */
const longestWaitMs = 5000;

export function createToolReviews(parts: ToolReviewsParts): ToolReviews {
  const { machine, files, wallNow, warn, shown, pins, cache, listBytes } = parts;
  const pinnedAs = (definition: ServerDefinition): Pinning => pinningOf(definition, parts.ownPinning);
  const now = (): Date => new Date(wallNow());
  const store = pins ?? createPinFile(machine, { now, onWarning: warn });
  const { held, writePins } = holdPins(store, parts);
  const reviewer: PinReviewer = createPinReviewer({ store, pending: held, now, redact: shown.name });
  const stored = cache ?? createCatalogCacheFile(machine, { files, wallNow, maxListBytes: listBytes });
  const reviewing = new Set<Promise<unknown>>();
  let saving: Promise<unknown> = Promise.resolve();
  return {
    review: async (connection, offer) => {
      const { ref, definition } = connection.entry;
      const subject = { server: ref, ...pinnedAs(definition) };
      const underway = reviewer.review(subject, offer);
      reviewing.add(underway);
      const { problem, ...review } = await underway.finally(() => reviewing.delete(underway));
      if (problem !== undefined) warn(`${ref}: ${problem}`);
      return withShownNames(review, shown);
    },
    isStale: ({ entry }) => reviewer.isStale(pinnedAs(entry.definition)),
    load: async ({ entry: { definition } }) => {
      const found = stored.load(contentKey(definition));
      if (found === undefined) return undefined;
      const pinned = await reviewer.stillPinned(pinnedAs(definition), found.tools, found.pinned);
      // Ignore the cache unless every tool is pinned. The tools may have been cached under another name, for
      // which nothing was accepted yet.
      return pinned.length < found.tools.length ? undefined : pinned;
    },
    save: ({ entry: { definition } }, tools, { instructions }) => {
      const key = contentKey(definition);
      // Tools are identified by name, so a name that contains a secret cannot be cached.
      if (tools.some(({ name }) => shown.name(name) !== name)) return;
      const write = async (): Promise<void> => {
        // The stamp is that of the written file.
        if (tools.length >= manyTools) await held.written();
        const pinned =
          tools.length < manyTools ? undefined : await reviewer.stampOf(pinnedAs(definition), tools);
        await stored.save(key, {
          tools: tools.map((listed) => withShownTool(listed, shown)),
          ...(instructions === undefined ? {} : { instructions: shown.name(instructions) }),
          ...(pinned === undefined ? {} : { pinned }),
        });
      };
      saving = saving.then(write).catch(() => undefined);
    },
    accept: async (connection, tool) => {
      const offer = offerOf(await connection.ready());
      const names = offer.tools.map(({ name }) => name);
      const meant = tool === undefined ? undefined : originalName(tool, names, shown.name);
      const key = pinKeyOf(connection.entry.definition);
      return named(await reviewer.accept(key, offer, meant), shown);
    },
    writePins,
    flush: async () => {
      // Reviews that are still running may add pins, so wait for them.
      while (reviewing.size > 0) await Promise.allSettled(reviewing);
      await writePins();
      await saving;
    },
  };
}

/** Holds new pins until `writePins` is called or the wait is over. */
function holdPins(
  store: PinStore,
  { clock, warn, onSuperseded }: ToolReviewsParts,
): { readonly held: PendingPins; readonly writePins: () => Promise<void> } {
  let cancelWait: (() => void) | undefined;
  const writePins = async (): Promise<void> => {
    cancelWait?.();
    cancelWait = undefined;
    await held.flush();
  };
  const held = new PendingPins(store, {
    onPending: () => {
      cancelWait ??= clock.setTimer(longestWaitMs, () => void writePins(), { background: true });
    },
    onSuperseded,
    onFailed: (server, reason) => warn(`${server}: Pins cannot be kept: ${reason}`),
  });
  return { held, writePins };
}

/** Redacts the tool. The digest stays that of the original. */
function withShownTool(listed: ListedTool, shown: ToolRedactor): ListedTool {
  const tool = shown.tool(listed.tool);
  return tool === listed.tool ? listed : { name: listed.name, digest: listed.digest, tool };
}

function withShownNames(review: Review, shown: ToolRedactor): Review {
  return {
    ...review,
    withheld: named(review.withheld, shown),
    refused: named(review.refused, shown),
    changed: named(review.changed, shown),
  };
}

function named<Tool extends { readonly tool: string }>(
  tools: readonly Tool[],
  shown: ToolRedactor,
): readonly Tool[] {
  return tools.map((one) => ({ ...one, tool: shown.name(one.tool) }));
}

interface Pinning {
  readonly key: string;
  readonly mode: PinMode;
}

/**
 * The pin mode of a server. Servers of the program change with it, so by default their changes are only
 * reported.
 */
function pinningOf(definition: ServerDefinition, ownPinning: PinMode): Pinning {
  const usual = definition.origin.scope === 'runtime' ? ownPinning : 'withhold';
  return { key: pinKeyOf(definition), mode: definition.pinning ?? usual };
}
