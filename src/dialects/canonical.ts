/**
 * One spelling for all dialects, to compare definitions by what they mean.
 * A JSON list: plain text is a string, a placeholder a list. So no text can pass for a placeholder.
 */

import type { DialectId } from '../kernel/servers.ts';
import { parseTemplate } from './parse-template.ts';
import type { FieldKind, TemplatePart } from './template.ts';

type Placeholder = readonly (string | boolean)[];

/**
 * What happens when a variable is not set is no part of it: a server that lacks a variable is not another server.
 * `folder` is that of the file the text stands in; paths in placeholders are relative to it.
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
