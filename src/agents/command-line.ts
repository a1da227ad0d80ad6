/**
 * Splits a command line as a shell would: quotes keep words together, and a backslash escapes a character.
 */

/** A Windows path: its backslashes are not escapes, and its spaces do not separate words. */
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
