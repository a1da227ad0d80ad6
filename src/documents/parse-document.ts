/** One door to all formats. TOML and YAML parsers are loaded the first time such a file turns up. */

import { decodeText } from './decode.ts';
import { parseJson } from './json.ts';
import type { DocFormat, Document } from './tree.ts';

export async function parseDocument(bytes: Uint8Array, format: DocFormat): Promise<Document> {
  const { text, bom, utf16 } = decodeText(bytes);
  if (format === 'json') return parseJson(text, { bom, utf16 });
  if (format === 'toml') return (await import('./toml.ts')).parseToml(text, { bom, utf16 });
  return (await import('./yaml.ts')).parseYaml(text, { bom, utf16 });
}
