/**
 * Reviews what a server offers: which tools are unchanged, which are withheld, and which are pinned from now
 * on.
 */

import type { Tool } from '../../kernel/protocol-types.ts';
import type { PinMode } from '../../kernel/servers.ts';
import type { RefusedTool, WithheldTool } from '../tool-info.ts';
import {
  definitionText,
  digestOf,
  compareOffer,
  type Prepared,
  type Redact,
  type PinState,
  pinStateOf,
  type Verdict,
} from './definition.ts';
import { describeChanges, instructionChanges } from './describe-changes.ts';
import type { Pin, PinChange, PinnedServer, Pins, PinTexts } from './pin-records.ts';
import type { ReviewStore } from './pin-store.ts';

export interface PinnedSubject {
  /** The host's name for the server. */
  readonly server: string;
  /** Identifies the server; from `pinKeyOf`. */
  readonly key: string;
  readonly mode: PinMode;
}

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
  readonly state: PinState;
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
  const first = assess(pinStateOf({ record, texts, lost }, server, today), offer, mode);
  try {
    return await conclude(store, subject, offer, await pinNewParts(store, subject, offer, { first, today }));
  } catch (error) {
    const review = await conclude(store, subject, offer, first);
    return { ...review, problem: `Pins cannot be kept: ${reasonOf(error)}` };
  }
}

function assess(state: PinState, offer: Prepared, mode: PinMode): Assessment {
  const isFirst = state.record === undefined;
  return {
    state,
    verdict: compareOffer(state.record, offer),
    takesNew: !state.lost && (isFirst || mode !== 'strict'),
  };
}

/** Judges again under the lock, because another process may have written first. */
async function pinNewParts(
  store: ReviewStore,
  { server, key, mode }: PinnedSubject,
  offer: Prepared,
  { first, today }: { readonly first: Assessment; readonly today: string },
): Promise<Assessment> {
  if (!needsWrite(first, offer, today)) return first;
  let result = first;
  await store.change(key, (found) => {
    result = assess(pinStateOf(found, server, today), offer, mode);
    const { state, verdict, takesNew } = result;
    if (state.lost) return undefined;
    const fresh = [...offer.tools.keys()].filter((name) => takesNew && verdict.tools.get(name) === 'new');
    const chosen = { tools: new Set(fresh), instructions: takesNew && verdict.instructions === 'new' };
    return pinChangeFor({ record: state.record, texts: found.texts }, offer, chosen, { server, today });
  });
  return result;
}

function needsWrite({ state, verdict, takesNew }: Assessment, offer: Prepared, today: string): boolean {
  const { record, lost, rebuilt } = state;
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
  { state, verdict, takesNew }: Assessment,
): Promise<PinReview> {
  const isUnaccepted = (of: string | undefined): boolean => of === 'changed' || (of === 'new' && !takesNew);
  const unaccepted = [...offer.tools.keys()].filter((name) => isUnaccepted(verdict.tools.get(name)));
  const showsInstructions = isUnaccepted(verdict.instructions);
  const texts = unaccepted.length > 0 || showsInstructions ? await store.loadTexts(key) : undefined;
  const changed = unaccepted.map((tool) => ({
    server,
    tool,
    changes: describeChanges(tool, offer, state, texts),
  }));
  const withheld = mode === 'warn' ? [] : changed;
  const hidden = new Set(withheld.map(({ tool }) => tool));
  return {
    offered: [...offer.tools.values()].filter(({ name }) => !hidden.has(name)),
    withheld,
    refused: refusedIn(offer, server),
    changed,
    instructionsChanged: showsInstructions ? instructionChanges(offer, state, texts) : [],
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
export function reviewWithoutPins(
  { server, mode }: PinnedSubject,
  offer: Prepared,
  error: unknown,
): PinReview {
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

/** The parts of an offer to pin. */
interface Chosen {
  readonly tools: ReadonlySet<string>;
  readonly instructions: boolean;
}

interface Stored {
  readonly record: PinnedServer | undefined;
  readonly texts: PinTexts | undefined;
}

/**
 * Returns the record and texts with the chosen parts pinned, and with today's date on every pinned tool in
 * the offer.
 */
export function pinChangeFor(
  { record, texts }: Stored,
  offer: Prepared,
  chosen: Chosen,
  { server, today }: { readonly server: string; readonly today: string },
): PinChange {
  const pins = new Map(record?.tools);
  const taken = takenTexts(offer, chosen);
  for (const name of offer.tools.keys()) {
    const pin = pins.get(name);
    const text = taken.tools.get(name);
    if (text !== undefined) pins.set(name, pinned(text, pin, today));
    else if (pin !== undefined) pins.set(name, { digest: pin.digest, first: pin.first, seen: today });
  }
  const before = record?.instructions;
  const instructions = taken.instructions === undefined ? before : pinned(taken.instructions, before, today);
  return {
    record: { server, tools: pins, ...(instructions === undefined ? {} : { instructions }) },
    texts: joinTexts(texts, withoutSecrets(taken, offer.redact)),
  };
}

function takenTexts(offer: Prepared, chosen: Chosen): PinTexts {
  const tools = new Map<string, string>();
  for (const [name, tool] of offer.tools) {
    const text = chosen.tools.has(name) ? definitionText(tool) : undefined;
    if (text !== undefined) tools.set(name, text);
  }
  return { tools, instructions: chosen.instructions ? offer.instructions : undefined };
}

function pinned(text: string, before: Pin | undefined, today: string): Pin {
  return { digest: digestOf(text), first: before?.first ?? today, seen: today };
}

/** A server may repeat secrets that it received, and these texts are stored in a file. */
function withoutSecrets({ tools, instructions }: PinTexts, redact: Redact): PinTexts {
  const digests = new Map<string, string>();
  const hide = (name: string, text: string): string => {
    const shown = redact(text);
    if (shown !== text) digests.set(name, digestOf(text));
    return shown;
  };
  const shown = new Map([...tools].map(([name, text]) => [name, hide(name, text)]));
  return {
    tools: shown,
    instructions: instructions === undefined ? undefined : hide('', instructions),
    ...(digests.size === 0 ? {} : { digests }),
  };
}

function joinTexts(before: PinTexts | undefined, taken: PinTexts): PinTexts | undefined {
  if (before === undefined) return taken;
  if (taken.tools.size === 0 && taken.instructions === undefined) return undefined;
  const isTaken = (name: string): boolean =>
    name === '' ? taken.instructions !== undefined : taken.tools.has(name);
  const digests = [...(before.digests ?? [])].filter(([name]) => !isTaken(name));
  const all = new Map([...digests, ...(taken.digests ?? [])]);
  return {
    tools: new Map([...before.tools, ...taken.tools]),
    instructions: taken.instructions ?? before.instructions,
    ...(all.size === 0 ? {} : { digests: all }),
  };
}
