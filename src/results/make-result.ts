/** Makes the result of a call: from what the server answered, or from how it failed. */

import type { ContentBlock } from '@modelcontextprotocol/client';

import { cutText, type CutParts } from './cut-text.ts';
import { readContent } from './read-content.ts';
import type { ToolResult } from './tool-result.ts';

/** Whose result it is, and what it took. */
export interface FailureFacts {
  readonly server: string;
  readonly tool: string;
  readonly agent: string;
  readonly ms: number;
  readonly repaired: readonly string[];
}

export interface ResultFacts extends FailureFacts {
  /** What is wrong with the structured part, going by the tool's own schema. */
  readonly mismatches: readonly string[];
}

/** What a server answers, as far as it is sure by now. */
export interface CallAnswer {
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** Under this key of `meta` stands how a result breaks the schema it was promised by. */
const mismatchKey = 'holt/output-mismatch';

const failed = 'Error: ';

/** At once, unless something has to be put into a file. */
export function makeResult(
  answer: CallAnswer,
  facts: ResultFacts,
  cut: CutParts,
): ToolResult | Promise<ToolResult> {
  const { content, structuredContent: structured, isError = false } = answer;
  const { text, attachments } = readContent(content);
  // A server that only has data still says something to a model.
  const said = content.length === 0 && structured !== undefined ? JSON.stringify(structured) : text;
  const whole = isError && !said.startsWith(failed) ? failed + said : said;
  const shown = cutText(whole, cut);
  const { server, tool, agent, ms, mismatches, repaired } = facts;
  const meta = metaOf(answer, mismatches);
  const withText = (given: string): ToolResult => ({
    ok: !isError,
    text: given,
    content,
    ...(structured === undefined ? {} : { structured }),
    attachments,
    ...(isError ? { error: { code: 'tool-error', message: firstLine(whole) } } : {}),
    server,
    tool,
    agent,
    ms,
    ...(repaired.length === 0 ? {} : { repaired }),
    ...(meta === undefined ? {} : { meta }),
  });
  return typeof shown === 'string' ? withText(shown) : shown.then(withText);
}

function metaOf({ _meta: meta }: CallAnswer, mismatches: readonly string[]): ToolResult['meta'] {
  return mismatches.length === 0 ? meta : { ...meta, [mismatchKey]: mismatches };
}

/** The connection or the protocol failed, not the tool. */
export function makeFailure(
  error: { readonly code: string; readonly message: string },
  { repaired, ...own }: FailureFacts,
): ToolResult {
  return {
    ok: false,
    text: `MCP error: ${error.message}`.toWellFormed(),
    content: [],
    attachments: [],
    error,
    ...own,
    ...(repaired.length === 0 ? {} : { repaired }),
  };
}

const longest = 500;

function firstLine(text: string): string {
  const end = text.indexOf('\n');
  return text.slice(0, Math.min(end === -1 ? text.length : end, longest)).toWellFormed();
}
