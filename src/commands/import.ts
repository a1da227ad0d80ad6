/**
 * `holt import`: copies servers from one agent's format to another's, and shows them before anything is
 * written.
 */

import type { EditReport } from '../editing/edit-report.ts';
import { applyImport, planImport, type ImportPlan } from '../editing/import-servers.ts';
import { escapeLine } from '../masking/escape-text.ts';
import { agentOf, placeOf, placeOptions, readableAgent } from './entries/add-options.ts';
import { type CommandContext, defineCommand, isYes, usage, valueOf, warnAll } from './command.ts';
import { differenceLines } from './entries/write-entry.ts';

interface ImportData {
  readonly plan: ImportPlan;
  readonly reports: readonly EditReport[];
  readonly written: boolean;
  readonly dryRun: boolean;
}

export const importCommand = defineCommand<ImportData>({
  name: 'import',
  summary: 'Copy servers from one agent’s format into another’s',
  usage: 'import --from AGENT [--to AGENT] [--dry-run] [NAME…]',
  options: {
    from: { type: 'value', placeholder: 'AGENT', summary: 'whose servers', completes: 'agents' },
    to: {
      type: 'value',
      placeholder: 'AGENT',
      summary: 'whose file (holt unless given)',
      completes: 'agents',
    },
    scope: { ...placeOptions.scope, summary: 'project, user or local (as each was, unless given)' },
    user: placeOptions.user,
    replace: placeOptions.replace,
    yes: placeOptions.yes,
    'dry-run': placeOptions['dry-run'],
  },
  completes: 'servers',

  async run(input, context) {
    const word = valueOf(input, 'from');
    if (word === undefined) throw usage('Whose servers?', 'holt import --from AGENT');
    const from = readableAgent(word);
    const hasScope = valueOf(input, 'scope') !== undefined || input.flags.has('user');
    const request = {
      from,
      to: agentOf(valueOf(input, 'to') ?? 'holt'),
      names: input.positionals,
      replace: input.flags.has('replace'),
      ...(hasScope ? { scope: placeOf(input).scope } : {}),
    };
    const plan = await planImport(request, {
      ...context.editing,
      roster: await context.loadRoster(),
    });
    const dryRun = input.flags.has('dry-run');
    context.print(planLines(plan, dryRun ? differenceLines : () => []));
    if (dryRun) return { plan, reports: [], written: false, dryRun };
    const yes = input.flags.has('yes') || plan.entries.length === 0 || (await isWanted(context));
    const reports = yes ? await applyImport(plan, context.editing) : [];
    const known = new Set(plan.entries.flatMap(({ warnings }) => warnings));
    const fresh = reports.flatMap(({ warnings }) => warnings.filter((warning) => !known.has(warning)));
    warnAll([...new Set(fresh)], context);
    return { plan, reports, written: yes, dryRun };
  },

  render({ plan, reports, written, dryRun }) {
    if (plan.entries.length === 0) return ['nothing to copy'];
    if (dryRun) return ['nothing was written (--dry-run)'];
    if (!written) return ['not written'];
    const notes = new Set(reports.flatMap((report) => report.notes));
    return [
      ...[...new Set(reports.map(({ file }) => file))].map((file) => `wrote ${escapeLine(file)}`),
      ...[...notes].map((note) => `  note: ${escapeLine(note)}`),
    ];
  },
  json: ({ plan, reports, written, dryRun }) => ({
    written,
    ...(dryRun ? { dryRun, planned: plan.entries.map(plannedJson) } : {}),
    imported: reports.map(({ server, file, entry, warnings, notes }) => ({
      name: server,
      file,
      entry,
      warnings,
      notes,
    })),
    skipped: plan.skipped,
  }),
  exitCode: ({ written, dryRun, plan }) => ((written || dryRun) && plan.skipped.length === 0 ? 0 : 1),
});

type PlannedEntry = ImportPlan['entries'][number];

function plannedJson({ name, target, shown, warnings }: PlannedEntry): object {
  return { name, file: target.file, entry: shown, warnings };
}

function planLines(
  { entries, skipped }: ImportPlan,
  differences: (entry: PlannedEntry) => readonly string[],
): readonly string[] {
  return [
    ...entries.flatMap((entry) => {
      const { name, target, shown, warnings } = entry;
      return [
        `About to add MCP server '${escapeLine(name)}' (${target.scope} scope):`,
        `  file:  ${escapeLine(target.file)}`,
        `  entry: ${escapeLine(shown)}`,
        ...warnings.map((warning) => `  warning: ${escapeLine(warning)}`),
        ...differences(entry),
      ];
    }),
    ...skipped.map(({ name, reason }) => `skipped ${escapeLine(name)}: ${escapeLine(reason)}`),
  ];
}

async function isWanted({ ask }: CommandContext): Promise<boolean> {
  if (ask === undefined)
    throw usage('Cannot ask for confirmation without a terminal, so nothing was written', 'Add --yes.');
  const answer = await ask('Write these entries? [y/N]: ');
  return isYes(answer);
}
