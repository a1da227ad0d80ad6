/**
 * Config files of which nothing can be used: the servers in them are missing without another word. Every command that lists,
 * connects or calls prints one line for each, beside its output.
 */

import type { Problem, ProblemCode } from '../kernel/problems.ts';
import { escapeLine } from '../masking/escape-text.ts';

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
  // Several agents read some files.
  return [...new Set(lines)].map(escapeLine);
}

export function warnOfFiles(problems: readonly Problem[], warn: (line: string) => void): void {
  for (const line of fileProblemLines(problems)) warn(line);
}
