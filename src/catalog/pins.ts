/**
 * Pins record what each tool was when it was first seen or last accepted by a person. A tool that has changed
 * since then is detected here, before a client is offered it.
 */

import { sha256 } from '../kernel/hash.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import {
  type PinnedSubject,
  type PinReview,
  reviewWithoutPins,
  reviewOffer,
  reviewUnpinned,
} from './pinning/review.ts';
import { acceptOffer } from './pinning/accept.ts';
import { digestOf, type Offer, prepare, type Redact, unknownDigest } from './pinning/definition.ts';
import type { PendingPins, PinStore } from './pinning/pin-store.ts';
import { isLineOf, isSameRecord, type PinnedServer } from './pinning/pin-records.ts';
import type { WithheldTool } from './tool-info.ts';

export { toolDigest } from './pinning/definition.ts';
export type {
  Pin,
  PinChange,
  PinnedServer,
  Pins,
  PinTexts,
  StoredPins as PinsFound,
} from './pinning/pin-records.ts';
export { createPinMemory, PendingPins, type PinStore } from './pinning/pin-store.ts';

export interface PinnedRow {
  readonly key: string;
  readonly server: string;
  readonly tools: readonly {
    readonly tool: string;
    readonly digest: string;
    readonly first: string;
    readonly seen: string;
  }[];
}

export interface CachedDefinition {
  readonly name: string;
  readonly digest: string;
}

export interface PinReviewer {
  /** Never rejects. When pins cannot be read, the tools that they protect are not offered. */
  review(subject: PinnedSubject, offered: Offer): Promise<PinReview>;
  /**
   * Whether the last review is out of date: the pins it used have changed, or the mode has. Never rejects.
   */
  isStale(subject: Pick<PinnedSubject, 'key' | 'mode'>): Promise<boolean>;
  /**
   * Pins what is offered now: one tool, or all tools and the instructions. Returns what was not accepted
   * before.
   */
  accept(key: string, offered: Offer, tool?: string): Promise<readonly WithheldTool[]>;
  /**
   * Returns the cached tools that are exactly as accepted; all of them when the mode is `warn` or `off`. A
   * `stamp` that is still current confirms all tools without a lookup for each.
   */
  stillPinned<Cached extends CachedDefinition>(
    subject: Pick<PinnedSubject, 'key' | 'mode'>,
    tools: readonly Cached[],
    stamp?: string,
  ): Promise<readonly Cached[]>;
  /**
   * Returns a stamp for a later `stillPinned` with the same tools, or undefined unless all of them are as
   * accepted.
   */
  stampOf(
    subject: Pick<PinnedSubject, 'key' | 'mode'>,
    tools: readonly CachedDefinition[],
  ): Promise<string | undefined>;
  /**
   * Compares instructions as they are shown, without secrets. False when none were accepted or pins cannot be
   * read.
   */
  hasOtherInstructions(key: string, instructions: string): Promise<boolean>;
  list(): Promise<readonly PinnedRow[]>;
}

/**
 * A server is identified by where it is defined and by its name there, so a new URL, version or token under
 * the same name must offer the same tools. Servers that a program passes in have no file; they are identified
 * by their command or URL.
 */
export function pinKeyOf({ name, launch, origin }: ServerDefinition): string {
  const reached = launch.kind === 'stdio' ? [launch.command, ...launch.args] : [launch.url];
  const place = origin.scope === 'runtime' ? reached : [origin.file];
  const identity = JSON.stringify([origin.scope, name, ...place]);
  return sha256(identity).slice(0, 32);
}

/** What a server's tools were compared with in the last review. */
interface LastReview {
  readonly mode: PinnedSubject['mode'];
  /** `nothing` when pins could not be read or the mode is `off`. */
  readonly by: 'nothing' | { readonly record: PinnedServer | undefined };
}

