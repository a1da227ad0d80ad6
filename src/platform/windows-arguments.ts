/**
 * Command lines for Windows, where a program gets one text and takes it apart itself. Batch files take it apart twice,
 * the first time as commands: what would have a meaning there is refused, because no quoting holds for all of it.
 */

export function isBatchFile(program: string): boolean {
  // Trailing dots and blanks do not count in names there.
  return /\.(?:cmd|bat)[. ]*$/i.test(program);
}

/** Quoted so that a program built with the usual C runtime sees this very text. */
export function quoteWindowsArgument(argument: string): string {
  if (argument !== '' && !/[\s"]/.test(argument)) return argument;
  // Backslashes count only in front of a quote: there each stands for half of one.
  const escaped = argument.replaceAll(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1');
  return `"${escaped}"`;
}

export type BatchLine =
  | { readonly ok: true; readonly line: string }
  /** `argument` counts from 1; 0 is the program. */
  | { readonly ok: false; readonly argument: number; readonly character: string };

const dangerous = /["%!&|<>^\r\n\0]/;

/** What follows `cmd.exe /d /v:off /s /c`, or which argument cannot be given to a batch file safely. */
export function batchLine(program: string, args: readonly string[]): BatchLine {
  const words = [program, ...args];
  for (const [index, word] of words.entries()) {
    const character = dangerous.exec(word)?.[0];
    if (character !== undefined) return { ok: false, argument: index, character };
  }
  // All of them in quotes: a comma, a semicolon or an equals sign would otherwise part an argument in two.
  const quoted = words.map((word) => `"${word.replace(/(\\+)$/, '$1$1')}"`);
  return { ok: true, line: `"${quoted.join(' ')}"` };
}
