/** What is known of a server when its tools are to be judged. */

import { digestOf } from './definition.ts';
import type { Pin, PinnedServer, PinTexts } from './pin-records.ts';

export interface Found {
  readonly record: PinnedServer | undefined;
  readonly texts: PinTexts | undefined;
  readonly lost: string | undefined;
}

export interface Standing {
  readonly record: PinnedServer | undefined;
  /** It may have been known, and nothing can tell what was accepted. */
  readonly lost: boolean;
  /** The record was lost and comes from the texts that were accepted. */
  readonly rebuilt: boolean;
}

export function standingOf({ record, texts, lost }: Found, server: string, today: string): Standing {
  if (record !== undefined || lost === undefined) return { record, lost: false, rebuilt: false };
  if (texts === undefined) return { record: undefined, lost: true, rebuilt: false };
  return { record: recordFromTexts(server, texts, today), lost: false, rebuilt: true };
}

function recordFromTexts(server: string, texts: PinTexts, today: string): PinnedServer {
  const pin = (name: string, text: string): Pin => ({
    digest: texts.digests?.get(name) ?? digestOf(text),
    first: today,
    seen: today,
  });
  return {
    server,
    tools: new Map([...texts.tools].map(([name, text]) => [name, pin(name, text)])),
    ...(texts.instructions === undefined ? {} : { instructions: pin('', texts.instructions) }),
  };
}
