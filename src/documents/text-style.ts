/** Describes the layout of a text: its line breaks, its indentation, and where its lines begin and end. */

export interface TextStyle {
  /** One level of indentation. */
  readonly indent: string;
  readonly eol: '\n' | '\r\n';
}

export function detectStyle(text: string): TextStyle {
  return { indent: detectIndent(text), eol: detectEol(text) };
}

/** The line break of the first line. */
export function detectEol(text: string): '\n' | '\r\n' {
  const at = text.indexOf('\n');
  return at > 0 && text[at - 1] === '\r' ? '\r\n' : '\n';
}

const indented = /^([ \t]*)(?=\S)(?!\/\/|\*|#)/gm;

/**
 * Returns one level of indentation, from the first line that is
 * indented deeper than the line before it. Default: two spaces.
 */
export function detectIndent(text: string): string {
  let previous = '';
  for (const [, indent = ''] of text.matchAll(indented)) {
    if (indent.length > previous.length && indent.startsWith(previous)) return indent.slice(previous.length);
    previous = indent;
  }
  return '  ';
}

export function lineStartAt(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}

/** Where the line break of the line begins, or where the text ends. */
export function lineEndAt(text: string, offset: number): number {
  const at = text.indexOf('\n', offset);
  if (at === -1) return text.length;
  return at > offset && text[at - 1] === '\r' ? at - 1 : at;
}

/** Where the next line begins, or where the text ends. */
export function nextLineAt(text: string, offset: number): number {
  const at = text.indexOf('\n', offset);
  return at === -1 ? text.length : at + 1;
}

/** The white space at the start of the line of `offset`. */
export function indentAt(text: string, offset: number): string {
  const start = lineStartAt(text, offset);
  let end = start;
  while (text[end] === ' ' || text[end] === '\t') end += 1;
  return text.slice(start, end);
}

export function isFirstOnLine(text: string, offset: number): boolean {
  return lineStartAt(text, offset) + indentAt(text, offset).length >= offset;
}

export function isLineBreak(text: string, offset: number): boolean {
  return text[offset] === '\n' || (text[offset] === '\r' && text[offset + 1] === '\n');
}

export function isBlank(text: string): boolean {
  return text.trim() === '';
}
