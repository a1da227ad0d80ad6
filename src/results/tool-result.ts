/** The result of a call. A tool that reports an error also has a result. */

import type { ContentBlock } from '../kernel/protocol-types.ts';

/** Content that is not text: images, audio, files. */
export interface Attachment {
  readonly mimeType: string;
  /** Base64. */
  readonly data: string;
  readonly name: string;
}

export interface ToolResult {
  readonly ok: boolean;
  /**
   * The text for the model. If it is too long, it is truncated with a note that names the file with the whole
   * text.
   */
  readonly text: string;
  readonly content: readonly ContentBlock[];
  readonly structured?: unknown;
  readonly attachments: readonly Attachment[];
  readonly error?: { readonly code: string; readonly message: string };
  readonly server: string;
  readonly tool: string;
  readonly agent: string;
  readonly ms: number;
  /** What was repaired in the arguments, one line per repair. */
  readonly repaired?: readonly string[];
  readonly meta?: Readonly<Record<string, unknown>>;
}
