/** `holt status` and `holt test`: connect servers and report on each as soon as it has settled. */

import type { Host } from '../host/host.ts';
import { escapeLine } from '../masking/escape-text.ts';
import type { Problem } from '../kernel/problems.ts';
import type { Status } from '../kernel/phases.ts';
import { approvalNotes } from '../trust/consent-question.ts';
import type { Style } from '../terminal/style.ts';
import { wrapLines } from '../terminal/wrap.ts';
import { type CommandContext, defineCommand, oneName } from './command.ts';
import { worstExit } from './show/offers.ts';
import { interruption, withHost } from './with-host.ts';
import { type StatusRow, noteLines, notesJson, statusLines, reportJson } from './show/server-status.ts';

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
