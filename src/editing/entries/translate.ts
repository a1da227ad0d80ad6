/** Texts of a definition in another agent's spelling of placeholders, and what a text means whoever wrote it. */

import { canonicalText } from '../../dialects/canonical.ts';
import { parseTemplate } from '../../dialects/parse-template.ts';
import { rawOf, type FieldKind, type TemplatePart, type VariablePart } from '../../dialects/template.ts';
import type { DialectId, VariableReference } from '../../kernel/servers.ts';

export interface Translator {
  /** The text as the target's files would write it. What the target has no word for stays as it was. */
  text(text: string, field: FieldKind): string;
  /** A value that is taken from a variable, as a text. */
  reference(reference: VariableReference): string;
  /** Equal to `meaningOf` the target's text when nothing was lost on the way. */
  meaning(text: string, field: FieldKind): string;
}

export interface Translation {
  readonly from: DialectId;
  readonly to: DialectId;
  /** Where the files lie; paths in placeholders are relative to it. */
  readonly fromFolder: string;
  /** A person typed the texts for the target: where it finds placeholders of its own they are meant. */
  readonly typed: boolean;
}

export function createTranslator({ from, to, fromFolder, typed }: Translation): Translator {
  const isOwn = (text: string, field: FieldKind): boolean =>
    typed && parseTemplate(text, to, field).some(({ kind }) => kind !== 'text' && kind !== 'bare');
  return {
    text: (text, field) => {
      if (from === to || isOwn(text, field)) return text;
      const parts = parseTemplate(text, from, field);
      const spelled = parts.map((part) => spell(part, to)).join('');
      return needsEscape(parts, to, field) ? `!${spelled}` : spelled;
    },
    reference: ({ variable, prefix, suffix }) => `${prefix}${variableText(to, { name: variable })}${suffix}`,
    meaning: (text, field) => meaningOf(text, isOwn(text, field) ? to : from, field, fromFolder),
  };
}

/** What a text says. Whether a default also stands in for an empty variable is no difference here. */
export function meaningOf(text: string, dialect: DialectId, field: FieldKind, folder: string): string {
  const pieces: (string | (string | boolean)[])[] = JSON.parse(canonicalText(text, dialect, field, folder));
  return JSON.stringify(
    pieces.map((piece) => {
      if (typeof piece === 'string') return piece;
      // A plain word may always be the name of a variable there; only what is written like one is taken for it.
      if (piece[0] === 'bare' && !/^[A-Z][A-Z0-9]*_[A-Z0-9_]*$/.test(String(piece[1]))) return piece[1];
      return piece.slice(0, 3);
    }),
  );
}

/** The one variable a text consists of, with what stands around it; undefined for any other text. */
export function singleVariable(
  text: string,
  dialect: DialectId,
  field: FieldKind,
): VariableReference | undefined {
  const parts = parseTemplate(text, dialect, field);
  const variables = parts.filter((part): part is VariablePart => part.kind === 'variable');
  const [only] = variables;
  if (only === undefined || only.fallback !== undefined || variables.length > 1) return undefined;
  if (parts.some(({ kind }) => kind !== 'variable' && kind !== 'text')) return undefined;
  const [prefix = '', suffix = ''] = [
    parts.slice(0, parts.indexOf(only)),
    parts.slice(parts.indexOf(only) + 1),
  ].map((side) => side.map(rawOf).join(''));
  return { variable: only.name, prefix, suffix };
}

function spell(part: TemplatePart, to: DialectId): string {
  if (part.kind === 'variable') return variableText(to, part);
  if (part.kind === 'escaped') return part.text;
  if (part.kind === 'input' && to === 'vscode') return `\${input:${part.id}}`;
  if (part.kind === 'file' && to === 'opencode') return `{file:${part.path}}`;
  if (part.kind === 'file' && to === 'windsurf') return `\${file:${part.path}}`;
  return rawOf(part);
}

const prefixed = new Set<DialectId>(['vscode', 'cursor', 'windsurf', 'env-prefix', 'roo', 'amazon-q']);

function variableText(to: DialectId, { name, fallback }: Pick<VariablePart, 'name' | 'fallback'>): string {
  const inside = fallback === undefined ? name : `${name}:-${fallback.text}`;
  if (to === 'opencode') return `{env:${inside}}`;
  if (to === 'continue') return `\${{ secrets.${inside} }}`;
  return prefixed.has(to) ? `\${env:${inside}}` : `\${${inside}}`;
}

/** Where `!` begins a command, a text that just begins with it is written with two. */
function needsEscape(parts: readonly TemplatePart[], to: DialectId, field: FieldKind): boolean {
  const [first] = parts;
  if ((to !== 'holt' && to !== 'pi') || (field !== 'env' && field !== 'headers')) return false;
  return first !== undefined && first.kind !== 'command' && spell(first, to).startsWith('!');
}
