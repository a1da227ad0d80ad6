/**
 * Builds the final text from template parts and values. Values are inserted unchanged: they are never read as
 * templates, and nothing is parsed again after they are inserted.
 */

import type { BarePart, KnownName, TemplatePart, VariablePart } from './template.ts';

/** Values that were determined beforehand: files were read, commands have run, and the user has answered. */
export interface TemplateValues {
  readonly variable: (name: string) => string | undefined;
  readonly input: (id: string) => string | undefined;
  readonly file: (path: string) => string | undefined;
  readonly command: (line: string) => string | undefined;
  readonly known: (name: KnownName) => string | undefined;
}

/**
 * A placeholder without a value. `name` is the variable, the input, the path, the command or the known name.
 */
export interface Unresolved {
  readonly kind: 'variable' | 'input' | 'file' | 'command' | 'known' | 'unsupported';
  readonly raw: string;
  readonly name: string;
  readonly reason?: string;
}

export type Expansion =
  | {
      readonly ok: true;
      readonly text: string;
      /** Placeholders that are still in the text because their agent sends them as written. */
      readonly kept: readonly Unresolved[];
    }
  | { readonly ok: false; readonly missing: readonly Unresolved[] };

type Piece =
  | { readonly text: string; readonly kept?: Unresolved }
  | { readonly text: undefined; readonly missing: Unresolved };

export function expandParts(parts: readonly TemplatePart[], values: TemplateValues): Expansion {
  let text = '';
  const kept: Unresolved[] = [];
  const missing: Unresolved[] = [];
  for (const part of parts) {
    const piece = expandPart(part, values);
    if (piece.text === undefined) missing.push(piece.missing);
    else text += piece.text;
    if (piece.text !== undefined && piece.kept !== undefined) kept.push(piece.kept);
  }
  return missing.length > 0 ? { ok: false, missing } : { ok: true, text, kept };
}

function expandPart(part: TemplatePart, values: TemplateValues): Piece {
  if (part.kind === 'text' || part.kind === 'escaped') return { text: part.text };
  if (part.kind === 'variable') return expandVariable(part, values.variable(part.name));
  if (part.kind === 'bare') return { text: expandBare(part, values.variable(part.name)) };

  const value = valueOf(part, values);
  return value === undefined ? { text: undefined, missing: unresolvedPart(part) } : { text: value };
}

function expandVariable(part: VariablePart, value: string | undefined): Piece {
  const usable = value !== undefined && !(value === '' && part.fallback?.whenEmpty === true);
  if (usable) return { text: value };
  if (part.fallback !== undefined) return { text: part.fallback.text };
  if (part.whenUnset === 'empty') return { text: '' };

  const unresolved = { kind: part.kind, raw: part.raw, name: part.name };
  if (part.whenUnset === 'literal') return { text: part.raw, kept: unresolved };
  return { text: undefined, missing: unresolved };
}

function expandBare(part: BarePart, value: string | undefined): string {
  return value === undefined || value === '' ? part.raw : value;
}

/** The parts that either have a value or cannot be expanded. */
type Asked = Exclude<TemplatePart, { readonly kind: 'text' | 'escaped' | 'variable' | 'bare' }>;

function valueOf(part: Asked, values: TemplateValues): string | undefined {
  if (part.kind === 'input') return values.input(part.id);
  if (part.kind === 'file') return values.file(part.path);
  if (part.kind === 'command') return values.command(part.line);
  return part.kind === 'known' ? values.known(part.name) : undefined;
}

function unresolvedPart(part: Asked): Unresolved {
  const { kind, raw } = part;
  if (part.kind === 'input') return { kind, raw, name: part.id };
  if (part.kind === 'file') return { kind, raw, name: part.path };
  if (part.kind === 'command') return { kind, raw, name: part.line };
  if (part.kind === 'known') return { kind, raw, name: part.name };
  return { kind, raw, name: raw, reason: part.reason };
}
