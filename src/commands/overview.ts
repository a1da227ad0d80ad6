/** `holt` without arguments: shows all servers in groups, and what to do next. Connects nothing. */

import { escapeLine } from '../masking/escape-text.ts';
import type { Style } from '../terminal/style.ts';
import type { Roster } from '../roster/load-roster.ts';
import type { RosterEntry } from '../roster/rank.ts';
import { formatTable } from '../terminal/table.ts';
import { plainProjectField } from '../trust/start-folder.ts';
import { warnOfFiles } from './diagnosis/host-warnings.ts';
import { counted } from './show/format.ts';
import { defineCommand, type CommandContext } from './command.ts';
import { countProblems, countsText, findProblems } from './diagnosis/find-problems.ts';
import { serverRow, type ServerRow } from './show/server-row.ts';

interface OverviewRow extends ServerRow {
  /** The server does not start until the folder is trusted. */
  readonly needsFolder?: true;
}

export interface OverviewData {
  readonly servers: readonly OverviewRow[];
  readonly shadowed: number;
  readonly errors: number;
  readonly warnings: number;
  readonly files: number;
  readonly agents: readonly string[];
  /** A sentence about what a project hides. */
  readonly leftOut?: string | undefined;
}

export const overview = defineCommand<OverviewData>({
  name: 'overview',
  wrapsLines: true,
  summary: 'Every server found, and what to do next',
  usage: '',
  mostWords: 0,
  options: {},

  async run(_input, context) {
    const roster = await context.loadRoster();
    warnOfFiles(roster.problems, context.warn);
    const existing = roster.sources.filter(({ exists, servers }) => exists && servers > 0);
    return {
      servers: roster.servers.map((entry) => ({
        ...serverRow(entry),
        ...(needsFolder(entry, roster, context) ? { needsFolder: true } : {}),
      })),
      shadowed: roster.shadowed.length,
      ...countProblems(await findProblems(roster, context)),
      files: existing.length,
      agents: [...new Set(existing.map(({ agent }) => agent))],
      leftOut: roster.problems.find(({ code }) => code === 'agents-left-out')?.message,
    };
  },

  render(data, style) {
    const { servers } = data;
    if (servers.length === 0) return emptyLines(data, style);
    const groups = [
      {
        title: 'ready to use',
        rows: servers.filter((row) => row.enabled && row.trusted && !waitsForFolder(row)),
        paint: style.green,
      },
      {
        title: 'waiting for a trusted folder',
        rows: servers.filter(waitsForFolder),
        paint: style.yellow,
      },
      {
        title: 'waiting for your approval',
        rows: servers.filter(isWaiting),
        paint: style.yellow,
      },
      {
        title: 'denied',
        rows: servers.filter(({ enabled, denied }) => enabled && denied === true),
        paint: style.dim,
      },
      { title: 'switched off', rows: servers.filter(({ enabled }) => !enabled), paint: style.dim },
    ];
    return [
      style.bold(titleOf(data)),
      ...groups
        .filter(({ rows }) => rows.length > 0)
        .flatMap(({ title, rows, paint }) => [
          '',
          paint(`${title} (${rows.length})`),
          ...groupLines(rows, style),
        ]),
      '',
      ...nextSteps(data, style),
    ];
  },

  json: ({ servers, shadowed, errors, warnings }) => ({ servers, shadowed, errors, warnings }),
});

function needsFolder(
  { definition }: RosterEntry,
  { startOf }: Roster,
  { machine }: Pick<CommandContext, 'machine'>,
): boolean {
  return plainProjectField(definition, startOf(definition), machine) !== undefined;
}

function waitsForFolder({ enabled, trusted, needsFolder: needs }: OverviewRow): boolean {
  return enabled && trusted && needs === true;
}

function isWaiting({ enabled, trusted, denied }: ServerRow): boolean {
  return enabled && !trusted && denied !== true;
}

function titleOf({ servers, files, agents, leftOut }: OverviewData): string {
  if (files === 0)
    return leftOut === undefined
      ? 'No MCP servers are configured on this machine. Here is one to try:'
      : 'No MCP servers are read here. Here is one to try:';
  return `${counted(servers.length, 'MCP server')} in ${counted(files, 'file')} of ${counted(agents.length, 'agent')}`;
}

function groupLines(rows: readonly ServerRow[], style: Style): readonly string[] {
  return formatTable(
    rows.map((row) => [
      `  ${escapeLine(row.name)}`,
      row.transport,
      escapeLine(shorten(row.connect, Math.min(60, style.columns - 4))),
      style.dim(`${row.agent} · ${row.source}`),
    ]),
    style.columns,
  );
}

function shorten(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}

function emptyTitle({ leftOut }: OverviewData, style: Style): readonly string[] {
  if (leftOut === undefined) return [style.bold('No MCP servers are configured on this machine.')];
  return [style.bold('No MCP servers are read here.'), escapeLine(leftOut)];
}

function emptyLines(data: OverviewData, style: Style): readonly string[] {
  const counts = countsText(data);
  return [
    ...emptyTitle(data, style),
    '',
    ...(counts === undefined ? [] : [`holt doctor        ${counts}`]),
    'holt --example     try holt with its example server',
    'holt --help        all commands',
  ];
}

function nextSteps(data: OverviewData, style: Style): readonly string[] {
  const steps: (readonly [string, string])[] = [];
  const waiting = data.servers.filter(isWaiting);
  if (waiting.length > 0)
    steps.push(['holt trust', `look at what ${counted(waiting.length, 'server')} would run, and approve it`]);
  const waitingForFolder = data.servers.filter(waitsForFolder);
  if (waitingForFolder.length > 0)
    steps.push([
      'holt trust --folder',
      `trust this folder, so that ${counted(waitingForFolder.length, 'server')} can start in it`,
    ]);
  const counts = countsText(data);
  if (counts !== undefined) steps.push(['holt doctor', counts]);
  if (data.shadowed > 0)
    steps.push(['holt list --all', `${counted(data.shadowed, 'server')} hidden by another of the same name`]);
  steps.push(['holt get NAME', 'where a server comes from and what it would run']);
  return formatTable(
    steps.map(([command, what]) => [`  ${style.cyan(command)}`, what]),
    style.columns,
  );
}
