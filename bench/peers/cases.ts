/** The cases: what each one runs for the base and for every peer, and which figures it yields. */

import path from 'node:path';

import type { Base, Row } from '../report/record.ts';

import { lacksCommand, lacksLibrary } from './columns.ts';

const root = path.join(import.meta.dirname, '..', '..');

/** How long a run took, and what it told. */
export interface Run {
  readonly ms: number;
  readonly told: Readonly<Record<string, number>>;
}

export interface Figure {
  readonly id: string;
  readonly title: string;
  readonly unit: Row['baseValue']['unit'];
  readonly better: 'less' | 'more';
  readonly of: (run: Run) => number;
}

export interface PeerCase {
  readonly id: string;
  readonly base: Base;
  /** How many servers the home has. */
  readonly servers: number;
  readonly rounds: number;
  /** The first round does not count: it only warms the disk's cache. */
  readonly warms: boolean;
  readonly figures: readonly Figure[];
  /** Arguments for Node, or why there are none. */
  readonly argsOf: (column: string, place: Place) => readonly string[] | { readonly why: string };
}

export interface Place {
  /** Where the peers are installed. */
  readonly folder: string;
  readonly home: string;
  /** The share of calls that a quick run makes. */
  readonly scale: number;
}

type Command = (place: Place) => readonly string[];

export const entries: Readonly<Record<string, Command>> = {
  holt: () => [path.join(root, 'dist', 'holt.cjs')],
  mcporter: ({ folder }) => [path.join(folder, 'node_modules', 'mcporter', 'dist', 'cli.js')],
  'mcp-use': ({ folder }) => [path.join(folder, 'node_modules', 'mcp-use', 'dist', 'src', 'bin.js')],
  'mcp-remote': ({ folder }) => [path.join(folder, 'node_modules', 'mcp-remote', 'dist', 'proxy.js')],
};

const wall = (id: string, title: string): Figure => ({
  id,
  title,
  unit: 'ms',
  better: 'less',
  of: ({ ms }) => ms,
});
const toldFigure = (key: string, figure: Omit<Figure, 'of'>, divisor = 1): Figure => ({
  ...figure,
  of: ({ told }) => (told[key] ?? Number.NaN) / divisor,
});

/** Cases of the command lines, each with the words for those that have it. */
function commandCase(
  given: Pick<PeerCase, 'base' | 'servers' | 'rounds'> & { readonly figure: Figure },
  what: { readonly name: string; readonly base: readonly string[] },
  words: Readonly<Record<string, readonly string[]>>,
): PeerCase {
  return {
    ...given,
    id: given.figure.id,
    warms: true,
    figures: [given.figure],
    argsOf: (column, place) => {
      if (column === 'node') return ['-e', '0'];
      if (column === 'floor') return [program('floor', place), ...what.base];
      const own = words[column];
      if (own === undefined) return { why: lacksCommand(column, what.name) };
      return [...(entries[column]?.(place) ?? []), ...own];
    },
  };
}

/** Cases of the libraries: the same job for every program. */
function libraryCase(
  given: Pick<PeerCase, 'id' | 'base' | 'rounds' | 'warms' | 'figures'>,
  job: (place: Place) => readonly string[],
  options: { readonly bridges?: boolean; readonly flags?: readonly string[] } = {},
): PeerCase {
  const { bridges = false, flags = [] } = options;
  return {
    ...given,
    servers: 0,
    argsOf: (column, place) => {
      if (column === 'node') return ['-e', '0'];
      if (column === 'mcp-remote' && !bridges) return { why: lacksLibrary };
      return [...flags, program(column, place), ...job(place)];
    },
  };
}

const program = (name: string, { folder }: Place): string => path.join(folder, 'programs', `${name}.mjs`);

