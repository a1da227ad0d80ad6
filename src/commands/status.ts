/** `holt status` and `holt test`: connect servers and report on each as soon as it has settled. */

import type { ServerReport } from '../connection/supervisor.ts';
import type { Host } from '../host/host.ts';
import { nameWord } from '../kernel/shell-words.ts';
import { escapeBlock, escapeLine } from '../masking/escape-text.ts';
import type { Problem } from '../kernel/problems.ts';
import type { Status } from '../kernel/phases.ts';
import { approvalNotes, type ApprovalNotes } from '../trust/consent-question.ts';
import { notCoveredText } from '../trust/warnings.ts';
import type { Style } from '../terminal/style.ts';
import { wrapLines } from '../terminal/wrap.ts';
import { type CommandContext, defineCommand, oneName } from './command.ts';
import { worstExit } from './show/offers.ts';
import { interruption, withHost } from './with-host.ts';

export interface StatusRow {
  readonly name: string;
  readonly report: ServerReport;
  readonly notes?: StatusNotes;
}

/** Further facts that the user should know about a server. */
interface StatusNotes extends ApprovalNotes {
  /** Changed instructions, withheld tools and cut lists. */
  readonly problems: readonly Problem[];
}

interface StatusData {
  readonly rows: readonly StatusRow[];
  /** The user named servers, so their status decides the exit code. */
  readonly named: boolean;
  readonly hasPrinted: boolean;
  readonly verbose: boolean;
}

export const status = defineCommand<StatusData>({
  name: 'status',
  wrapsLines: true,
  summary: 'Connect to the servers and show the status of each',
  usage: 'status [NAME…]',
  options: {},
  completes: 'servers',

  async run({ positionals, flags }, context) {
    const named = positionals.length > 0;
    const verbose = flags.has('verbose');
    const rows = await withHost(named ? context : withoutQuestions(context), (host, signal, line) => {
      if (named) line.amongServers(positionals);
      const names = named ? positionals : host.definitions().map(({ name }) => name);
      return Promise.all(
        names.map(async (name) => {
          const settled =
            !named && waitsForPerson(name, context)
              ? rowOf(host, name)
              : await connectOne(host, name, endOf(context, signal));
          const row = await withNotes(settled, host, context);
          context.print(wrapLines(rowLines(row, context.style, verbose), context.style.columns));
          return row;
        }),
      );
    });
    return { rows, named, verbose, hasPrinted: !flags.has('json') && !flags.has('quiet') };
  },

  render: ({ rows, hasPrinted, verbose }, style) =>
    hasPrinted ? summary(rows) : rows.flatMap((row) => rowLines(row, style, verbose)),
  json: ({ rows }) => ({
    servers: Object.fromEntries(
      rows.map(({ name, report, notes }) => [name, { ...reportJson(name, report), ...notesJson(notes) }]),
    ),
  }),
  exitCode: ({ rows, named }) => (named ? worstExit(rows.map(({ report }) => report)) : 0),
});

function rowLines(row: StatusRow, style: Style, verbose: boolean): readonly string[] {
  const lines = [...statusLines(row, style), ...(row.notes === undefined ? [] : noteLines(row.notes))];
  const times = Object.entries(row.report.phases).map(([phase, ms]) => `${phase} ${Math.round(ms)} ms`);
  return verbose && times.length > 0 ? [...lines, `  ${times.join(', ')}`] : lines;
}

/**
 * Asks nothing when all servers are listed. Servers that wait for an answer are shown with the command that
 * asks.
 */
function withoutQuestions(context: CommandContext): CommandContext {
  return {
    ...context,
    hostOptions: () => {
      const { interaction = {}, ...options } = context.hostOptions();
      return { ...options, interaction: { toast: interaction.toast } };
    },
  };
}

/** In a session the host could still ask, so these servers are not connected. */
function waitsForPerson(name: string, { sharedHost }: CommandContext): boolean {
  const state = sharedHost?.status()[name]?.status;
  return state === 'untrusted' || state === 'needs_input';
}

const notedProblems: ReadonlySet<Problem['code']> = new Set([
  'instructions-changed',
  'list-cut',
  'tool-withheld',
]);

async function withNotes(row: StatusRow, host: Host, context: CommandContext): Promise<StatusRow> {
  const isConnected = row.report.status.status === 'connected';
  // Listing the tools also compares the instructions. A failure is already in the report.
  if (isConnected) await host.tools({ wait: 'settled', server: row.name }).catch(() => []);
  const { servers, shadowed } = await context.loadRoster();
  const entry = [...servers, ...shadowed].find(({ ref }) => ref === row.name);
  const parts = {
    machine: context.machine,
    approvals: context.approvals(),
    records: () => context.trustStore.load(),
  };
  const notes = entry === undefined ? { changed: [], notCovered: [] } : approvalNotes(entry, parts);
  const problems = host
    .problems()
    .filter(({ code, server }) => notedProblems.has(code) && server === row.name);
  // A connected entry has been approved again.
  return { ...row, notes: { ...notes, ...(isConnected ? { changed: [] } : {}), problems } };
}

function noteLines({ changed, notCovered, problems }: StatusNotes): readonly string[] {
  return [
    ...(changed.length === 0 ? [] : [`changed: ${changed.join(', ')}`]),
    ...problems.flatMap(({ message, remedy }) => [message, ...(remedy === undefined ? [] : [remedy])]),
    ...(notCovered.length === 0 ? [] : [notCoveredText(notCovered)]),
  ].map((line) => `  ${escapeLine(line)}`);
}

