/**
 * Prints one line for each config file that cannot be used at all, because its servers are missing without
 * any other message. All commands that list, connect or call do this.
 */

import type { Problem, ProblemCode } from '../../kernel/problems.ts';
import { escapeLine } from '../../masking/escape-text.ts';

const wholeFile: ReadonlySet<ProblemCode> = new Set([
  'file-unreadable',
  'file-not-regular',
  'file-too-large',
  'file-too-deep',
  'file-unsafe',
  'file-syntax',
  'file-shape',
]);

export function fileProblemLines(problems: readonly Problem[]): readonly string[] {
  const broken = problems.filter(({ severity, code }) => severity === 'error' && wholeFile.has(code));
  const lines = broken.map(
    ({ file, line, column, message }) => `${file}:${line}:${column}: ${message}. Run holt doctor for more.`,
  );
  // Several agents may read the same file.
  return [...new Set(lines)].map(escapeLine);
}

export function warnOfFiles(problems: readonly Problem[], warn: (line: string) => void): void {
  for (const line of fileProblemLines(problems)) warn(line);
}