const commands: readonly PeerCase[] = [
  commandCase(
    {
      base: 'node',
      servers: 0,
      rounds: 11,
      figure: wall('version', 'command: `--version`'),
    },
    { name: 'such flag', base: [] },
    { holt: ['--version'], mcporter: ['--version'], 'mcp-use': ['--version'], 'mcp-remote': ['--version'] },
  ),
  commandCase(
    {
      base: 'node',
      servers: 60,
      rounds: 11,
      figure: wall('list', 'command: list 60 configured servers'),
    },
    { name: 'list of configured servers', base: [] },
    { holt: ['list'], mcporter: ['config', 'list'], 'mcp-use': ['client', 'list'] },
  ),
  commandCase(
    {
      base: 'floor',
      servers: 1,
      rounds: 9,
      figure: wall('status-1', 'command: connect and list 1 server'),
    },
    { name: 'way to list tools', base: ['connect', '1'] },
    { holt: ['status', 's0'], mcporter: ['list', 's0'], 'mcp-use': ['client', 's0', 'tools', 'list'] },
  ),
  commandCase(
    {
      base: 'floor',
      servers: 30,
      rounds: 5,
      figure: wall('status-30', 'command: connect and list 30 servers'),
    },
    { name: 'way to ask many servers at once', base: ['connect', '30'] },
    { holt: ['status'], mcporter: ['list'] },
  ),
  commandCase(
    {
      base: 'floor',
      servers: 1,
      rounds: 9,
      figure: wall('shell-call', 'command: one call'),
    },
    { name: 'way to call a tool', base: ['call'] },
    {
      holt: ['call', 's0.tool_0', 'path=x'],
      mcporter: ['call', 's0.tool_0', 'path=x'],
      'mcp-use': ['client', 's0', 'tools', 'call', 'tool_0', 'path=x'],
    },
  ),
];

const connects = [1, 10, 30].map((count) => {
  const few = count === 1;
  const title = `library: connect and list ${count} server${few ? '' : 's'}, cold`;
  const id = `connect-${count}`;
  const rounds = few ? 9 : 5;
  return libraryCase({ id, base: 'floor', rounds, warms: true, figures: [wall(id, title)] }, () => [
    'connect',
    String(count),
  ]);
});

const calls = [
  { transport: 'stdio', name: 'stdio', count: 4000 },
  { transport: 'http', name: 'HTTP', count: 1000 },
].map(({ transport, name, count }) => {
  const id = `calls-${transport}`;
  return libraryCase(
    {
      id,
      base: 'floor',
      rounds: 3,
      warms: false,
      figures: [
        toldFigure('p50', {
          id: `${id}-p50`,
          title: `library: call over ${name}, p50`,
          unit: 'ms',
          better: 'less',
        }),
        toldFigure('p99', {
          id: `${id}-p99`,
          title: `library: call over ${name}, p99`,
          unit: 'ms',
          better: 'less',
        }),
        toldFigure('perSecond', {
          id: `${id}-rate`,
          title: `library: calls per second over ${name}, 64 in flight`,
          unit: 'per second',
          better: 'more',
        }),
      ],
    },
    ({ scale }) => ['calls', transport, String(Math.ceil(count * scale))],
    { bridges: transport === 'http' },
  );
});

const mebibyte = 2 ** 20;
const memory = (id: string, title: string, ...job: readonly string[]): PeerCase =>
  libraryCase(
    {
      id,
      base: 'floor',
      rounds: 3,
      warms: false,
      figures: [toldFigure('bytes', { id, title, unit: 'MiB', better: 'less' }, mebibyte)],
    },
    () => ['memory', ...job],
    { flags: ['--expose-gc'] },
  );

export const peerCases: readonly PeerCase[] = [
  ...commands,
  libraryCase(
    {
      id: 'import',
      base: 'node',
      rounds: 9,
      warms: true,
      figures: [wall('import', 'library: import')],
    },
    () => ['import'],
  ),
  ...connects,
  libraryCase(
    {
      id: 'call',
      base: 'floor',
      rounds: 9,
      warms: true,
      figures: [wall('call', 'library: connect and call once, cold')],
    },
    () => ['call'],
  ),
  ...calls,
  memory('memory-30', 'library: memory with 30 servers', '30'),
  memory('memory-5000', 'library: memory with 5,000 tools (17 MB)', '5', '1000'),
  libraryCase(
    {
      id: 'result',
      base: 'floor',
      rounds: 3,
      warms: false,
      figures: [
        toldFigure('ms', {
          id: 'result-time',
          title: 'library: 9 MB of text over stdio, time',
          unit: 'ms',
          better: 'less',
        }),
        toldFigure(
          'bytes',
          {
            id: 'result-memory',
            title: 'library: 9 MB of text over stdio, growth of memory',
            unit: 'MiB',
            better: 'less',
          },
          mebibyte,
        ),
      ],
    },
    () => ['result', '9000000'],
  ),
];
