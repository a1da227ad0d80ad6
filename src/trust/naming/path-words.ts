/**
 * Splits command lines as a shell does, and finds the words that may name a file. Extra words do no harm: a
 * word that names no file is dropped, and an extra file only causes one more question. A missing word would
 * let a script change unnoticed.
 */

const shellSigns = /[\s"'`;|&<>(){}[\]]+/;
const joiners = /[=,:@]+/;
/** Python accepts `-m` combined with other switches and with the name attached; uv uses `--module`. */
const moduleOption = /^(?:-[bBdEiIOPqRsSuvx]*m|--module(?:=|$))(.*)$/s;

/**
 * Returns the string itself, its words as a shell splits them, and their parts: `--require=./x.js`,
 * `-r./x.js`, `file:///x`.
 */
export function pathWords(text: string): readonly string[] {
  const words = new Set<string>([text]);
  const lines = shellLines(text);
  for (const word of [...text.split(shellSigns), text, ...lines.flat()]) {
    words.add(word);
    for (const piece of word.split(joiners)) {
      words.add(piece);
      if (/^-[A-Za-z]./.test(piece)) words.add(piece.slice(2));
    }
  }
  const encoded = [...words].filter((word) => word.includes('%'));
  for (const word of [...encoded.map(decoded), ...lines.flatMap(moduleFiles)]) words.add(word);
  return [...words].filter((word) => word !== '' && !word.includes('\0'));
}

/** `python -m a.b` runs `a/__init__.py`, then `a/b.py` or `a/b/__init__.py` and `a/b/__main__.py`. */
export function moduleFiles(line: readonly string[]): readonly string[] {
  return moduleNames(line).flatMap((name) => {
    const steps = name.split('.');
    const packages = steps.map((_, index) => `${steps.slice(0, index + 1).join('/')}/__init__.py`);
    return [`${steps.join('/')}.py`, ...packages, `${steps.join('/')}/__main__.py`];
  });
}

/** Returns the module names after `-m`. */
export function moduleNames(line: readonly string[]): readonly string[] {
  return line.flatMap((word, index) => {
    const joined = moduleOption.exec(word)?.[1];
    const name = joined === '' ? line[index + 1] : joined;
    return name === undefined || name === '' ? [] : [name];
  });
}

/**
 * Returns every suffix of a path whose start is unknown: `/a/b.js` may be `a/b.js` or `b.js` in the project.
 */
export function pathTails(tail: string): readonly string[] {
  return pathWords(tail).flatMap((word) => {
    const steps = word.split(/[\\/]/).filter((step) => step !== '');
    return steps.map((_, index) => steps.slice(index).join('/'));
  });
}

function decoded(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}

/** Programs that accept a command line as one string. */
export const shells = new Set(
  'sh bash zsh fish dash ash ksh csh tcsh nu busybox cmd powershell pwsh wsl'.split(' '),
);

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
