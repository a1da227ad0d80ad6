/** One look at what a server offers: what is kept as it is, what is withheld, and what is pinned from now on. */

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
  /** What the host calls the server. */
  readonly server: string;
  /** Which server it is, from `pinKeyOf`. */
  readonly key: string;
  readonly mode: PinMode;
}

/** What a review needs of the pins. */
export type ReviewStore = Pick<PinStore, 'load' | 'loadTexts' | 'change'>;

export interface PinReview {
  /** May be offered. Of two tools of one name the first. */
  readonly offered: readonly Tool[];
  readonly withheld: readonly WithheldTool[];
  /** Tools that cannot be compared with what was accepted. They are never offered. */
  readonly refused: readonly RefusedTool[];
  /** Those that are not what was accepted, also where that is only warned of. */
  readonly changed: readonly WithheldTool[];
  /** Lines of a diff; empty while the instructions are what was accepted. */
  readonly instructionsChanged: readonly string[];
  /** Why pins could not be read or kept. */
  readonly problem?: string;
}

interface Assessment {
  readonly standing: Standing;
  readonly verdict: Verdict;
  /** What is new is taken as it is. */
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

/** Judged again under the lock: somebody else may have been here first. */
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
  // A day's date is enough, so most runs write nothing.
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

/** All that can be offered is, whatever it was before. */
export function reviewUnpinned({ server }: PinnedSubject, offer: Prepared): PinReview {
  const refused = refusedIn(offer, server);
  return { offered: [...offer.tools.values()], withheld: [], refused, changed: [], instructionsChanged: [] };
}

/** Pins are there and cannot be read: nothing can be said about any tool. */
export function reviewBlindly({ server, mode }: PinnedSubject, offer: Prepared, error: unknown): PinReview {
  const problem = `Pins cannot be read: ${reasonOf(error)}`;
  const unchecked = reasonOf(error);
  // Nothing is told to have changed: that is just what cannot be told.
  const silent = { refused: refusedIn(offer, server), changed: [], instructionsChanged: [], problem };
  if (mode === 'warn') return { offered: [...offer.tools.values()], withheld: [], ...silent };
  const withheld = [...offer.tools.keys()].map((tool) => ({ server, tool, changes: [problem], unchecked }));
  return { offered: [], withheld, ...silent };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
