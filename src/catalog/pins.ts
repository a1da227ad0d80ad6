/**
 * Pins: what each tool was when it was first seen, or last accepted by a person. A tool that is something else now is told
 * apart here, before anybody is offered it.
 */

import { createHash } from 'node:crypto';

import type { ServerDefinition } from '../kernel/servers.ts';
import { acceptOffer } from './pinning/accept.ts';
import { digestOf, unknownDigest } from './pinning/definition.ts';
import { prepare, type Offer, type Redact } from './pinning/judge.ts';
import type { HeldPins } from './pinning/held-pins.ts';
import { isLineOf, isSameRecord, type PinnedServer } from './pinning/pin-records.ts';
import type { PinStore } from './pinning/pin-store.ts';
import {
  reviewBlindly,
  reviewOffer,
  reviewUnpinned,
  type PinnedSubject,
  type PinReview,
} from './pinning/review.ts';
import type { WithheldTool } from './tool-info.ts';

export { toolDigest } from './pinning/definition.ts';
export type { Kept as PinChange } from './pinning/keep.ts';
export type { Pin, PinnedServer, Pins, PinTexts } from './pinning/pin-records.ts';
export { HeldPins } from './pinning/held-pins.ts';
export { createPinMemory, type PinStore } from './pinning/pin-store.ts';
export type { Found as PinsFound } from './pinning/standing.ts';

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

export interface KeptTool {
  readonly name: string;
  readonly digest: string;
}

export interface PinBook {
  /** Never rejects: where pins cannot be read, nothing is offered that they are to protect. */
  review(subject: PinnedSubject, offered: Offer): Promise<PinReview>;
  /** Somebody else has changed what its last review went by, or it is to be pinned in another way now. Never rejects. */
  isStale(subject: Pick<PinnedSubject, 'key' | 'mode'>): Promise<boolean>;
  /** Takes what is offered now as it is: one tool, or all of them and the instructions. Gives what was not accepted before. */
  accept(key: string, offered: Offer, tool?: string): Promise<readonly WithheldTool[]>;
  /** For tools from a cache: those that are just what was accepted. All of them, at once, by a stamp that still holds. */
  stillPinned<Kept extends KeptTool>(
    subject: Pick<PinnedSubject, 'key' | 'mode'>,
    tools: readonly Kept[],
    stamp?: string,
  ): Promise<readonly Kept[]>;
  /** For `stillPinned`, at another time, of the same tools. Undefined unless each of them is what was accepted. */
  stampOf(
    subject: Pick<PinnedSubject, 'key' | 'mode'>,
    tools: readonly KeptTool[],
  ): Promise<string | undefined>;
  /** Compares instructions as they are shown, without secrets. False where nothing was accepted or pins cannot be read. */
  hasOtherInstructions(key: string, instructions: string): Promise<boolean>;
  list(): Promise<readonly PinnedRow[]>;
}

/**
 * A server is where it is defined and what it is called there: a new URL, version or token under the same name has to offer
 * the same tools. Servers that a program hands over have no place, so what they run stands for it.
 */
export function pinKeyOf({ name, launch, origin }: ServerDefinition): string {
  const reached = launch.kind === 'stdio' ? [launch.command, ...launch.args] : [launch.url];
  const place = origin.scope === 'runtime' ? reached : [origin.file];
  const identity = JSON.stringify([origin.scope, name, ...place]);
  return createHash('sha256').update(identity).digest('hex').slice(0, 32);
}

/** What a server's tools were compared with when they were last looked at. */
interface Judged {
  readonly mode: PinnedSubject['mode'];
  /** `nothing` where pins could not be read, or are not asked for. */
  readonly by: 'nothing' | { readonly record: PinnedServer | undefined };
}

export interface PinBookParts {
  readonly store: PinStore;
  /** Where reviews put what they find to be new, if that is to be written later than at once. */
  readonly held?: HeldPins;
  readonly now: () => Date;
  /** For what is kept and shown; hashes are those of what servers say. */
  readonly redact?: Redact;
}

export function createPinBook({ store, held, now, redact = (text) => text }: PinBookParts): PinBook {
  const labels = new Map<string, string>();
  const judged = new Map<string, Judged>();
  const today = (): string => now().toISOString().slice(0, 10);
  return {
    review: async (subject, offered) => {
      labels.set(subject.key, subject.server);
      const offer = prepare(offered, redact);
      judged.set(subject.key, { mode: subject.mode, by: 'nothing' });
      if (subject.mode === 'off') return reviewUnpinned(subject, offer);
      try {
        const reviewed = held ?? store;
        const pins = await reviewed.load();
        judged.set(subject.key, { mode: subject.mode, by: { record: pins.servers.get(subject.key) } });
        return await reviewOffer(reviewed, subject, offer, { pins, today: today() });
      } catch (error) {
        return reviewBlindly(subject, offer, error);
      }
    },
    isStale: async ({ key, mode }) => {
      const last = judged.get(key);
      if (last?.mode !== mode) return true;
      if (mode === 'off') return false;
      const pins = await store.load().catch(() => undefined);
      if (pins === undefined) return false;
      return last.by === 'nothing' || !isSameRecord(last.by.record, pins.servers.get(key));
    },
    accept: async (key, offered, only) => {
      await held?.flush();
      return acceptOffer(store, prepare(offered, redact), {
        key,
        label: labels.get(key),
        only,
        today: today(),
      });
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
      // Somebody else may have written in between: then it is not what was looked at.
      return (await store.stampOf?.(key)) === stamp ? stamp : undefined;
    },
    hasOtherInstructions: (key, instructions) => differs(store, key, instructions),
    list: async () => {
      await held?.flush();
      return [...(await store.load()).servers].map(([key, server]) => rowOf(key, server));
    },
  };
}

function rowOf(key: string, { server, tools }: PinnedServer): PinnedRow {
  const rows = [...tools].map(([tool, { digest, first, seen }]) => ({ tool, digest, first, seen }));
  return { key, server, tools: rows };
}

async function differs(store: PinStore, key: string, instructions: string): Promise<boolean> {
  const pins = await store.load().catch(() => undefined);
  const accepted = pins?.servers.get(key)?.instructions;
  if (accepted === undefined || accepted.digest === digestOf(instructions)) return false;
  const texts = await store.loadTexts(key).catch(() => undefined);
  return texts?.instructions !== instructions;
}

function pinnedBy<Kept extends KeptTool>(
  record: PinnedServer | undefined,
  tools: readonly Kept[],
): readonly Kept[] {
  const lines = record?.lines ?? [];
  const isPinned = ({ name, digest }: Kept, at: number): boolean =>
    digest !== unknownDigest && isLineOf(lines[at], name, digest);
  // Mostly nothing has changed, not even the order.
  if (tools.every(isPinned)) return tools;
  const pinned = record?.tools;
  return tools.filter(({ name, digest }) => digest !== unknownDigest && pinned?.get(name)?.digest === digest);
}
