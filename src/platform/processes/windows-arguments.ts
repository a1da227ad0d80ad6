/**
 * Builds command lines for Windows, where a program receives a single string and parses it itself. Batch
 * files parse it twice, first as commands. Characters that are special there are refused, because no quoting
 * covers all cases.
 */

export function isBatchFile(program: string): boolean {
  // Windows ignores trailing dots and spaces in file names.
  return /\.(?:cmd|bat)[. ]*$/i.test(program);
}

/** Quotes an argument so that programs built with the usual C runtime receive it unchanged. */
export function quoteWindowsArgument(argument: string): string {
  if (argument !== '' && !/[\s"]/.test(argument)) return argument;
  // Backslashes are special only before a quote, where two of them mean one.
  const escaped = argument.replaceAll(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1');
  return `"${escaped}"`;
}

export type BatchLine =
  | { readonly ok: true; readonly line: string }
  /** `argument` counts from 1; 0 is the program. */
  | { readonly ok: false; readonly argument: number; readonly character: string };

const dangerous = /["%!&|<>^\r\n\0]/;

/**
 * Returns the string to append to `cmd.exe /d /v:off /s /c`, or the argument that a batch file cannot receive
 * safely.
 */
export function batchLine(program: string, args: readonly string[]): BatchLine {
  const words = [program, ...args];
  for (const [index, word] of words.entries()) {
    const character = dangerous.exec(word)?.[0];
    if (character !== undefined) return { ok: false, argument: index, character };
  }
  // Quote every word: a comma, semicolon or equals sign would otherwise split an argument.
  const quoted = words.map((word) => `"${word.replace(/(\\+)$/, '$1$1')}"`);
  return { ok: true, line: `"${quoted.join(' ')}"` };
}
