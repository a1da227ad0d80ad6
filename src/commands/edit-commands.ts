/** `holt remove`, `enable`, `disable`, `import` and `undo`: changes to files that exist, none of which asks. */

import type { EditReport } from '../editing/edit-report.ts';
import { applyImport, planImport, type ImportPlan } from '../editing/import-servers.ts';
import { removeServer } from '../editing/remove-server.ts';
import { setEnabled, type SwitchState } from '../editing/set-enabled.ts';
import { undoLast, type ForeignChange, type Undone } from '../editing/undo.ts';
import { isAgentId } from '../kernel/agent-ids.ts';
import { escapeLine } from '../masking/escape-text.ts';
import { findServer } from '../roster/find-server.ts';
import { agentOf, placeOf, placeOptions, usage } from './add-options.ts';
import {
  defineCommand,
  valueOf,
  warnAll,
  type Command,
  type CommandContext,
  type CommandInput,
} from './command.ts';
import { isYes } from './is-yes.ts';

type Verb = 'removed' | 'enabled' | 'disabled';

interface EditData {
  readonly verb: Verb;
  readonly report: EditReport;
}

interface EditSpec {
  readonly name: string;
  readonly verb: Verb;
  readonly summary: string;
  readonly aliases?: readonly string[];
  readonly work: (context: CommandContext, name: string) => Promise<EditReport>;
}

function editCommand({ name, verb, summary, aliases = [], work }: EditSpec): Command<EditData> {
  return defineCommand<EditData>({
    name,
    aliases,
    summary,
    usage: `${name} NAME`,
    options: {},
    completes: 'servers',
    run: async (input, context) => {
      const report = await work(context, oneName(input, name));
      warnAll(report.warnings, context);
      return { verb, report };
    },
    render: ({ report }) => editLines(verb, report),
    json: ({ report }) => ({
      [verb]: report.server,
      file: report.file,
      how: report.how,
      entry: report.entry,
      warnings: report.warnings,
      notes: report.notes,
    }),
  });
}

function oneName({ positionals }: CommandInput, command: string): string {
  const [name, ...extra] = positionals;
  if (name === undefined || extra.length > 0)
    throw usage(`holt ${command} takes one name`, `holt ${command} NAME`);
  return name;
}

function editLines(verb: Verb, { server, file, entry, notes }: EditReport): readonly string[] {
  return [
    `${verb} ${escapeLine(server)} in ${escapeLine(file)}`,
    `  entry: ${escapeLine(entry)}`,
    ...notes.map((note) => `  note: ${escapeLine(note)}`),
  ];
}

export const remove = editCommand({
  name: 'remove',
  verb: 'removed',
  summary: 'Take a server out of the file it came from',
  aliases: ['rm'],
  work: async (context, name) => {
    const roster = await context.loadRoster();
    return removeServer(findServer(roster, name).definition, { ...context.editing, roster });
  },
});

async function flip(context: CommandContext, name: string, wanted: SwitchState): Promise<EditReport> {
  return setEnabled(findServer(await context.loadRoster(), name).definition, wanted, context.editing);
}

export const enable = editCommand({
  name: 'enable',
  verb: 'enabled',
  summary: 'Switch a server on',
  work: (context, name) => flip(context, name, 'on'),
});
export const disable = editCommand({
  name: 'disable',
  verb: 'disabled',
  summary: 'Switch a server off',
  work: (context, name) => flip(context, name, 'off'),
});

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
    const from = valueOf(input, 'from');
    if (from === undefined || !isAgentId(from))
      throw usage(
        from === undefined ? 'Whose servers?' : `"${from}" is no agent holt knows`,
        'holt import --from AGENT',
      );
    const hasScope = valueOf(input, 'scope') !== undefined || input.flags.has('user');
    const request = {
      from,
      to: agentOf(valueOf(input, 'to') ?? 'holt'),
      names: input.positionals,
      replace: input.flags.has('replace'),
      ...(hasScope ? { scope: placeOf(input).scope } : {}),
    };
    const plan = await planImport(request, { ...context.editing, roster: await context.loadRoster() });
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

export const undo = defineCommand<Undone>({
  name: 'undo',
  summary: 'Take back the last change to a config file, byte for byte',
  usage: 'undo',
  mostWords: 0,
  options: {},
  run: async (_input, context) => {
    const undone = await undoLast(context.editing, (change) => askForeign(change, context));
    warnAll(undone.warnings, context);
    return undone;
  },
  render: ({ title, files, skipped }) => [
    ...skipped.map((skip) => `passed over "${escapeLine(skip.title)}": ${escapeLine(skip.reason)}`),
    `took back "${escapeLine(title)}"`,
    ...files.map(({ file, outcome }) => `  ${outcome} ${escapeLine(file)}`),
  ],
  json: ({ title, at, files, skipped, warnings }) => ({ title, at, files, skipped, warnings }),
});

/** Who works in one project need not remember what was last done in another. */
async function askForeign({ title, project }: ForeignChange, { ask }: CommandContext): Promise<void> {
  const what = `The last change, "${title}", was made in another project: ${project}`;
  const answer = await ask?.(`${escapeLine(what)}\nTake it back? [y/N]: `);
  if (isYes(answer)) return;
  throw usage(
    ask === undefined ? `${what}, so it is not taken back here` : 'Nothing was taken back',
    'Run holt undo in that project.',
  );
}
