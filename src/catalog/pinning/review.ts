/**
 * Reviews what a server offers: which tools are unchanged, which are withheld, and which are pinned from now
 * on.
 */

import type { Tool } from '../../kernel/protocol-types.ts';
import type { PinMode } from '../../kernel/servers.ts';
import type { RefusedTool, WithheldTool } from '../tool-info.ts';
import { describeChanges, instructionChanges } from './describe-changes.ts';
import { judge, type Prepared, type Verdict } from './judge.ts';
import { keep } from './keep.ts';
import type { Pins } from './pin-records.ts';
import type { PinStore } from './pin-store.ts';
import { standingOf, type Standing } from './standing.ts';

export interface PinnedSubject {
  /** The host's name for the server. */
  readonly server: string;
  /** Identifies the server; from `pinKeyOf`. */
  readonly key: string;
  readonly mode: PinMode;
}

/** The part of a pin store that a review needs. */
export type ReviewStore = Pick<PinStore, 'load' | 'loadTexts' | 'change'>;

export interface PinReview {
  /** Tools that may be offered. Of two with the same name, the first. */
  readonly offered: readonly Tool[];
  readonly withheld: readonly WithheldTool[];
  /** Tools that cannot be compared with what was accepted. They are never offered. */
  readonly refused: readonly RefusedTool[];
  /** Tools that differ from what was accepted, even when the mode only warns. */
  readonly changed: readonly WithheldTool[];
  /** Lines of a diff; empty when the instructions are as accepted. */
  readonly instructionsChanged: readonly string[];
  /** Why pins could not be read or stored. */
  readonly problem?: string;
}

interface Assessment {
  readonly standing: Standing;
  readonly verdict: Verdict;
  /** Whether new tools and instructions are pinned without asking. */
  readonly takesNew: boolean;
}

export async function reviewOffer(
  store: ReviewStore,
  subject: PinnedSubject,
  offer: Prepared,
  { pins: { servers, lost }, today }: { readonly pins: Pins; readonly today: string },
): Promise<PinReview> {
  const { server, key, mode } = subject;
  const record = servers.get(key);
  const texts = record === undefined && lost !== undefined ? await store.loadTexts(key) : undefined;
  const first = assess(standingOf({ record, texts, lost }, server, today), offer, mode);
  try {
    return await conclude(store, subject, offer, await pinWhatIsNew(store, subject, offer, { first, today }));
  } catch (error) {
    const review = await conclude(store, subject, offer, first);
    return { ...review, problem: `Pins cannot be kept: ${reasonOf(error)}` };
  }
}

function assess(standing: Standing, offer: Prepared, mode: PinMode): Assessment {
  const isFirst = standing.record === undefined;
  return {
    standing,
    verdict: judge(standing.record, offer),
    takesNew: !standing.lost && (isFirst || mode !== 'strict'),
  };
}

/** Judges again under the lock, because another process may have written first. */
async function pinWhatIsNew(
  store: ReviewStore,
  { server, key, mode }: PinnedSubject,
  offer: Prepared,
  { first, today }: { readonly first: Assessment; readonly today: string },
): Promise<Assessment> {
  if (!isWorthKeeping(first, offer, today)) return first;
  let result = first;
  await store.change(key, (found) => {
    result = assess(standingOf(found, server, today), offer, mode);
    const { standing, verdict, takesNew } = result;
    if (standing.lost) return undefined;
    const fresh = [...offer.tools.keys()].filter((name) => takesNew && verdict.tools.get(name) === 'new');
    const chosen = { tools: new Set(fresh), instructions: takesNew && verdict.instructions === 'new' };
    return keep({ record: standing.record, texts: found.texts }, offer, chosen, { server, today });
  });
  return result;
}

function isWorthKeeping(
  { standing, verdict, takesNew }: Assessment,
  offer: Prepared,
  today: string,
): boolean {
  const { record, lost, rebuilt } = standing;
  if (lost) return false;
  if (record === undefined || rebuilt) return true;
  const isNew = [...verdict.tools.values(), verdict.instructions].includes('new');
  // Dates are stored as days, so most runs write nothing.
  const isOld = [...offer.tools.keys()].some((name) => (record.tools.get(name)?.seen ?? today) < today);
  return (takesNew && isNew) || isOld;
}

async function conclude(
  store: ReviewStore,
  { server, key, mode }: PinnedSubject,
  offer: Prepared,
  { standing, verdict, takesNew }: Assessment,
): Promise<PinReview> {
  const isOdd = (of: string | undefined): boolean => of === 'changed' || (of === 'new' && !takesNew);
  const odd = [...offer.tools.keys()].filter((name) => isOdd(verdict.tools.get(name)));
  const tellsInstructions = isOdd(verdict.instructions);
  const texts = odd.length > 0 || tellsInstructions ? await store.loadTexts(key) : undefined;
  const changed = odd.map((tool) => ({
    server,
    tool,
    changes: describeChanges(tool, offer, standing, texts),
  }));
  const withheld = mode === 'warn' ? [] : changed;
  const hidden = new Set(withheld.map(({ tool }) => tool));
  return {
    offered: [...offer.tools.values()].filter(({ name }) => !hidden.has(name)),
    withheld,
    refused: refusedIn(offer, server),
    changed,
    instructionsChanged: tellsInstructions ? instructionChanges(offer, standing, texts) : [],
  };
}

function refusedIn({ refused }: Prepared, server: string): readonly RefusedTool[] {
  return [...refused].map(([tool, reason]) => ({ server, tool, reason }));
}

/** Offers all tools that are not refused, without comparing them to pins. */
export function reviewUnpinned({ server }: PinnedSubject, offer: Prepared): PinReview {
  const refused = refusedIn(offer, server);
  return { offered: [...offer.tools.values()], withheld: [], refused, changed: [], instructionsChanged: [] };
}

/**
 * For pins that exist but cannot be read: no tool can be judged, so all are withheld unless the mode is
 * `warn`.
 */
export function reviewBlindly({ server, mode }: PinnedSubject, offer: Prepared, error: unknown): PinReview {
  const problem = `Pins cannot be read: ${reasonOf(error)}`;
  const unchecked = reasonOf(error);
  // Report no changes, because nothing could be compared.
  const silent = { refused: refusedIn(offer, server), changed: [], instructionsChanged: [], problem };
  if (mode === 'warn') return { offered: [...offer.tools.values()], withheld: [], ...silent };
  const withheld = [...offer.tools.keys()].map((tool) => ({ server, tool, changes: [problem], unchecked }));
  return { offered: [], withheld, ...silent };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
