/** Parses a string of a config file by the rules of the file's dialect. */

import type { DialectId } from '../kernel/servers.ts';
import { dialects, type Dialect } from './dialects.ts';
import { scan } from './scanner.ts';
import type { FieldKind, TemplatePart } from './template.ts';

/** Adjacent text is one part; an empty string has no parts. Never throws. */
export function parseTemplate(text: string, dialect: DialectId, field: FieldKind): TemplatePart[] {
  const row: Dialect = dialects[dialect];
  const rules = row[field];
  if (rules !== undefined) return scan(text, rules);
  return text === '' ? [] : [{ kind: 'text', text }];
}
