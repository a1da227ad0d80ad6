/** `holt doctor`: every file that was read, what is wrong with it, and how to mend it. Connects nothing. */

import { escapeLine } from '../masking/escape-text.ts';
import type { Problem, Severity } from '../kernel/problems.ts';
import type { SourceSummary } from '../discovery/discover.ts';
import type { Style } from '../terminal/style.ts';
import { formatTable } from '../terminal/table.ts';
import { defineCommand } from './command.ts';
import { shadowProblems } from './shadow-problems.ts';

export interface DoctorData {
  readonly problems: readonly Problem[];
  readonly sources: readonly SourceSummary[];
  readonly verbose: boolean;
}

export const doctor = defineCommand<DoctorData>({
  name: 'doctor',
  summary: 'What is wrong with the config files, and how to mend it',
  usage: 'doctor',
  options: {},

  async run(_input, context) {
    const roster = await context.loadRoster();
    return {
      problems: [...roster.problems, ...shadowProblems(roster)],
      sources: roster.sources,
      verbose: context.verbose,
    };
  },

  render({ problems, sources, verbose }, style) {
    const found = sources.filter(({ exists }) => exists);
    return [
      style.bold(`${found.length} config files of ${new Set(found.map(({ agent }) => agent)).size} agents`),
      ...formatTable(
        (verbose ? sources : found).map(({ agent, scope, file, servers, exists }) => [
          `  ${agent}`,
          scope,
          exists ? `${servers} server${servers === 1 ? '' : 's'}` : 'not there',
          escapeLine(file),
        ]),
      ),
      ...problems.flatMap((problem) => ['', ...problemLines(problem, style)]),
      '',
      summaryLine(problems, style),
    ];
  },

  json: ({ problems, sources }) => ({
    ok: !problems.some(({ severity }) => severity === 'error'),
    problems,
    sources: sources.map(({ agent, scope, file, exists, servers, readers }) => ({ agent, scope, file, exists, servers, readers })),
  }),

  exitCode: ({ problems }) => (problems.some(({ severity }) => severity === 'error') ? 1 : 0),
});

function problemLines({ severity, code, file, line, column, message, remedy }: Problem, style: Style): readonly string[] {
  const paint: Readonly<Record<Severity, (text: string) => string>> = { error: style.red, warning: style.yellow, info: style.dim };
  return [
    `${paint[severity](severity)} ${escapeLine(message)} ${style.dim(`[${code}]`)}`,
    ...(file === '' ? [] : [`  ${escapeLine(file)}:${line}:${column}`]),
    ...(remedy === undefined ? [] : [`  ${escapeLine(remedy)}`]),
  ];
}

function summaryLine(problems: readonly Problem[], style: Style): string {
  const count = (severity: Severity): number => problems.filter((problem) => problem.severity === severity).length;
  const errors = count('error');
  const warnings = count('warning');
  if (errors + warnings === 0) return style.green('All is well.');
  return `${errors} error${errors === 1 ? '' : 's'}, ${warnings} warning${warnings === 1 ? '' : 's'}`;
}
