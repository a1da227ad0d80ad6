/** A command line as a person types it, into its words. Quotes and backslashes as in a shell; nothing else has a meaning. */

/** Undefined when a quote is not closed. */
export function splitWords(line: string): string[] | undefined {
  const words: string[] = [];
  let word = '';
  let inWord = false;
  let quote = '';
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (quote !== '') {
      if (character === quote) quote = '';
      else if (character === '\\' && quote === '"' && /["\\$`]/.test(line.charAt(at + 1))) word += line.charAt((at += 1));
      else word += character;
    } else if (character === '"' || character === "'") {
      quote = character;
      inWord = true;
    } else if (character === '\\' && at + 1 < line.length) {
      word += line.charAt((at += 1));
      inWord = true;
    } else if (/\s/.test(character)) {
      if (inWord) words.push(word);
      word = '';
      inWord = false;
    } else {
      word += character;
      inWord = true;
    }
  }
  if (quote !== '') return undefined;
  return inWord ? [...words, word] : words;
}
