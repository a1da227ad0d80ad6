/**
 * Parses a string of a config file by the rules of the file's dialect, and converts it to one spelling that all
 * dialects share, to compare definitions by meaning.
 */

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

type Placeholder = readonly (string | boolean)[];

/**
 * Returns a JSON list in which plain text is a string and a placeholder is a list, so text can never pass for a
 * placeholder. Leaves out what happens when a variable is unset: a server that lacks a variable is still the same server.
 * `folder` is the folder of the file that contains the text; relative paths in placeholders refer to it.
 */
export function canonicalText(text: string, dialect: DialectId, field: FieldKind, folder = ''): string {
  const pieces: (string | Placeholder)[] = [];
  for (const part of parseTemplate(text, dialect, field)) {
    const piece = canonicalPart(part, dialect, folder);
    const last = pieces.at(-1);
    if (typeof piece === 'string' && typeof last === 'string') pieces[pieces.length - 1] = last + piece;
    else pieces.push(piece);
  }
  return JSON.stringify(pieces);
}

function canonicalPart(part: TemplatePart, dialect: DialectId, folder: string): string | Placeholder {
  if (part.kind === 'text' || part.kind === 'escaped') return part.text;
  if (part.kind === 'variable' && part.fallback !== undefined) {
    return [part.kind, part.name, part.fallback.text, part.fallback.whenEmpty];
  }
  if (part.kind === 'input') return [part.kind, part.id];
  if (part.kind === 'file')
    return isRelative(part.path) ? [part.kind, part.path, folder] : [part.kind, part.path];
  if (part.kind === 'command') return [part.kind, part.line, part.shell];
  if (part.kind === 'unsupported') return [part.kind, part.raw, dialect];
  return [part.kind, part.name];
}

function isRelative(path: string): boolean {
  return !/^(?:[/\\~]|[A-Za-z]:)/.test(path);
}
