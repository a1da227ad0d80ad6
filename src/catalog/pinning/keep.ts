/** Works out what to store of an offer: hashes in the record, and the texts separately. */

import { definitionText, digestOf } from './definition.ts';
import type { Prepared, Redact } from './judge.ts';
import type { Pin, PinnedServer, PinTexts } from './pin-records.ts';

/** The parts of an offer to pin. */
interface Chosen {
  readonly tools: ReadonlySet<string>;
  readonly instructions: boolean;
}

interface Stored {
  readonly record: PinnedServer | undefined;
  readonly texts: PinTexts | undefined;
}

export interface Kept {
  readonly record: PinnedServer;
  /** Undefined when the stored texts do not change. */
  readonly texts: PinTexts | undefined;
}

/**
 * Returns the record and texts with the chosen parts pinned, and with today's date on every pinned tool in
 * the offer.
 */
export function keep(
  { record, texts }: Stored,
  offer: Prepared,
  chosen: Chosen,
  { server, today }: { readonly server: string; readonly today: string },
): Kept {
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
