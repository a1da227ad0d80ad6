/** `holt doctor`: lists every file that was read, its problems, and how to fix them. Connects nothing. */

import type { SourceSummary } from '../discovery/discover.ts';
import type { Problem, Severity } from '../kernel/problems.ts';
import { escapeLine } from '../masking/escape-text.ts';
import { maskArgs } from '../masking/mask-secrets.ts';
import type { Style } from '../terminal/style.ts';
import { formatTable } from '../terminal/table.ts';
import { type CommandContext, defineCommand } from './command.ts';
import { countProblems, countsText, findProblems } from './diagnosis/find-problems.ts';
import { counted } from './show/format.ts';

/** A problem with the text that a syntax error is about, which helps to find it. */
interface ShownProblem extends Problem {
  readonly text?: string;
}

/** What was fixed, and how to undo it. */
interface Fix {
  readonly file: string;
  readonly did: string;
  readonly undo: string;
}

export interface DoctorData {
  readonly problems: readonly ShownProblem[];
  readonly fixes: readonly Fix[];
  readonly sources: readonly SourceSummary[];
  readonly verbose: boolean;
}

export const doctor = defineCommand<DoctorData>({
  name: 'doctor',
  wrapsLines: true,
  summary: 'What is wrong with the config files, and how to fix it',
  usage: 'doctor [--fix]',
  mostWords: 0,
  options: { fix: { type: 'flag', summary: 'fix what can be fixed safely' } },

  async run(input, context) {
    const roster = await context.loadRoster();
    const found = await findProblems(roster, context);
    const fixes = input.flags.has('fix') ? await fixAll(found, context) : [];
    const fixed = new Set(fixes.map(({ file }) => file));
    const open = found.filter(({ code, file }) => code !== 'file-mode' || !fixed.has(file));
    return {
      fixes,
      problems: open.map((problem) => withExcerpt(problem, context)),
      sources: roster.sources,
      verbose: context.verbose,
    };
  },

  render({ problems, fixes, sources, verbose }, style) {
    const found = sources.filter(({ exists }) => exists);
    const agents = new Set(found.map(({ agent }) => agent)).size;
    return [
      style.bold(`${counted(found.length, 'config file')} of ${counted(agents, 'agent')}`),
      ...formatTable(
        (verbose ? sources : found).map(({ agent, scope, file, servers, exists }) => [
          `  ${agent}`,
          scope,
          exists ? counted(servers, 'server') : 'not there',
          escapeLine(file),
        ]),
        style.columns,
      ),
      ...fixes.flatMap(({ file, did, undo }) => [
        '',
        `${style.green('fixed')} ${did}`,
        `  ${escapeLine(file)}`,
        `  to take it back: ${escapeLine(undo)}`,
      ]),
      ...problems.flatMap((problem) => ['', ...problemLines(problem, style)]),
      '',
      summaryLine(problems, style),
    ];
  },

  json: ({ problems, fixes, sources }) => ({
    ok: !problems.some(({ severity }) => severity === 'error'),
    problems,
    fixes,
    sources: sources.map(({ agent, scope, file, exists, servers, readers }) => ({
      agent,
      scope,
      file,
      exists,
      servers,
      readers,
    })),
  }),

  exitCode: ({ problems }) => (problems.some(({ severity }) => severity === 'error') ? 1 : 0),
});

async function fixAll(
  problems: readonly Problem[],
  { makePrivate }: CommandContext,
): Promise<readonly Fix[]> {
  const files = [...new Set(problems.filter(({ code }) => code === 'file-mode').map(({ file }) => file))];
  return Promise.all(
    files.map(async (file) => {
      const before = (await makePrivate(file)).toString(8).padStart(4, '0');
      return { file, did: `made private (mode ${before} → 0600)`, undo: `chmod ${before} '${file}'` };
    }),
  );
}

function withExcerpt(problem: Problem, { readText }: CommandContext): ShownProblem {
  if (problem.code !== 'file-syntax') return problem;
  const text = readText(problem.file);
  return text === undefined ? problem : { ...problem, text: excerptOf(text, problem.line, problem.column) };
}

function problemLines(
  { severity, code, file, line, column, message, remedy, text }: ShownProblem,
  style: Style,
): readonly string[] {
  const paint: Readonly<Record<Severity, (text: string) => string>> = {
    error: style.red,
    warning: style.yellow,
    info: style.dim,
  };
  return [
    `${paint[severity](severity)} ${escapeLine(message)} ${style.dim(`[${code}]`)}`,
    ...(file === '' ? [] : [`  ${escapeLine(file)}:${line}:${column}`]),
    ...(text === undefined ? [] : [`  > ${escapeLine(text)}`]),
    ...(remedy === undefined ? [] : [`  ${escapeLine(remedy)}`]),
  ];
}

function summaryLine(problems: readonly Problem[], style: Style): string {
  return countsText(countProblems(problems)) ?? style.green('No problems found.');
}

const secretPair =
  /((?:"|')?[\w.-]*(?:key|token|secret|passw|auth|credential|cookie)[\w.-]*(?:"|')?\s*[:=]\s*)("(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s,}\]]+)/gi;
const around = 50;

export function excerptOf(text: string, line: number, column: number): string {
  const whole = text.split(/\r?\n/, line)[line - 1] ?? '';
  const masked = whole.length > 4096 ? '' : whole.replaceAll(secretPair, '$1"***"');
  const from = Math.max(0, Math.min(column - 1, masked.length) - around);
  const piece = masked.slice(from, from + 2 * around);
  return `${from > 0 ? '… ' : ''}${maskArgs([piece])[0] ?? ''}${from + 2 * around < masked.length ? ' …' : ''}`.trim();
}
