/** Cuts a text that is too long for a model at the border of a character, and says what is missing and where all of it is. */

export interface CutParts {
  readonly maxBytes: number;
  /** Keeps the whole text and gives the file that has it. */
  readonly spill: (text: string) => Promise<string>;
}

/** One unit of a text is at most three bytes in a file. */
const bytesPerUnit = 3;
const encoder = new TextEncoder();

/** At once for all that are short enough. */
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
