/** Shows an entry, asks, writes it, and approves it if the user said yes. */

import { type AddPlan, applyAdd, planAdd } from '../../editing/add-server.ts';
import type { EditReport } from '../../editing/edit-report.ts';
import { saveSetting } from '../../editing/save-setting.ts';
import type { WriteScope } from '../../editing/writers.ts';
import type { AgentId } from '../../kernel/agent-ids.ts';
import type { HoltError } from '../../kernel/errors.ts';
import type { StartChoice } from '../../kernel/servers.ts';
import { nameWord } from '../../kernel/shell-words.ts';
import { escapeLine } from '../../masking/escape-text.ts';
import { readRuntimeServers } from '../../roster/runtime-servers.ts';
import { contentKey } from '../../roster/same-server.ts';
import type { Style } from '../../terminal/style.ts';
import { decisionRecord, withDecision } from '../../trust/trust-record.ts';
import { type CommandContext, isYes, usage, warnAll } from '../command.ts';

export interface WriteRequest {
  readonly name: string;
  readonly config: unknown;
  readonly raw?: boolean;
  readonly scope: WriteScope;
  readonly agent: AgentId;
  readonly replace: boolean;
  readonly token?: string;
  /** Where the server starts. Only for the user's own entries. */
  readonly startIn?: StartChoice;
  readonly ask: boolean;
  readonly trust: boolean;
  /** Shows the entry and writes nothing. */
  readonly dryRun: boolean;
}

export interface WriteData {
  readonly written: boolean;
  readonly dryRun?: true;
  readonly report: Pick<EditReport, 'file' | 'entry' | 'warnings' | 'notes'> & { readonly server: string };
  /** Notes that came up only while the entry was written. */
  readonly writeNotes?: readonly string[];
  /** Set if the entry needs approval: the command that asks for it. */
  readonly next?: string;
  /** Set if the server was started once to test it. */
  readonly tried?: TriedEntry;
}

export async function writeEntry(request: WriteRequest, context: CommandContext): Promise<WriteData> {
  const parts = { ...context.editing, roster: await context.loadRoster() };
  const plan = await planAdd(withStartIn(request), parts);
  if (request.startIn !== undefined && plan.scope !== 'user') throw startInNeedsUser();
  context.print([...announce(plan), ...(request.dryRun ? differenceLines(plan) : [])]);
  const planned = {
    server: plan.name,
    file: plan.file,
    entry: plan.shown,
    warnings: plan.warnings,
    notes: plan.notes,
  };
  if (request.dryRun) return { written: false, dryRun: true, report: planned };
  if (request.ask && !(await isConfirmed(context))) return { written: false, report: planned };
  const { file, entry, warnings, notes } = await applyAdd(plan, parts);
  if (request.ask || request.trust) await approve(request, file, context);
  const waits = await isWaiting(plan.name, file, context);
  warnAll(
    warnings.filter((warning) => !plan.warnings.includes(warning)),
    context,
  );
  const writeNotes = [
    ...notes.filter((note) => !plan.notes.includes(note)),
    ...(await saveStartIn(request, plan, context)),
  ];
  const next = waits ? { next: `holt trust ${nameWord(plan.name)}` } : {};
  return { written: true, report: { server: plan.name, file, entry, warnings, notes }, writeNotes, ...next };
}

async function isWaiting(name: string, file: string, context: CommandContext): Promise<boolean> {
  const { candidates } = await context.reloadRoster();
  return candidates.some(
    ({ definition, trust }) =>
      definition.name === name &&
      definition.origin.file === file &&
      definition.enabled &&
      (trust === 'untrusted' || trust === 'changed'),
  );
}

/** In holt's own format the entry itself has `startIn`. */
function withStartIn(request: WriteRequest): WriteRequest {
  const { startIn, agent, config } = request;
  if (startIn === undefined || agent !== 'holt' || typeof config !== 'object') return request;
  return { ...request, config: { ...config, startIn } };
}

