/**
 * Builds the result of a call from the server's response or from an error, and truncates text that is too
 * long for a model.
 */

import type { ContentBlock } from '../kernel/protocol-types.ts';
import type { Writable } from '../kernel/type-tools.ts';
import { readContent } from './read-content.ts';
import type { ToolResult } from './tool-result.ts';

/** The call that the result belongs to, and its duration. */
export interface CallFacts {
  readonly server: string;
  readonly tool: string;
  readonly agent: string;
  readonly ms: number;
  readonly repaired: readonly string[];
}

/** A server's response, as far as it has been validated. */
export interface CallResponse {
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** Key in `meta` that lists how a result violates the tool's output schema. */
const mismatchKey = 'holt/output-mismatch';

const failed = 'Error: ';

/**
 * Builds the result of a call. Synchronous unless text has to be written to a file. `mismatches` list how the
 * structured content violates the tool's output schema.
 */
export function makeResult(
  response: CallResponse,
  facts: CallFacts,
  cut: CutParts,
  mismatches: readonly string[] = [],
): ToolResult | Promise<ToolResult> {
  const { content, structuredContent: structured, isError = false } = response;
  const { text, attachments } = readContent(content);
  // If the server returns only structured content, the model gets it as JSON.
  const readable = content.length === 0 && structured !== undefined ? JSON.stringify(structured) : text;
  const fullText = isError && !readable.startsWith(failed) ? failed + readable : readable;
  const shown = cutText(fullText, cut);
  const { server, tool, agent, ms, repaired } = facts;
  const meta = metaOf(response, mismatches);
  const withText = (shownText: string): ToolResult => {
    const own = { ok: !isError, text: shownText, content, attachments, server, tool, agent, ms };
    const result: Writable<ToolResult> = own;
    if (structured !== undefined) result.structured = structured;
    if (isError) result.error = { code: 'tool-error', message: firstLine(fullText) };
    if (repaired.length > 0) result.repaired = repaired;
    if (meta !== undefined) result.meta = meta;
    return result;
  };
  return typeof shown === 'string' ? withText(shown) : shown.then(withText);
}

function metaOf({ _meta: meta }: CallResponse, mismatches: readonly string[]): ToolResult['meta'] {
  return mismatches.length === 0 ? meta : { ...meta, [mismatchKey]: mismatches };
}

/** Builds the result of a call that failed because of the connection or the protocol, not the tool. */
export function makeFailure(
  error: { readonly code: string; readonly message: string },
  { repaired, ...own }: CallFacts,
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

const maxMessage = 500;

function firstLine(text: string): string {
  const end = text.indexOf('\n');
  return text.slice(0, Math.min(end === -1 ? text.length : end, maxMessage)).toWellFormed();
}

export interface CutParts {
  readonly maxBytes: number;
  /** Writes the whole text to a file and returns its path. */
  readonly spill: (text: string) => Promise<string>;
}

/** A UTF-16 code unit takes at most three bytes in UTF-8. */
const bytesPerUnit = 3;
const encoder = new TextEncoder();

/** Returns short text synchronously. Never rejects: if `spill` fails, the note says so. */
export function cutText(text: string, parts: CutParts): string | Promise<string> {
  if (text.length * bytesPerUnit <= parts.maxBytes) return text;
  const bytes = Buffer.byteLength(text);
  return bytes <= parts.maxBytes ? text : truncate(text, bytes, parts);
}

async function truncate(text: string, bytes: number, { maxBytes, spill }: CutParts): Promise<string> {
  const { read, written } = encoder.encodeInto(text.slice(0, maxBytes), new Uint8Array(maxBytes));
  const missing = `${bytes - written} of ${bytes} bytes are left out here`;
  const where = await spill(text).then(
    (file) => `the whole text is in ${file}`,
    () => 'they could not be written to a file',
  );
  return `${text.slice(0, read)}\n\n[${missing}; ${where}]`;
}
