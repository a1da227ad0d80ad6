/** What is known about a server when its tools are judged. */

import { digestOf } from './definition.ts';
import type { Pin, PinnedServer, PinTexts } from './pin-records.ts';

export interface Found {
  readonly record: PinnedServer | undefined;
  readonly texts: PinTexts | undefined;
  readonly lost: string | undefined;
}

export interface Standing {
  readonly record: PinnedServer | undefined;
  /** Whether the server may have had pins that were lost, so that nothing shows what was accepted. */
  readonly lost: boolean;
  /** Whether the record was lost and rebuilt from the accepted texts. */
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
