/** The record of a comparison run, and how its numbers are formatted. */

export type Base = 'node' | 'floor';

export interface Load {
  readonly start: readonly number[];
  readonly end: readonly number[];
}

/** A ratio to the base of the same run, or why there is none. */
export type Cell = { readonly ratio: number } | { readonly why: string };

export interface Row {
  readonly id: string;
  readonly title: string;
  readonly base: Base;
  readonly better: 'less' | 'more';
  readonly rounds: number;
  /** What the base took, in its own unit. */
  readonly baseValue: { readonly value: number; readonly unit: 'ms' | 'MiB' | 'per second' };
  readonly cells: Readonly<Record<string, Cell>>;
}

export interface Column {
  readonly id: string;
  /** As it is called in tables. */
  readonly name: string;
  /** The package whose version counts. */
  readonly from: string;
}

export interface PeersRecord {
  readonly at: string;
  /** The Node that ran all of it. */
  readonly node: string;
  readonly machine: { readonly cores: number; readonly model: string; readonly load: Load };
  readonly versions: Readonly<Record<string, string>>;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
}

export function writeRatio(ratio: number): string {
  return ratio < 10 ? ratio.toFixed(2) : ratio.toFixed(1);
}

export const bases: Readonly<Record<Base, string>> = { node: '`node -e 0`', floor: 'floor' };

/** Rows that the README and the picture show. */
export const chosenRows = [
  'version',
  'list',
  'shell-call',
  'connect-30',
  'calls-stdio-p50',
  'calls-stdio-rate',
  'calls-http-p50',
  'memory-5000',
];

export function chosen(record: PeersRecord): readonly Row[] {
  return record.rows.filter(({ id }) => chosenRows.includes(id));
}

export function describeRun({ at, node, machine, versions, columns, rows }: PeersRecord): string {
  const rounds = rows.map((row) => row.rounds);
  const told = columns.map(({ name, from }) => {
    const full = name === from ? name : `${name} (${from})`;
    return `${full} ${versions[from]}`;
  });
  return [
    `${at.slice(0, 10)}, Node ${node.slice(1)}, ${machine.cores} cores (${machine.model.trim()}), `,
    `load ${machine.load.start[0]} at the start and ${machine.load.end[0]} at the end, `,
    `medians of ${Math.min(...rounds)} to ${Math.max(...rounds)} rounds: ${told.join(', ')}.`,
  ].join('');
}
