/** Texts of a definition in another agent's spelling of placeholders, and what a text means whoever wrote it. */

import { canonicalText } from '../../dialects/canonical.ts';
import { parseTemplate } from '../../dialects/parse-template.ts';
import {
  rawOf,
  type BarePart,
  type FieldKind,
  type TemplatePart,
  type VariablePart,
} from '../../dialects/template.ts';
import type { DialectId, VariableReference } from '../../kernel/servers.ts';

export interface Translator {
  /** The text as the target's files would write it. What the target has no word for stays as it was. */
  text(text: string, field: FieldKind): string;
  /** A value that is taken from a variable, as a text. */
  reference(reference: VariableReference): string;
  /** The variable that a bare word is taken for, which the target does not know in that form. */
  bareVariable(text: string, field: FieldKind): string | undefined;
  /** What the text says. Equal to `written` of the target's text when nothing was lost on the way. */
  meaning(text: string, field: FieldKind): string;
  /** What a text of the target says, in a file of this folder. */
  written(text: string, field: FieldKind, folder: string): string;
}

export interface Translation {
  readonly from: DialectId;
  readonly to: DialectId;
  /** Where the files lie; paths in placeholders are relative to it. */
  readonly fromFolder: string;
  /** A person typed the texts for the target: where it finds placeholders of its own they are meant. */
  readonly typed: boolean;
  /** The environment: a word that may be the name of a variable is one when it is set. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export function createTranslator({ from, to, fromFolder, typed, env = {} }: Translation): Translator {
  const isVariable = (name: string): boolean => env[name] !== undefined || looksLikeVariable(name);
  const partsOf = (text: string, field: FieldKind): readonly TemplatePart[] =>
    parseTemplate(text, from, field).map((part) =>
      part.kind === 'bare' && isVariable(part.name) ? variableOf(part) : part,
    );
  const isOwn = (text: string, field: FieldKind): boolean =>
    typed && parseTemplate(text, to, field).some(({ kind }) => kind !== 'text' && kind !== 'bare');
  return {
    text: (text, field) => {
      if (from === to || isOwn(text, field)) return text;
      const parts = partsOf(text, field);
      const spelled = parts.map((part) => spell(part, to)).join('');
      return needsEscape(parts, to, field) ? `!${spelled}` : spelled;
    },
    reference: ({ variable, prefix, suffix }) => `${prefix}${variableText(to, { name: variable })}${suffix}`,
    meaning: (text, field) => {
      const dialect = isOwn(text, field) ? to : from;
      return meaningOf(text, dialect, field, { folder: fromFolder, isVariable });
    },
    written: (text, field, folder) => meaningOf(text, to, field, { folder, isVariable }),
    bareVariable: (text, field) => {
      const [only] = from === to || isOwn(text, field) ? [] : parseTemplate(text, from, field);
      return only?.kind === 'bare' && isVariable(only.name) ? only.name : undefined;
    },
  };
}

/** Words in capitals that are values far more often than names of variables. */
const commonValues: ReadonlySet<string> = new Set(
  (
    'ALL ALWAYS ASCII AUTO CRITICAL DEBUG DELETE DEV DEVELOPMENT DISABLED ENABLED ERROR FALSE FATAL GET GMT HEAD HTTP ' +
    'HTTPS INFO JSON MAIN MASTER NEVER NO NONE NOTICE NULL OFF ON PATCH POST PROD PRODUCTION PUT SILENT SQL SSE ' +
    'STAGING STDIO TEST TEXT TRACE TRUE UTC VERBOSE WARN WARNING XML YAML YES'
  ).split(' '),
);

/** A bare word that stands for a variable where it is set, and for itself where not: what is it when it is not set here? */
function looksLikeVariable(name: string): boolean {
  return /^[A-Z][A-Z0-9_]{2,}$/.test(name) && /[A-Z].*[A-Z_]/.test(name) && !commonValues.has(name);
}

function variableOf({ raw, name }: BarePart): VariablePart {
  return { kind: 'variable', raw, name, whenUnset: 'literal' };
}

interface Reading {
  readonly folder: string;
  /** Whether a word that may be the name of a variable is one. */
  readonly isVariable?: (name: string) => boolean;
}

/** What a text says. Whether a default also stands in for an empty variable is no difference here. */
export function meaningOf(
  text: string,
  dialect: DialectId,
  field: FieldKind,
  { folder, isVariable = looksLikeVariable }: Reading,
): string {
  const pieces: (string | (string | boolean)[])[] = JSON.parse(canonicalText(text, dialect, field, folder));
  return JSON.stringify(
    pieces.map((piece) => {
      if (typeof piece === 'string') return piece;
      // A plain word may always be the name of a variable there; only what is set or written like one is taken for it.
      if (piece[0] === 'bare') return isVariable(String(piece[1])) ? ['variable', piece[1]] : piece[1];
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
  const parts = parseTemplate(text, dialect, field).map((part) =>
    part.kind === 'bare' && looksLikeVariable(part.name) ? variableOf(part) : part,
  );
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
