/** Pins what a server offers now, because a person accepted it. */

import type { WithheldTool } from '../tool-info.ts';
import { compareOffer, type Prepared, pinStateOf, unknownDigest } from './definition.ts';
import { describeChanges } from './describe-changes.ts';
import type { PinnedServer } from './pin-records.ts';
import type { PinStore } from './pin-store.ts';
import { pinChangeFor } from './review.ts';

export interface Acceptance {
  readonly key: string;
  /** The host's name for the server, if known. */
  readonly label: string | undefined;
  /** The only tool to accept. When undefined, all tools and the instructions are accepted. */
  readonly only: string | undefined;
  readonly today: string;
}

/** Stores the acceptance. Returns the tools that were not accepted before. */
export async function acceptOffer(
  store: PinStore,
  offer: Prepared,
  { key, label, only, today }: Acceptance,
): Promise<readonly WithheldTool[]> {
  let accepted: readonly WithheldTool[] = [];
  await store.change(key, (found) => {
    const server = label ?? found.record?.server ?? key;
    const state = pinStateOf(found, server, today);
    const verdicts = compareOffer(state.record, offer).tools;
    const names = [...offer.tools.keys()].flatMap((name) => {
      const isMeant = only === undefined || only === name;
      return isMeant && verdicts.get(name) !== 'same' ? [name] : [];
    });
    accepted = names.map((tool) => ({
      server,
      tool,
      changes: describeChanges(tool, offer, state, found.texts),
    }));
    const record = state.lost ? withUnknownDigests(offer, server, today) : state.record;
    const chosen = { tools: new Set(names), instructions: only === undefined };
    return pinChangeFor({ record, texts: found.texts }, offer, chosen, { server, today });
  });
  return accepted;
}

/**
 * After pins were lost, accepting one tool must not make the server's other tools look new. They get an
 * unknown digest, so that they count as changed.
 */
function withUnknownDigests(offer: Prepared, server: string, today: string): PinnedServer {
  const doubt = { digest: unknownDigest, first: today, seen: today };
  return {
    server,
    tools: new Map([...offer.tools.keys()].map((name) => [name, doubt])),
    ...(offer.instructions === undefined ? {} : { instructions: doubt }),
  };
}