function notesJson(notes: StatusNotes | undefined): object {
  if (notes === undefined) return {};
  const { changed, notCovered, problems } = notes;
  return {
    ...(changed.length === 0 ? {} : { changed }),
    ...(notCovered.length === 0 ? {} : { notCovered }),
    ...(problems.length === 0 ? {} : { problems }),
  };
}

/** Ctrl-C closes the host and ends every start, but not the host of a session. */
function endOf({ sharedHost }: CommandContext, signal: AbortSignal): AbortSignal | undefined {
  return sharedHost === undefined ? signal : undefined;
}

async function connectOne(host: Host, name: string, end: AbortSignal | undefined): Promise<StatusRow> {
  const settled = await host.connect(name, { ifEnabled: true });
  // A cancelled start says nothing about the server.
  if (end?.aborted === true) throw interruption();
  return rowOf(host, name, settled);
}

function rowOf(host: Host, name: string, settled: Status = { status: 'idle' }): StatusRow {
  return { name, report: host.report()[name] ?? { status: settled, ms: 0, phases: {} } };
}

function summary(rows: readonly StatusRow[]): readonly string[] {
  if (rows.length === 0) return ['No servers are configured. holt add adds one; holt --example shows one.'];
  const connected = rows.filter(({ report }) => report.status.status === 'connected').length;
  return ['', `${connected} of ${rows.length} connected`, ...homeLines(rows)];
}

/** One message for all of these servers. */
function homeLines(rows: readonly StatusRow[]): readonly string[] {
  const names = rows.filter(({ report }) => report.startIn?.why === 'untrusted').map(({ name }) => name);
  if (names.length === 0) return [];
  return [
    `${names.map(escapeLine).join(', ')}: started in your home folder, because this folder is not trusted`,
    '  holt trust --folder trusts it; your servers then start here.',
  ];
}

function count(items: readonly unknown[], word: string): string {
  return `${items.length} ${word}${items.length === 1 ? '' : 's'}`;
}

function enableFirst(name: string): string {
  return `Run holt enable ${nameWord(name)} first.`;
}

/** The remedy for a status. A server that was not started has no error with one. */
export function remedyFor(name: string, { status: state, remedy }: ServerReport): string | undefined {
  if (remedy !== undefined) return remedy;
  if (state.status === 'disabled') return enableFirst(name);
  if (state.status === 'needs_input') return `holt test ${nameWord(name)} asks for it.`;
  if (state.status !== 'untrusted') return undefined;
  if (state.reason === 'folder') return 'holt trust --folder trusts this folder.';
  return `Look at it and approve it with holt trust ${nameWord(name)}.`;
}

export function statusLines({ name, report }: StatusRow, style: Style): readonly string[] {
  const { status: state, era, protocol, lists, ms } = report;
  const counts =
    lists === undefined
      ? ''
      : `  ${[count(lists.tools, 'tool'), count(lists.resources, 'resource'), count(lists.prompts, 'prompt')].join(', ')}`;
  const paint =
    state.status === 'connected'
      ? style.green
      : state.status === 'failed' || state.status === 'blocked'
        ? style.red
        : style.yellow;
  const protocolText = protocol === undefined ? '' : `  ${era} ${protocol}`;
  const off =
    state.status === 'disabled'
      ? [`  Server "${escapeLine(name)}" is disabled. ${escapeLine(enableFirst(name))}`]
      : [];
  return [
    `${escapeLine(name)}  ${paint(state.status)}${counts}${protocolText}${ms > 0 ? `  ${Math.round(ms)} ms` : ''}`,
    ...('error' in state
      ? escapeBlock(state.error)
          .split('\n')
          .map((line) => `  ${line}`)
      : []),
    ...off,
    ...remedyLines(name, report),
  ];
}

function remedyLines(name: string, report: ServerReport): readonly string[] {
  const { status: state } = report;
  const remedy = state.status === 'disabled' ? undefined : remedyFor(name, report);
  if (remedy === undefined || ('error' in state && state.error.includes(remedy))) return [];
  return [`  ${escapeLine(remedy)}`];
}

export function reportJson(name: string, report: ServerReport): object {
  const { status: state, era, protocol, serverInfo, lists, startIn, ms, phases } = report;
  const remedy = remedyFor(name, report);
  return {
    ...state,
    ...(remedy === undefined ? {} : { remedy }),
    ...(era === undefined ? {} : { era, protocol, serverInfo }),
    ...(lists === undefined
      ? {}
      : { tools: lists.tools.length, resources: lists.resources.length, prompts: lists.prompts.length }),
    ...(startIn === undefined ? {} : { startIn }),
    ms: Math.round(ms),
    phases: Object.fromEntries(Object.entries(phases).map(([phase, took]) => [phase, Math.round(took)])),
  };
}

/** `holt test NAME`: connects once and shows the time of each phase. */
export const test = defineCommand<StatusRow>({
  name: 'test',
  wrapsLines: true,
  summary: 'Connect to one server once, and show how long each phase takes',
  usage: 'test NAME',
  options: {},
  completes: 'servers',

  async run(input, context) {
    const name = oneName(input, 'test');
    return withHost(context, async (host, signal, line) => {
      line.amongServers([name]);
      // Disconnect first, so that a server that already runs is started again.
      await host.disconnect(name);
      return connectOne(host, name, endOf(context, signal));
    });
  },

  render(row, style) {
    const phases = Object.entries(row.report.phases).map(
      ([phase, ms]) => `  ${phase.padEnd(18)} ${Math.round(ms)} ms`,
    );
    return [...statusLines(row, style), ...phases];
  },
  json: ({ name, report }) => ({ server: name, ...reportJson(name, report) }),
  exitCode: ({ report }) => worstExit([report]),
});
