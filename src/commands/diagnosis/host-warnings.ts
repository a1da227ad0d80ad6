/**
 * Prints one line for each warning of a host, and for each config file that cannot be used at all, because its servers
 * are missing without any other message. All commands that list, connect or call do this.
 */

import type { Host } from '../../host/host.ts';
import type { Problem, ProblemCode } from '../../kernel/problems.ts';
import { escapeLine } from '../../masking/escape-text.ts';
import type { CommandContext } from '../command.ts';

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

/** How often each warning of a host is printed. A restarted server repeats some of them. */
const hostWarnings: Readonly<Record<string, 'once' | 'always'>> = {
  // A list was cut because it is too long, so output may lack entries.
  'list-cut': 'once',
  // More calls are asked about and fewer denied. `holt doctor` shows what is wrong with the file.
  'rules-unreadable': 'always',
  // The check or change of the hook was skipped.
  'hook-failed': 'always',
};

/** A terminal shows them as toasts. Elsewhere they go to stderr, for the log of a job. */
const loginWarnings: typeof hostWarnings = {
  'login-store': 'once',
  'credential-missing': 'once',
  'credential-expired': 'once',
  'login-callback-ignored': 'once',
};

/** Prints the warnings of a host from now on. Where nothing shows toasts, those about logins too. */
export function warnOfHost(
  host: Pick<Host, 'on'>,
  { warn, hasToasts }: Pick<CommandContext, 'warn'> & { readonly hasToasts: boolean },
): void {
  const shown = hasToasts ? hostWarnings : { ...hostWarnings, ...loginWarnings };
  const printed = new Set<string>();
  host.on('mcp.warning', ({ code, message }) => {
    const often = shown[code];
    if (often === undefined || (often === 'once' && printed.has(message))) return;
    printed.add(message);
    warn(escapeLine(message));
  });
}