export interface PinReviewerParts {
  readonly store: PinStore;
  /** Holds new pins that reviews find, to write them later. Without it, reviews write to `store` directly. */
  readonly pending?: PendingPins;
  readonly now: () => Date;
  /** Applied to what is stored and shown. Hashes are computed from what servers sent. */
  readonly redact?: Redact;
}

export function createPinReviewer(parts: PinReviewerParts): PinReviewer {
  const { store, pending, now, redact = (text) => text } = parts;
  const labels = new Map<string, string>();
  const lastReviews = new Map<string, LastReview>();
  const today = (): string => now().toISOString().slice(0, 10);
  return {
    review: async (subject, offered) => {
      labels.set(subject.key, subject.server);
      const offer = prepare(offered, redact);
      lastReviews.set(subject.key, { mode: subject.mode, by: 'nothing' });
      if (subject.mode === 'off') return reviewUnpinned(subject, offer);
      try {
        const target = pending ?? store;
        const pins = await target.load();
        lastReviews.set(subject.key, { mode: subject.mode, by: { record: pins.servers.get(subject.key) } });
        return await reviewOffer(target, subject, offer, { pins, today: today() });
      } catch (error) {
        return reviewWithoutPins(subject, offer, error);
      }
    },
    isStale: async ({ key, mode }) => {
      const last = lastReviews.get(key);
      if (last?.mode !== mode) return true;
      if (mode === 'off') return false;
      const pins = await store.load().catch(() => undefined);
      if (pins === undefined) return false;
      return last.by === 'nothing' || !isSameRecord(last.by.record, pins.servers.get(key));
    },
    accept: async (key, offered, only) => {
      await pending?.flush();
      const acceptance = { key, label: labels.get(key), only, today: today() };
      return acceptOffer(store, prepare(offered, redact), acceptance);
    },
    stillPinned: async ({ key, mode }, tools, stamp) => {
      if (mode === 'off' || mode === 'warn') return tools;
      if (stamp !== undefined && stamp === (await store.stampOf?.(key))) return tools;
      const pins = await store.load().catch(() => undefined);
      return pinnedBy(pins?.servers.get(key), tools);
    },
    stampOf: async ({ key, mode }, tools) => {
      if (mode === 'off' || mode === 'warn') return undefined;
      const stamp = await store.stampOf?.(key);
      const pins = await store.load().catch(() => undefined);
      if (pinnedBy(pins?.servers.get(key), tools).length < tools.length) return undefined;
      // If another process wrote in between, the stamp does not belong to the pins that were compared.
      return (await store.stampOf?.(key)) === stamp ? stamp : undefined;
    },
    hasOtherInstructions: (key, instructions) => hasOtherText(store, key, instructions),
    list: async () => {
      await pending?.flush();
      return [...(await store.load()).servers].map(([key, server]) => rowOf(key, server));
    },
  };
}

function rowOf(key: string, { server, tools }: PinnedServer): PinnedRow {
  const rows = [...tools].map(([tool, { digest, first, seen }]) => ({ tool, digest, first, seen }));
  return { key, server, tools: rows };
}

async function hasOtherText(store: PinStore, key: string, instructions: string): Promise<boolean> {
  const pins = await store.load().catch(() => undefined);
  const accepted = pins?.servers.get(key)?.instructions;
  if (accepted === undefined || accepted.digest === digestOf(instructions)) return false;
  const texts = await store.loadTexts(key).catch(() => undefined);
  return texts?.instructions !== instructions;
}

function pinnedBy<Cached extends CachedDefinition>(
  record: PinnedServer | undefined,
  tools: readonly Cached[],
): readonly Cached[] {
  const lines = record?.lines ?? [];
  const isPinned = ({ name, digest }: Cached, at: number): boolean =>
    digest !== unknownDigest && isLineOf(lines[at], name, digest);
  // Fast path: usually nothing has changed, not even the order.
  if (tools.every(isPinned)) return tools;
  const pinned = record?.tools;
  return tools.filter(({ name, digest }) => digest !== unknownDigest && pinned?.get(name)?.digest === digest);
}
