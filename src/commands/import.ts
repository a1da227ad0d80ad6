/** `holt import`: servers of one agent in another's format, shown before anything is written. */

import type { EditReport } from '../editing/edit-report.ts';
import { applyImport, planImport, type ImportPlan } from '../editing/import-servers.ts';
import { escapeLine } from '../masking/escape-text.ts';
import { agentOf, placeOf, placeOptions, readableAgent, usage } from './add-options.ts';
import { defineCommand, valueOf, warnAll, type CommandContext } from './command.ts';
import { isYes } from './is-yes.ts';

interface ImportData {
  readonly plan: ImportPlan;
  readonly reports: readonly EditReport[];
  readonly written: boolean;
}

export const importCommand = defineCommand<ImportData>({
  name: 'import',
  summary: 'Copy servers from one agent’s format into another’s',
  usage: 'import --from AGENT [--to AGENT] [NAME…]',
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
    context.tell(planLines(plan));
    const yes = input.flags.has('yes') || plan.entries.length === 0 || (await isWanted(context));
    const reports = yes ? await applyImport(plan, context.editing) : [];
    const known = new Set(plan.entries.flatMap(({ warnings }) => warnings));
    const fresh = reports.flatMap(({ warnings }) => warnings.filter((warning) => !known.has(warning)));
    warnAll([...new Set(fresh)], context);
    return { plan, reports, written: yes };
  },

  render({ plan, reports, written }) {
    if (plan.entries.length === 0) return ['nothing to copy'];
    if (!written) return ['not written'];
    const notes = new Set(reports.flatMap((report) => report.notes));
    return [
      ...[...new Set(reports.map(({ file }) => file))].map((file) => `wrote ${escapeLine(file)}`),
      ...[...notes].map((note) => `  note: ${escapeLine(note)}`),
    ];
  },
  json: ({ plan, reports, written }) => ({
    written,
    imported: reports.map(({ server, file, entry, warnings, notes }) => ({
      name: server,
      file,
      entry,
      warnings,
      notes,
    })),
    skipped: plan.skipped,
  }),
  exitCode: ({ written, plan }) => (written && plan.skipped.length === 0 ? 0 : 1),
});

function planLines({ entries, skipped }: ImportPlan): readonly string[] {
  return [
    ...entries.flatMap(({ name, target, shown, warnings }) => [
      `About to add MCP server '${escapeLine(name)}' (${target.scope} scope):`,
      `  file:  ${escapeLine(target.file)}`,
      `  entry: ${escapeLine(shown)}`,
      ...warnings.map((warning) => `  warning: ${escapeLine(warning)}`),
    ]),
    ...skipped.map(({ name, reason }) => `skipped ${escapeLine(name)}: ${escapeLine(reason)}`),
  ];
}

async function isWanted({ ask }: CommandContext): Promise<boolean> {
  if (ask === undefined) throw usage('There is nobody to ask, so nothing is written', 'Add --yes.');
  const answer = await ask('Write these entries? [y/N]: ');
  return isYes(answer);
}
