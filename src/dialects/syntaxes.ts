/** The ways in which agents write placeholders, as building blocks for the table of dialects. */

import type { Match, Source, Syntax } from './scanner.ts';
import type { KnownName, TemplatePart, VariablePart, WhenUnset } from './template.ts';

/**
 * The characters that names may have. No set includes an opener, so no two attempts read the same characters.
 */
export const identifier = /[A-Za-z_][A-Za-z0-9_]*/y;
export const word = /\w+/y;
/** The names that real environments contain, `ProgramFiles(x86)` among them. */
export const loose = /[^\s${}:=]+/y;

export interface NameRule {
  readonly name: RegExp;
  readonly whenUnset: WhenUnset;
}

export interface BracedRule extends NameRule {
  /** The text between the brace and the name, such as `env:`. */
  readonly prefix?: string;
  /**
   * When the text after `:-` is used: only for an unset variable, or for an empty one too.
   * Without this rule, `:-` has no meaning.
   */
  readonly fallback?: 'unset' | 'empty';
  /** Blanks around the name are allowed. */
  readonly padded?: true;
  /**
   * Most agents read up to the first `}` and treat an invalid name, with everything inside, as text. For the
   * others only the opener is text, and a placeholder after it still counts.
   */
  readonly misfit?: 'is-text';
}

/** `${NAME}`, `${NAME:-text}`, `${env:NAME}`. The first `}` ends it. */
export function braced(rule: BracedRule): Syntax {
  const open = `\${${rule.prefix ?? ''}`;
  return {
    opener: '$',
    match(source, at) {
      if (!source.text.startsWith(open, at)) return undefined;
      const close = source.next('}', at);
      if (close === -1) return undefined;
      const part = bracedVariable(source.text, { at, from: at + open.length, close }, rule);
      if (part !== undefined) return { end: close + 1, part };
      return rule.misfit === 'is-text' ? undefined : { end: close + 1 };
    },
  };
}

interface Braces {
  readonly at: number;
  readonly from: number;
  readonly close: number;
}

function bracedVariable(text: string, braces: Braces, rule: BracedRule): VariablePart | undefined {
  const from = rule.padded === true ? endOf(blanks, text, braces.from) : braces.from;
  const nameEnd = endOf(rule.name, text, from);
  if (nameEnd === from) return undefined;
  const raw = text.slice(braces.at, braces.close + 1);
  const part = variable(raw, text.slice(from, nameEnd), rule.whenUnset);

  const after = rule.padded === true ? endOf(blanks, text, nameEnd) : nameEnd;
  if (after === braces.close) return part;
  if (rule.fallback === undefined || !text.startsWith(':-', after)) return undefined;
  const fallback = { text: text.slice(after + 2, braces.close), whenEmpty: rule.fallback === 'empty' };
  return { ...part, fallback };
}

const blanks = /[ \t]+/y;

/** `$NAME`, or with a prefix `$env:NAME`. */
export function dollar(rule: NameRule & { readonly prefix?: string }): Syntax {
  return marked('$', { open: `$${rule.prefix ?? ''}`, close: '' }, rule);
}

/** `%NAME%` */
export function percent(rule: NameRule): Syntax {
  return marked('%', { open: '%', close: '%' }, rule);
}

/** `{env:NAME}` */
export function curlyVariable(rule: NameRule): Syntax {
  return marked('{', { open: '{env:', close: '}' }, rule);
}

function marked(
  opener: string,
  marks: { readonly open: string; readonly close: string },
  rule: NameRule,
): Syntax {
  return {
    opener,
    match({ text }, at) {
      if (!text.startsWith(marks.open, at)) return undefined;
      const from = at + marks.open.length;
      const nameEnd = endOf(rule.name, text, from);
      if (nameEnd === from || !text.startsWith(marks.close, nameEnd)) return undefined;
      const end = nameEnd + marks.close.length;
      const part = variable(text.slice(at, end), text.slice(from, nameEnd), rule.whenUnset);
      return { end, part };
    },
  };
}

/** `$env:NAME`, only as the whole value. */
export function wholeDollarEnv(whenUnset: WhenUnset): Syntax {
  const open = '$env:';
  return {
    opener: '$',
    match({ text }, at) {
      if (at !== 0 || !text.startsWith(open) || text.length === open.length) return undefined;
      return { end: text.length, part: variable(text, text.slice(open.length), whenUnset) };
    },
  };
}