/** Other agents' formats have no field for it, so it goes to holt's settings. */
async function saveStartIn(
  { startIn, agent }: WriteRequest,
  { name }: AddPlan,
  { editing }: CommandContext,
): Promise<readonly string[]> {
  if (startIn === undefined || agent === 'holt') return [];
  const { file } = await saveSetting({ scope: 'user', name: `startIn.${name}`, value: startIn }, editing);
  return [`startIn.${name} is "${startIn}" in ${file}`];
}

function startInNeedsUser(): HoltError<'usage-invalid'> {
  return usage(
    '--start-in is for your own servers; an entry of a project always starts in the project',
    'Add --scope user, or leave --start-in out.',
    '--start-in',
  );
}

function announce({ name, scope, file, shown, action, warnings, notes }: AddPlan): readonly string[] {
  return [
    `About to ${action} MCP server '${escapeLine(name)}' (${scope} scope):`,
    `  file:  ${escapeLine(file)}`,
    `  entry: ${escapeLine(shown)}`,
    ...warnings.map((warning) => `  warning: ${escapeLine(warning)}`),
    ...notes.map((note) => `  note: ${escapeLine(note)}`),
  ];
}

/** Formats the removed and the added entry, one per line, with secrets masked. */
export function differenceLines({
  shown,
  shownPrevious,
}: Pick<AddPlan, 'shown' | 'shownPrevious'>): readonly string[] {
  return [...(shownPrevious === undefined ? [] : [`  - ${shownPrevious}`]), `  + ${shown}`].map(escapeLine);
}

async function isConfirmed({ ask }: CommandContext): Promise<boolean> {
  if (ask === undefined) {
    throw usage('Cannot ask for confirmation without a terminal, so nothing was written', 'Add --yes.');
  }
  const answer = await ask('Write this entry? [y/N]: ');
  return isYes(answer);
}

/** Approves exactly the entry that the user has seen, and not one that replaced it in the meantime. */
async function approve(request: WriteRequest, file: string, context: CommandContext): Promise<void> {
  const { candidates } = await context.reloadRoster();
  const meant = meaningOf(request, context);
  const found = candidates.filter(
    ({ definition, trust }) =>
      definition.name === request.name &&
      definition.origin.file === file &&
      (trust === 'untrusted' || trust === 'changed') &&
      (meant === undefined || contentKey(definition) === meant),
  );
  if (found.length === 0) return;
  const parts = { machine: context.machine, approvals: context.approvals(), now: context.now };
  const records = found.map(({ definition }) => decisionRecord(definition, 'approved', parts));
  await context.trustStore.change((all) => records.reduce(withDecision, all));
}

/** The key of the entry that was shown. Undefined if it was written in the agent's own format. */
function meaningOf(
  { name, config, raw, token }: WriteRequest,
  { machine }: CommandContext,
): string | undefined {
  if (raw === true || token !== undefined) return undefined;
  const [definition] = readRuntimeServers({ [name]: config }, machine).definitions;
  return definition === undefined ? undefined : contentKey(definition);
}

export function renderWrite({
  written,
  dryRun,
  report,
  writeNotes = [],
  next,
}: WriteData): readonly string[] {
  if (dryRun) return ['nothing was written (--dry-run)'];
  if (!written) return ['not written'];
  return [
    `wrote ${escapeLine(report.file)}`,
    ...writeNotes.map((note) => `  note: ${escapeLine(note)}`),
    ...(next === undefined ? [] : [`It does not run before you approve it: ${escapeLine(next)}`]),
  ];
}

export function writeExitCode({ written, dryRun }: WriteData): number {
  return written || dryRun === true ? 0 : 1;
}

export function writeJson({ report, written, dryRun }: WriteData): Readonly<Record<string, unknown>> {
  return { written, ...(dryRun === undefined ? {} : { dryRun }), ...report };
}

export interface TriedEntry {
  readonly server: string;
  readonly works: boolean;
  /** The lines that `holt test` prints. */
  readonly lines: readonly string[];
}

export function renderTried({ server, works, lines }: TriedEntry, style: Style): readonly string[] {
  const name = escapeLine(server);
  return works
    ? [...lines, style.green(`${name} works.`)]
    : [
        ...lines,
        `The entry stays in the file. Try again with holt test ${nameWord(name)}, or remove it with holt undo.`,
      ];
}
