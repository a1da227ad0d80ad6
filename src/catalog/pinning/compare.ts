/** Compares what a server offers with what was accepted. Pure: the caller stores the outcome. */

import type { Tool } from '../../kernel/protocol-types.ts';
import { depthFault, digestOf, toolDigest } from './definition.ts';
import type { Pin, PinnedServer, PinTexts, StoredPins } from './pin-records.ts';

export interface Offer {
  readonly tools: readonly Tool[];
  readonly instructions?: string | undefined;
}

/** Removes secrets from what is stored or shown. Comparisons use what the server sent. */
export type Redact = (text: string) => string;

/** An offer that is ready to be compared. Of two tools with the same name, the first counts. */
export interface Prepared {
  readonly tools: ReadonlyMap<string, Tool>;
  /** Tools that are nested too deeply to be compared, with the reason. */
  readonly refused: ReadonlyMap<string, string>;
  readonly instructions: string | undefined;
  readonly redact: Redact;
}

export type ToolVerdict = 'same' | 'new' | 'changed';

export interface Verdict {
  readonly tools: ReadonlyMap<string, ToolVerdict>;
  readonly instructions: ToolVerdict;
}

export function prepare({ tools, instructions }: Offer, redact: Redact): Prepared {
  const first = new Map<string, Tool>();
  const refused = new Map<string, string>();
  for (const tool of tools) {
    const { name } = tool;
    if (first.has(name) || refused.has(name)) continue;
    const fault = depthFault(tool);
    if (fault === undefined) first.set(name, tool);
    else refused.set(name, fault);
  }
  return { tools: first, refused, instructions, redact };
}

/** Without a record everything is new. */
export function judge(record: PinnedServer | undefined, { tools, instructions }: Prepared): Verdict {
  const verdicts = [...tools].map(
    ([name, tool]) => [name, compare(record?.tools.get(name), toolDigest(tool))] as const,
  );
  return {
    tools: new Map(verdicts),
    // Missing instructions need no verdict. If they return, they are compared with the accepted ones.
    instructions: instructions === undefined ? 'same' : compare(record?.instructions, digestOf(instructions)),
  };
}

function compare(pin: Pin | undefined, digest: string): ToolVerdict {
  if (pin === undefined) return 'new';
  return pin.digest === digest ? 'same' : 'changed';
}

export interface Standing {
  readonly record: PinnedServer | undefined;
  /** Whether the server may have had pins that were lost, so that nothing shows what was accepted. */
  readonly lost: boolean;
  /** Whether the record was lost and rebuilt from the accepted texts. */
  readonly rebuilt: boolean;
}

export function standingOf({ record, texts, lost }: StoredPins, server: string, today: string): Standing {
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
