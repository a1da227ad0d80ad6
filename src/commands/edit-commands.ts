/**
 * `holt remove`, `enable`, `disable` and `undo`: change existing files. They ask only which copy to change.
 */

import type { EditReport } from '../editing/edit-report.ts';
import { removeServer } from '../editing/remove-server.ts';
import { setEnabled, type SwitchState } from '../editing/set-enabled.ts';
import { undoLast, type ForeignChange, type Undone } from '../editing/undo.ts';
import { newOperation, type Operation } from '../editing/previous-content.ts';
import { withMemory } from '../editing/edit-parts.ts';
import { HoltError } from '../kernel/errors.ts';
import { nameWord } from '../kernel/shell-words.ts';
import { escapeLine } from '../masking/escape-text.ts';
import type { ServerCopy } from '../roster/copies.ts';
import { chooseCopies, copyOptions, type ChosenCopies } from './asking/choose-copies.ts';
import { type Command, type CommandContext, defineCommand, isYes, usage, warnAll } from './command.ts';

type Verb = 'removed' | 'enabled' | 'disabled';

interface CopyEdit {
  readonly ref: string;
  readonly report: EditReport;
}

interface EditData {
  readonly verb: Verb;
  /** At least one. */
  readonly edits: readonly [CopyEdit, ...CopyEdit[]];
  /** Notes about the copies that stay unchanged. */
  readonly notes: readonly string[];
  readonly dryRun: boolean;
}

interface EditSpec {
  readonly name: string;
  readonly verb: Verb;
  readonly summary: string;
  readonly aliases?: readonly string[];
  readonly options?: Command['options'];
  readonly work: (copy: ServerCopy, how: EditHow, context: CommandContext) => Promise<EditReport>;
}

interface EditHow {
  readonly agent: ChosenCopies['agent'];
  readonly operation: Operation;
  readonly dryRun: boolean;
}

function editCommand({ name, verb, summary, aliases = [], options = {}, work }: EditSpec): Command<EditData> {
  return defineCommand<EditData>({
    name,
    aliases,
    summary,
    usage: `${name} NAME[@AGENT[:SCOPE]] [--agent A] [--scope S] [--everywhere]${'dry-run' in options ? ' [--dry-run]' : ''}`,
    options: { ...copyOptions, ...options },
    completes: 'servers',
    run: async (input, context) => {
      const chosen = await chooseCopies(input, name, context);
      const dryRun = input.flags.has('dry-run');
      const edits = await editAll({ ...chosen, dryRun }, { name, work }, context);
      warnAll([...new Set(edits.flatMap(({ report }) => report.warnings))], context);
      return { verb, edits, notes: otherNotes(chosen, name), dryRun };
    },
    render: (data) => editLines(data),
    json: ({ edits: [first, ...more], notes, dryRun }) => ({
      ...(dryRun ? { dryRun, server: first.report.server } : { [verb]: first.report.server }),
      ...editJson(first),
      notes: [...first.report.notes, ...notes],
      copies: [first, ...more].map((edit) => ({ ref: edit.ref, ...editJson(edit) })),
    }),
  });
}

/**
 * Edits all copies as one operation for `holt undo`. With several copies, skips those in files that holt may
 * not edit.
 */
async function editAll(
  { copies, agent, dryRun }: ChosenCopies & Pick<EditHow, 'dryRun'>,
  { name, work }: Pick<EditSpec, 'name' | 'work'>,
  context: CommandContext,
): Promise<EditData['edits']> {
  const operation = newOperation(`${name} ${copies[0].definition.name}`);
  const shared = { ...context, editing: withMemory(context.editing) };
  const edits: CopyEdit[] = [];
  let refused: HoltError | undefined;
  for (const copy of copies) {
    try {
      edits.push({ ref: copy.ref, report: await work(copy, { agent, operation, dryRun }, shared) });
    } catch (error) {
      if (copies.length === 1 || !HoltError.is(error, 'config-not-ours')) throw error;
      refused ??= error;
      warnAll([error.message], context);
    }
  }
  const [first, ...more] = edits;
  if (first !== undefined) return [first, ...more];
  throw refused ?? new HoltError('internal-error', 'No copy was changed', { reason: 'no copies' });
}

function editJson({ report }: CopyEdit): Readonly<Record<string, unknown>> {
  const { agent, scope, file, how, entry, warnings, notes } = report;
  return { agent, scope, file, how, entry, warnings, notes };
}

function otherNotes({ others }: ChosenCopies, command: string): readonly string[] {
  return others.map(({ ref, definition: { name, origin, enabled } }) => {
    const is = command === 'remove' ? 'is still defined' : 'is also defined';
    const state = `${origin.agent}, ${origin.scope}, ${enabled ? 'on' : 'off'}`;
    return `"${name}" ${is} in ${origin.file}:${origin.line} (${state}): holt ${command} ${nameWord(ref)}`;
  });
}

function editLines({ verb, edits, notes, dryRun }: EditData): readonly string[] {
  return [
    ...edits.flatMap(({ report: { server, file, entry, notes: own } }) => [
      `${dryRun ? `would be ${verb}:` : verb} ${escapeLine(server)} in ${escapeLine(file)}`,
      `  ${dryRun ? '-' : 'entry:'} ${escapeLine(entry)}`,
      ...own.map((note) => `  note: ${escapeLine(note)}`),
    ]),
    ...notes.map((note) => `  note: ${escapeLine(note)}`),
    ...(dryRun ? ['nothing was written (--dry-run)'] : []),
  ];
}

export const remove = editCommand({
  name: 'remove',
  verb: 'removed',
  summary: 'Take a server out of the file it came from',
  aliases: ['rm', 'delete'],
  options: { 'dry-run': { type: 'flag', summary: 'show what would be removed, and write nothing' } },
  work: ({ definition }, how, { editing }) => removeServer(definition, editing, how),
});

function turn(wanted: SwitchState): EditSpec['work'] {
  return ({ definition }, how, { editing }) => setEnabled(definition, wanted, editing, how);
}

export const enable = editCommand({
  name: 'enable',
  verb: 'enabled',
  summary: 'Switch a server on',
  work: turn('on'),
});
export const disable = editCommand({
  name: 'disable',
  verb: 'disabled',
  summary: 'Switch a server off',
  work: turn('off'),
});

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

/** Asks before undoing a change of another project. Throws `usage-invalid` unless the answer is yes. */
async function askForeign({ title, project }: ForeignChange, { ask }: CommandContext): Promise<void> {
  const what = `The last change, "${title}", was made in another project: ${project}`;
  const answer = await ask?.(`${escapeLine(what)}\nTake it back? [y/N]: `);
  if (isYes(answer)) return;
  throw usage(
    ask === undefined ? `${what}, so it is not taken back here` : 'Nothing was taken back',
    'Run holt undo in that project.',
  );
}
