/** A command line as a person types it, into its words, and words for one that somebody will paste. Quotes and backslashes as in a shell; nothing else has a meaning. */

/** A run of blanks, a quoted stretch, an escaped sign, or plain text. A quote that does not end matches nothing. */
const piece = /(\s+)|'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\]+)/suy;

/** Undefined when a quote is not closed. */
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

/** Files and servers choose their names, so whatever is not plain is quoted as POSIX shells want it. */
export function shellWord(text: string): string {
  return /^[\w./@:-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** As the last word of one of our own command lines: a name that begins with a dash is no option. */
export function nameWord(name: string): string {
  return name.startsWith('-') ? `-- ${shellWord(name)}` : shellWord(name);
}
