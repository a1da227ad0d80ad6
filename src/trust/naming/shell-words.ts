/**
 * Splits a string as a shell does: joins quoted parts to adjacent text, and splits strings nested in it too.
 */

/** Programs that accept a command line as one string. */
export const shells = new Set([
  'sh',
  'bash',
  'zsh',
  'fish',
  'dash',
  'ash',
  'ksh',
  'csh',
  'tcsh',
  'nu',
  'busybox',
  'cmd',
  'powershell',
  'pwsh',
  'wsl',
]);

const signs = String.raw`\s;|&<>()` + '`';
const withEscapes = new RegExp(
  String.raw`'([^']*)'?|"((?:\\.|[^"\\])*)"?|\\(.)|([${signs}]+)|([^'"\\${signs}]+|\\)`,
  'gs',
);
/** For Windows paths, in which a backslash is an ordinary character. */
const withoutEscapes = new RegExp(
  String.raw`'([^']*)'?|"([^"]*)"?|(?!)(.)|([${signs}]+)|([^'"${signs}]+)`,
  'gs',
);

/** `sh -c "sh -c '…'"` nests one string in another. Real command lines nest only a few. */
const maxDepth = 3;

/** Returns one list of words for each way to read the string, and for each string nested in it. */
export function shellLines(text: string, depth = maxDepth): readonly (readonly string[])[] {
  const readings = text.includes('\\') ? [withEscapes, withoutEscapes] : [withEscapes];
  return readings.flatMap((pieces) => {
    const line = wordsOf(text, pieces);
    const inner = depth === 0 ? [] : line.filter((word) => word !== text && /[\s'"\\]/.test(word));
    return [line, ...inner.flatMap((word) => shellLines(word, depth - 1))];
  });
}

function wordsOf(text: string, pieces: RegExp): readonly string[] {
  const words: string[] = [];
  let word = '';
  for (const [, single, double, escaped, gap, plain] of text.matchAll(pieces)) {
    if (gap === undefined) {
      // A backslash before a line break continues the line.
      const letter = escaped === '\n' ? '' : escaped;
      word += single ?? (double === undefined ? (letter ?? plain ?? '') : unescaped(double, pieces));
    } else {
      words.push(word);
      word = '';
    }
  }
  return [...words, word].filter((one) => one !== '');
}

function unescaped(quoted: string, pieces: RegExp): string {
  return pieces === withEscapes ? quoted.replaceAll(/\\(?:(["\\$`])|\n)/g, '$1') : quoted;
}