/**
 * `${NAME}` as the whole value, where `:-`, `:` and `-` each begin a fallback for an unset or empty variable.
 */
export function wholeBraced(whenUnset: WhenUnset): Syntax {
  return {
    opener: '$',
    match(source, at) {
      const { text } = source;
      if (at !== 0 || !text.startsWith('${') || source.next('}', at) !== text.length - 1) return undefined;
      const nameEnd = endOf(identifier, text, 2);
      if (nameEnd === 2) return undefined;
      const part = variable(text, text.slice(2, nameEnd), whenUnset);
      if (nameEnd === text.length - 1) return { end: text.length, part };
      const fallback = { text: text.slice(endOf(separator, text, nameEnd), -1), whenEmpty: true };
      return { end: text.length, part: { ...part, fallback } };
    },
  };
}

const separator = /:-?|-/y;

/** A fixed placeholder for a value that this program knows. */
export function known(raw: string, name: KnownName): Syntax {
  return exactly({ kind: 'known', raw, name });
}

/** A fixed placeholder that only the agent can fill in. */
export function agentOnly(raw: string, reason: string): Syntax {
  return exactly({ kind: 'unsupported', raw, reason });
}

function exactly(part: TemplatePart & { readonly raw: string }): Syntax {
  return {
    opener: part.raw.charAt(0),
    match: ({ text }, at) =>
      text.startsWith(part.raw, at) ? { end: at + part.raw.length, part } : undefined,
  };
}

/**
 * `open … }`, where `make` builds the part from the text in between. Without text in between it is not a
 * placeholder. If `make` returns `undefined`, the whole match is plain text.
 */
export function enclosed(
  open: string,
  make: (inside: string, raw: string) => TemplatePart | undefined,
): Syntax {
  return {
    opener: open.charAt(0),
    match: (source, at) => matchEnclosed(source, at, { open, close: '}', make }),
  };
}

/** `${{ name }}` */
export function doubleBraced(make: (inside: string, raw: string) => TemplatePart | undefined): Syntax {
  return {
    opener: '$',
    match: (source, at) => matchEnclosed(source, at, { open: '${{', close: '}}', make }),
  };
}

interface Enclosure {
  readonly open: string;
  readonly close: string;
  readonly make: (inside: string, raw: string) => TemplatePart | undefined;
}

function matchEnclosed(source: Source, at: number, { open, close, make }: Enclosure): Match | undefined {
  if (!source.text.startsWith(open, at)) return undefined;
  const closeAt = source.next(close, at);
  const from = at + open.length;
  if (closeAt <= from) return undefined;
  const end = closeAt + close.length;
  const part = make(source.text.slice(from, closeAt), source.text.slice(at, end));
  return part === undefined ? { end } : { end, part };
}

/** `!command` as the whole value. If `escape` is true, `!!` at the start means a literal `!`. */
export function bang(rule: { readonly shell: boolean; readonly escape: boolean }): Syntax {
  return {
    opener: '!',
    match({ text }, at) {
      if (at !== 0) return undefined;
      if (rule.escape && text.startsWith('!!'))
        return { end: 2, part: { kind: 'escaped', raw: '!!', text: '!' } };
      const line = text.slice(1).trim();
      if (line === '') {
        return { end: text.length, part: { kind: 'unsupported', raw: text, reason: 'no command after "!"' } };
      }
      return { end: text.length, part: { kind: 'command', raw: text, line, shell: rule.shell } };
    },
  };
}

/** A backslash before a placeholder makes it plain text. */
export function backslashed(placeholder: Syntax): Syntax {
  return {
    opener: '\\',
    match(source, at) {
      const match = source.text.startsWith(placeholder.opener, at + 1)
        ? placeholder.match(source, at + 1)
        : undefined;
      if (match?.part === undefined) return undefined;
      const raw = source.text.slice(at, match.end);
      return { end: match.end, part: { kind: 'escaped', raw, text: raw.slice(1) } };
    },
  };
}

export function variable(raw: string, name: string, whenUnset: WhenUnset): VariablePart {
  return { kind: 'variable', raw, name, whenUnset };
}

/**
 * Returns where the run of matching characters that begins at `from` ends; `from` itself if there is none.
 */
export function endOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}
