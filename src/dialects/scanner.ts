/**
 * The scanner that all dialects share. It reads a text once, from left to right, and never scans a match
 * again. Its time is proportional to the length of the text, for any text.
 */

import type { TemplatePart } from './template.ts';

/** A match at one position. Without a part, everything up to `end` is plain text. */
export interface Match {
  readonly end: number;
  readonly part?: TemplatePart;
}

/** One way to write a placeholder. `match` is called only where the text has `opener`. */
export interface Syntax {
  readonly opener: string;
  readonly match: (source: Source, at: number) => Match | undefined;
}

/** How one field is read. The first syntax that matches wins. */
export interface FieldRules {
  readonly syntaxes: ReadonlyMap<string, readonly Syntax[]>;
  /** True if a whole value that looks like a variable's name may be one. */
  readonly bare: boolean;
}

export class Source {
  readonly text: string;
  readonly #found = new Map<string, number>();

  constructor(text: string) {
    this.text = text;
  }

  /**
   * Returns the next offset of `mark`, or -1. Callers pass their current offset, which only grows, so that
   * many openers without a closer cost one search in total.
   */
  next(mark: string, at: number): number {
    const known = this.#found.get(mark);
    if (known !== undefined && (known === -1 || known >= at)) return known;
    const found = this.text.indexOf(mark, at);
    this.#found.set(mark, found);
    return found;
  }
}

export function fieldRules(syntaxes: readonly Syntax[], bare: 'bare' | 'plain' = 'plain'): FieldRules {
  const byOpener = new Map<string, readonly Syntax[]>();
  for (const syntax of syntaxes) {
    byOpener.set(syntax.opener, [...(byOpener.get(syntax.opener) ?? []), syntax]);
  }
  return { syntaxes: byOpener, bare: bare === 'bare' };
}

const wholeName = /^[A-Za-z_][A-Za-z0-9_]*$/;

export function scan(text: string, rules: FieldRules): TemplatePart[] {
  if (rules.bare && wholeName.test(text)) return [{ kind: 'bare', raw: text, name: text }];
  // Most strings have no placeholders, and every listing checks all of them.
  if (!hasOpener(text, rules)) return text === '' ? [] : [{ kind: 'text', text }];

  const source = new Source(text);
  const parts: TemplatePart[] = [];
  let textStart = 0;
  let at = 0;
  while (at < text.length) {
    const match = matchAt(source, at, rules);
    if (match?.part !== undefined) {
      if (at > textStart) parts.push({ kind: 'text', text: text.slice(textStart, at) });
      parts.push(match.part);
      textStart = match.end;
    }
    at = match?.end ?? at + 1;
  }
  if (textStart < text.length) parts.push({ kind: 'text', text: text.slice(textStart) });
  return parts;
}

function hasOpener(text: string, { syntaxes }: FieldRules): boolean {
  for (const opener of syntaxes.keys()) if (text.includes(opener)) return true;
  return false;
}

function matchAt(source: Source, at: number, rules: FieldRules): Match | undefined {
  const candidates = rules.syntaxes.get(source.text.charAt(at));
  if (candidates === undefined) return undefined;
  for (const syntax of candidates) {
    const match = syntax.match(source, at);
    if (match !== undefined) return match;
  }
  return undefined;
}
