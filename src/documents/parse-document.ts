/** One door to all formats. TOML and YAML parsers are loaded the first time such a file turns up. */

import { decodeText } from './decode.ts';
import { parseJson } from './json.ts';
import type { DocFormat, Document, TextOrigin } from './tree.ts';

/** Some 1,500 lines. Parsing cannot pause, and a repository must not hold up everything else with a long file. */
const maxGuardedParts = 10_000;

/** `guarded` is true for what a repository could have brought. */
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
