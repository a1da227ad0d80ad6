/**
 * Parses JSON with comments and trailing commas into a tree with offsets. Always lenient: `liberties` records
 * what strict parsers would reject.
 */

import {
  DocumentFault,
  maxDepth,
  tooDeep,
  unparsed,
  type DocNode,
  type Document,
  type ObjectEntry,
} from './tree.ts';

/** `text` has no byte order mark; `origin` says how its bytes were written. */
export function parseJson(
  text: string,
  origin: { readonly bom: boolean; readonly utf16: boolean },
): Document {
  const scanner = new Scanner(text);
  try {
    const root = scanner.document();
    return {
      ok: true,
      text,
      root,
      liberties: { ...origin, comments: scanner.comments, trailingCommas: scanner.trailingCommas },
    };
  } catch (fault) {
    return unparsed(text, fault);
  }
}

const literals = [
  { word: 'true', kind: 'boolean', value: true },
  { word: 'false', kind: 'boolean', value: false },
  { word: 'null', kind: 'null' },
] as const;

const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** A string without escapes and control characters, which is used unchanged. */
const plainString = /"[ !#-[\]-\uffff]*"/y;
const spaces = /[ \t\r\n\u00a0\ufeff]*/y;

class Scanner {
  comments = false;
  trailingCommas = false;
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): DocNode | undefined {
    this.#skip();
    if (this.#at >= this.#text.length) return undefined;
    const root = this.#value(0);
    this.#skip();
    if (this.#at < this.#text.length) throw this.#fault('text after the end of the value');
    return root;
  }

  #fault(message: string, offset = this.#at): DocumentFault {
    return new DocumentFault(message, offset);
  }

  #skip(): void {
    for (;;) {
      spaces.lastIndex = this.#at;
      spaces.test(this.#text);
      this.#at = spaces.lastIndex;
      if (this.#text[this.#at] !== '/') return;
      this.#comment();
    }
  }

  #comment(): void {
    const next = this.#text[this.#at + 1];
    if (next === '/') {
      const end = this.#text.indexOf('\n', this.#at);
      this.#at = end === -1 ? this.#text.length : end + 1;
    } else if (next === '*') {
      const end = this.#text.indexOf('*/', this.#at + 2);
      if (end === -1) throw this.#fault('a comment that does not end');
      this.#at = end + 2;
    } else throw this.#fault('unexpected "/"');
    this.comments = true;
  }

  #value(depth: number): DocNode {
    const start = this.#at;
    const character = this.#text[start];
    if (character === '{' || character === '[') {
      if (depth >= maxDepth) throw tooDeep(start);
      return character === '{' ? this.#object(depth + 1) : this.#array(depth + 1);
    }
    if (character === '"') {
      const value = this.#string();
      return { kind: 'string', value, start, end: this.#at };
    }
    return this.#word(start, character);
  }

  #word(start: number, character: string | undefined): DocNode {
    for (const literal of literals) {
      if (!this.#text.startsWith(literal.word, start)) continue;
      this.#at = start + literal.word.length;
      const span = { start, end: this.#at };
      return literal.kind === 'null'
        ? { kind: 'null', ...span }
        : { kind: 'boolean', value: literal.value, ...span };
    }
    numberPattern.lastIndex = start;
    if (character !== undefined && numberPattern.test(this.#text)) {
      this.#at = numberPattern.lastIndex;
      return { kind: 'number', value: Number(this.#text.slice(start, this.#at)), start, end: this.#at };
    }
    throw this.#fault(
      character === undefined ? 'the text ends too early' : `unexpected ${JSON.stringify(character)}`,
    );
  }

  #object(depth: number): DocNode {
    const start = this.#at;
    const entries: ObjectEntry[] = [];
    this.#at += 1;
    for (;;) {
      this.#skip();
      if (this.#closes('}', entries.length > 0)) return { kind: 'object', entries, start, end: this.#at };
      const keyStart = this.#at;
      if (this.#text[keyStart] !== '"') throw this.#fault('a property name in double quotes is missing');
      const key = this.#string();
      this.#skip();
      if (this.#text[this.#at] !== ':') throw this.#fault('":" is missing after a property name');
      this.#at += 1;
      this.#skip();
      entries.push({ key, keyStart, value: this.#value(depth) });
      this.#skip();
      if (this.#separator('}')) return { kind: 'object', entries, start, end: this.#at };
    }
  }

  #array(depth: number): DocNode {
    const start = this.#at;
    const items: DocNode[] = [];
    this.#at += 1;
    for (;;) {
      this.#skip();
      if (this.#closes(']', items.length > 0)) return { kind: 'array', items, start, end: this.#at };
      items.push(this.#value(depth));
      this.#skip();
      if (this.#separator(']')) return { kind: 'array', items, start, end: this.#at };
    }
  }

  /** Consumes a closing bracket where an item could be: the list is empty or has a trailing comma. */
  #closes(bracket: string, afterComma: boolean): boolean {
    if (this.#text[this.#at] !== bracket) return false;
    if (afterComma) this.trailingCommas = true;
    this.#at += 1;
    return true;
  }

  /** Consumes a comma and returns false, or consumes the closing bracket and returns true. */
  #separator(bracket: string): boolean {
    const character = this.#text[this.#at];
    if (character !== ',' && character !== bracket) {
      throw this.#fault(
        character === undefined ? 'the text ends too early' : `"," or "${bracket}" is missing`,
      );
    }
    this.#at += 1;
    return character === bracket;
  }

  #string(): string {
    const start = this.#at;
    plainString.lastIndex = start;
    if (!plainString.test(this.#text)) return this.#escapedString();
    this.#at = plainString.lastIndex;
    return this.#text.slice(start + 1, this.#at - 1);
  }

  #escapedString(): string {
    const start = this.#at;
    let end = start + 1;
    for (;;) {
      const character = this.#text[end];
      if (character === undefined || character === '\n')
        throw this.#fault('a string that does not end', start);
      if (character === '"') break;
      end += character === '\\' ? 2 : 1;
    }
    this.#at = end + 1;
    return this.#unescape(start, end + 1);
  }

  #unescape(start: number, end: number): string {
    try {
      const value: unknown = JSON.parse(this.#text.slice(start, end));
      if (typeof value === 'string') return value;
    } catch {
      // reported below
    }
    throw this.#fault('a string with an invalid character or escape', start);
  }
}

/**
 * Reads a value that is given as text: as JSON if it parses, else as a string.
 * With `commas`, a list of words needs no brackets.
 */
export function nodeOfText(text: string, { commas }: { readonly commas?: true }): DocNode {
  const document = parseJson(text, { bom: false, utf16: false });
  if (document.ok && document.root !== undefined) return document.root;
  const whole = (value: string): DocNode => ({ kind: 'string', value, start: 0, end: text.length });
  if (commas === undefined) return whole(text);
  const words = text.split(',').map((word) => word.trim());
  return { kind: 'array', items: words.filter((word) => word !== '').map(whole), start: 0, end: text.length };
}
