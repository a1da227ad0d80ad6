/**
 * Splits a command line into words, and quotes words for commands that users paste. Quotes and backslashes
 * work as in a shell; no other character is special.
 */

/** Whitespace, a quoted section, an escaped character, or plain text. An unclosed quote matches nothing. */
const piece = /(\s+)|'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\]+)/suy;

/** Splits a line into words. Returns undefined when a quote is not closed. */
export function splitWords(line: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  piece.lastIndex = 0;
  while (piece.lastIndex < line.length) {
    const match = piece.exec(line);
    if (match === null) return undefined;
    const [, blanks, single, double, escaped, plain] = match;
    if (blanks === undefined) {
      word = (word ?? '') + (single ?? double?.replaceAll(/\\(["\\$`])/g, '$1') ?? escaped ?? plain ?? '');
    } else if (word !== undefined) {
      words.push(word);
      word = undefined;
    }
  }
  return word === undefined ? words : [...words, word];
}

/**
 * Quotes a word for POSIX shells unless it is plain. Files and servers choose their own names, so no name is
 * safe to paste.
 */
export function shellWord(text: string): string {
  return /^[\w./@:-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * Quotes a name as the last word of one of holt's own commands, so that a leading dash is not read as an
 * option.
 */
export function nameWord(name: string): string {
  return name.startsWith('-') ? `-- ${shellWord(name)}` : shellWord(name);
}
