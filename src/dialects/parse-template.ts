/** A text of a config file, read by the rules of the dialect that its file is written in. */

import type { DialectId } from '../kernel/servers.ts';
import { dialects, type Dialect } from './dialects.ts';
import { scan } from './scanner.ts';
import type { FieldKind, TemplatePart } from './template.ts';

/** Neighbouring text is one part; an empty text has none. Never throws, whatever the text is. */
export function parseTemplate(text: string, dialect: DialectId, field: FieldKind): TemplatePart[] {
  const row: Dialect = dialects[dialect];
  const rules = row[field];
  if (rules !== undefined) return scan(text, rules);
  return text === '' ? [] : [{ kind: 'text', text }];
}
