/**
 * Translates the strings of a definition to another agent's placeholders, and determines what a string means
 * in any dialect.
 */

import { canonicalText, parseTemplate } from '../../dialects/parse-template.ts';
import {
  rawOf,
  type BarePart,
  type FieldKind,
  type TemplatePart,
  type VariablePart,
} from '../../dialects/template.ts';
import type { DialectId, VariableReference } from '../../kernel/servers.ts';

export interface Translator {
  /**
   * Returns the string as the target's files would write it. What the target cannot express stays unchanged.
   */
  text(text: string, field: FieldKind): string;
  /** Returns a value that is taken from a variable, as a string. */
  reference(reference: VariableReference): string;
  /** Returns the variable that a bare word refers to, if the target does not support that form. */
  bareVariable(text: string, field: FieldKind): string | undefined;
  /** Returns the meaning of the string. It equals `written` of the target's string when nothing was lost. */
  meaning(text: string, field: FieldKind): string;
  /** Returns the meaning of a string of the target, in a file of this folder. */
  written(text: string, field: FieldKind, folder: string): string;
}

export interface Translation {
  readonly from: DialectId;
  readonly to: DialectId;
  /** The folder of the source file; paths in placeholders are relative to it. */
  readonly fromFolder: string;
  /** A person typed the strings for the target, so placeholders of the target are intended. */
  readonly typed: boolean;
  /** The environment: a word that may be the name of a variable is one when it is set here. */
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

/** Words in capitals that are far more often values than names of variables. */
const commonValues: ReadonlySet<string> = new Set(
  (
    'ALL ALWAYS ASCII AUTO CRITICAL DEBUG DELETE DEV DEVELOPMENT DISABLED ENABLED ERROR FALSE FATAL GET GMT HEAD HTTP ' +
    'HTTPS INFO JSON MAIN MASTER NEVER NO NONE NOTICE NULL OFF ON PATCH POST PROD PRODUCTION PUT SILENT SQL SSE ' +
    'STAGING STDIO TEST TEXT TRACE TRUE UTC VERBOSE WARN WARNING XML YAML YES'
  ).split(' '),
);

/**
 * Guesses what a bare word means that is not set here. It means a variable where that is set, and itself
 * elsewhere.
 */
function looksLikeVariable(name: string): boolean {
  return /^[A-Z][A-Z0-9_]{2,}$/.test(name) && /[A-Z].*[A-Z_]/.test(name) && !commonValues.has(name);
}

function variableOf({ raw, name }: BarePart): VariablePart {
  return { kind: 'variable', raw, name, whenUnset: 'literal' };
}

interface Reading {
  readonly folder: string;
  /** Decides whether a word that may name a variable is one. */
  readonly isVariable?: (name: string) => boolean;
}

/** Returns the meaning of a string. Ignores whether a default also replaces an empty variable. */
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
      // Any bare word may name a variable there; only those that are set or look like one count as variables.
      if (piece[0] === 'bare') return isVariable(String(piece[1])) ? ['variable', piece[1]] : piece[1];
      return piece.slice(0, 3);
    }),
  );
}

/** Returns the one variable in a string, with the text around it; undefined for any other string. */
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

/** Where `!` starts a command, a literal string that starts with `!` is written with two. */
function needsEscape(parts: readonly TemplatePart[], to: DialectId, field: FieldKind): boolean {
  const [first] = parts;
  if ((to !== 'holt' && to !== 'pi') || (field !== 'env' && field !== 'headers')) return false;
  return first !== undefined && first.kind !== 'command' && spell(first, to).startsWith('!');
}
