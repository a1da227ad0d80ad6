/** Public entry point for parsing every format. The TOML and YAML parsers are loaded at first use. */

import { decodeText } from './decode.ts';
import { parseJson } from './json.ts';
import type { DocFormat, Document, TextOrigin } from './tree.ts';

/**
 * About 1,500 lines. Parsing cannot pause, and a long file in a repository must not block everything else.
 */
const maxGuardedParts = 10_000;

/** `guarded` is true for files that a repository may have supplied. */
export function partLimits(guarded: boolean): Pick<TextOrigin, 'maxParts'> {
  return guarded ? { maxParts: maxGuardedParts } : {};
}

export async function parseDocument(
  bytes: Uint8Array,
  format: DocFormat,
  limits: Pick<TextOrigin, 'maxParts'> = {},
): Promise<Document> {
  const { text, bom, utf16 } = decodeText(bytes);
  if (format === 'json') return parseJson(text, { bom, utf16 });
  const origin = { bom, utf16, ...limits };
  if (format === 'toml') return (await import('./toml.ts')).parseToml(text, origin);
  return (await import('./yaml.ts')).parseYaml(text, origin);
}
