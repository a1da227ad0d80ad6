/** What a call comes to. A tool that reports failure is a result, too. */

import type { ContentBlock } from '../kernel/protocol-types.ts';

/** What is not text: images, sound, files. */
export interface Attachment {
  readonly mimeType: string;
  /** Base64. */
  readonly data: string;
  readonly name: string;
}

export interface ToolResult {
  readonly ok: boolean;
  /** For a model to read; cut when it is too long, with a note that names the file that has it all. */
  readonly text: string;
  readonly content: readonly ContentBlock[];
  readonly structured?: unknown;
  readonly attachments: readonly Attachment[];
  readonly error?: { readonly code: string; readonly message: string };
  readonly server: string;
  readonly tool: string;
  readonly agent: string;
  readonly ms: number;
  /** What was mended in the arguments, one line each. */
  readonly repaired?: readonly string[];
  readonly meta?: Readonly<Record<string, unknown>>;
}
