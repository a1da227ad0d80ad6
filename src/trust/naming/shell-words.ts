/** A text as a shell would take it apart: quotes joined to what stands beside them, and the texts within texts. */

/** Programs that take such a text. */
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
/** Windows writes paths with it: there a backslash is a letter like others. */
const withoutEscapes = new RegExp(
  String.raw`'([^']*)'?|"([^"]*)"?|(?!)(.)|([${signs}]+)|([^'"${signs}]+)`,
  'gs',
);

/** `sh -c "sh -c '…'"` is a text in a text; nobody writes more than a few. */
const maxDepth = 3;

/** One list of words for each way to read the text, and for each text within it. */
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
      // A line that goes on after a backslash is one line.
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
