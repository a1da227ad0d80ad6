/**
 * Truncates text that is too long for a model at a character boundary, and adds how much is missing and which
 * file has all of it.
 */

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
  return bytes <= parts.maxBytes ? text : cut(text, bytes, parts);
}

async function cut(text: string, bytes: number, { maxBytes, spill }: CutParts): Promise<string> {
  const { read, written } = encoder.encodeInto(text.slice(0, maxBytes), new Uint8Array(maxBytes));
  const missing = `${bytes - written} of ${bytes} bytes are left out here`;
  const where = await spill(text).then(
    (file) => `the whole text is in ${file}`,
    () => 'they could not be written to a file',
  );
  return `${text.slice(0, read)}\n\n[${missing}; ${where}]`;
}
