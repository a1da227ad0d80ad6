/** How tools are compared with what was accepted, and kept for the next start. */

import { createCatalogCacheFile, type CacheStore } from '../../catalog/catalog-cache.ts';
import { createPinFile } from '../../catalog/pin-file.ts';
import { createPinBook, HeldPins, pinKeyOf, type PinBook, type PinStore } from '../../catalog/pins.ts';
import type { WithheldTool } from '../../catalog/tool-info.ts';
import type { Connection } from '../../connection/connection.ts';
import type { PinMode, ServerDefinition } from '../../kernel/servers.ts';
import { contentKey } from '../../roster/same-server.ts';
import type { World } from '../world.ts';
import { offerOf, type ListedTool, type Review, type ServerToolsParts } from './server-tools.ts';
import { meantBy, type ShownTools } from './shown-tools.ts';

export interface KeptTools extends Pick<ServerToolsParts, 'review' | 'isStale' | 'load' | 'save'> {
  /** Takes what the server offers now as it is. */
  accept(connection: Connection, tool: string | undefined): Promise<readonly WithheldTool[]>;
  /** Writes what was pinned since the last time: the servers of a start wait for each other. Never rejects. */
  writePins(): Promise<void>;
  /** Settles when everything is written. Never rejects. */
  flush(): Promise<void>;
}

export interface KeepParts {
  readonly world: World;
  readonly shown: ShownTools;
  readonly pins: PinStore | undefined;
  /** For the program's own servers whose entries name no mode. */
  readonly ownPinning: PinMode;
  readonly cache: CacheStore | undefined;
  /** The most that one list may have. */
  readonly listBytes: () => number;
  /** Another process pinned something else of a server in the meantime. */
  readonly onOvertaken: (pinKey: string) => void;
}

/** Fewer are looked up one by one in less time than it takes to note that they need not be. */
const manyTools = 200;

/** The longest that pins of servers that are up wait for servers that are still being started. */
const longestWaitMs = 5000;

export function createKeptTools(parts: KeepParts): KeptTools {
  const { world, shown, pins, cache, listBytes } = parts;
  const { machine, files, wallNow, warn } = world;
  const pinnedAs = (definition: ServerDefinition): Pinning => pinningOf(definition, parts.ownPinning);
  const now = (): Date => new Date(wallNow());
  const store = pins ?? createPinFile(machine, { now, onWarning: warn });
  const { held, writePins } = holdPins(store, world, parts.onOvertaken);
  const book: PinBook = createPinBook({ store, held, now, redact: shown.name });
  const kept = cache ?? createCatalogCacheFile(machine, { files, wallNow, maxListBytes: listBytes });
  const reviewing = new Set<Promise<unknown>>();
  let saving: Promise<unknown> = Promise.resolve();
  return {
    review: async (connection, offer) => {
      const { ref, definition } = connection.entry;
      const subject = { server: ref, ...pinnedAs(definition) };
      const underway = book.review(subject, offer);
      reviewing.add(underway);
      const { problem, ...review } = await underway.finally(() => reviewing.delete(underway));
      if (problem !== undefined) warn(`${ref}: ${problem}`);
      return withShownNames(review, shown);
    },
    isStale: ({ entry }) => book.isStale(pinnedAs(entry.definition)),
    load: async ({ entry: { definition } }) => {
      const found = kept.load(contentKey(definition));
      if (found === undefined) return undefined;
      const pinned = await book.stillPinned(pinnedAs(definition), found.tools, found.pinned);
      // Of others nobody can tell without asking: they may be another name's, under which nothing was accepted yet.
      return pinned.length < found.tools.length ? undefined : pinned;
    },
    save: ({ entry: { definition } }, tools, { instructions }) => {
      const key = contentKey(definition);
      // A name is what tools are told apart by, so there is no other way to keep that one.
      if (tools.some(({ name }) => shown.name(name) !== name)) return;
      const write = async (): Promise<void> => {
        // The stamp is that of the file.
        if (tools.length >= manyTools) await held.written();
        const pinned = tools.length < manyTools ? undefined : await book.stampOf(pinnedAs(definition), tools);
        await kept.save(key, {
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
      const meant = tool === undefined ? undefined : meantBy(tool, names, shown.name);
      const key = pinKeyOf(connection.entry.definition);
      return named(await book.accept(key, offer, meant), shown);
    },
    writePins,
    flush: async () => {
      // What is being looked at now is kept afterwards.
      while (reviewing.size > 0) await Promise.allSettled(reviewing);
      await writePins();
      await saving;
    },
  };
}

/** Pins are written when that is asked for, or after a while. */
function holdPins(
  store: PinStore,
  { clock, warn }: World,
  onOvertaken: KeepParts['onOvertaken'],
): { readonly held: HeldPins; readonly writePins: () => Promise<void> } {
  let cancelWait: (() => void) | undefined;
  const writePins = async (): Promise<void> => {
    cancelWait?.();
    cancelWait = undefined;
    await held.flush();
  };
  const held = new HeldPins(store, {
    onWaiting: () => {
      cancelWait ??= clock.setTimer(longestWaitMs, () => void writePins(), { background: true });
    },
    onOvertaken,
    onFailed: (server, reason) => warn(`${server}: Pins cannot be kept: ${reason}`),
  });
  return { held, writePins };
}

/** Its hash stays that of what the server said. */
function withShownTool(listed: ListedTool, shown: ShownTools): ListedTool {
  const tool = shown.tool(listed.tool);
  return tool === listed.tool ? listed : { name: listed.name, digest: listed.digest, tool };
}

function withShownNames(review: Review, shown: ShownTools): Review {
  return {
    ...review,
    withheld: named(review.withheld, shown),
    refused: named(review.refused, shown),
    changed: named(review.changed, shown),
  };
}

function named<Tool extends { readonly tool: string }>(
  tools: readonly Tool[],
  shown: ShownTools,
): readonly Tool[] {
  return tools.map((one) => ({ ...one, tool: shown.name(one.tool) }));
}

interface Pinning {
  readonly key: string;
  readonly mode: PinMode;
}

/** The program's own servers change with the program, so a change of theirs is only reported unless it asks for more. */
function pinningOf(definition: ServerDefinition, ownPinning: PinMode): Pinning {
  const usual = definition.origin.scope === 'runtime' ? ownPinning : 'withhold';
  return { key: pinKeyOf(definition), mode: definition.pinning ?? usual };
}
