/** A command line in one text, taken apart as a shell would: quotes hold words together, a backslash keeps a sign. */

/** A path of Windows: its backslashes are no escapes, and its blanks no ends of words. */
const windowsPath = /^\s*(?:[a-z]:[\\/]|\\\\)/i;

const quoted = /'((?:\\[\s\S]|[^'\\])*)'|"((?:\\[\s\S]|[^"\\])*)"/;
const piece = new RegExp(String.raw`\\[\s\S]|${quoted.source}|['"]|[^\s'"]`, 'g');
const word = new RegExp(`(?:${piece.source})+`, 'g');

export function splitCommandLine(line: string): readonly string[] {
  if (windowsPath.test(line)) return [line];
  return (line.match(word) ?? []).map((text) => text.replaceAll(piece, unquote));
}

function unquote(text: string, single?: string, double?: string): string {
  return (single ?? double ?? text).replaceAll(/\\([\s\S])/g, '$1');
}
