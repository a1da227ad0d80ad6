/** The comparison as Markdown: the whole table, and the few rows of the README. */

import { bases, chosen, describeRun, writeRatio, type Cell, type PeersRecord, type Row } from './record.ts';

const startMark = '<!-- bench -->';
const endMark = '<!-- /bench -->';

/** bench/results/peers.md. */
export function peersPage(record: PeersRecord): string {
  const notes = new Map<string, number>();
  const lines = tableOf(record, record.rows, (cell) => withNote(cell, notes));
  return `${[
    '# Speed beside others',
    '',
    'Written by `npm run bench`, not by hand.',
    '',
    'Every number is a ratio to a base of the same run, which is 1: to a Node that does nothing (`node -e 0`), or to the *floor*, a client written',
    'by hand that does the same work without any checks. Cases take turns, medians count. Less is better, and where it says ↑, more.',
    '',
    ...lines,
    '',
    ...[...notes].map(([why, number]) => `${number}. ${why}`),
    '',
    describeRun(record),
  ].join('\n')}\n`;
}

/** What stands between the marks of the README. */
export function readmeSection(record: PeersRecord): string {
  return [
    startMark,
    'A base of the same run is 1: a Node that does nothing, or the *floor*, a client written by hand that does the same work without any checks.',
    'Less is better, and where it says ↑, more; – means there is no such thing, and [the whole table](bench/results/peers.md) says why.',
    '',
    ...tableOf(record, chosen(record), (cell) =>
      cell === undefined || 'why' in cell ? '–' : writeRatio(cell.ratio),
    ),
    '',
    '![the same as bars](bench/results/peers.svg)',
    '',
    describeRun(record),
    '`npm run bench` repeats it (`npm run bench -- --no-peers` measures holt alone).',
    endMark,
  ].join('\n');
}

/** The README with the section of this record in place of the one it has. */
export function withSection(readme: string, record: PeersRecord): string {
  const [from, to] = [readme.indexOf(startMark), readme.indexOf(endMark)];
  if (from === -1 || to < from) throw new Error(`README.md has no ${startMark} … ${endMark}`);
  return `${readme.slice(0, from)}${readmeSection(record)}${readme.slice(to + endMark.length)}`;
}

/** Lines of the README outside of the section that hold a number like `1.2 ×`. */
export function ratiosOutside(readme: string): readonly string[] {
  const outside = `${readme.slice(0, readme.indexOf(startMark))}${readme.slice(readme.indexOf(endMark))}`;
  return outside.split('\n').filter((line) => /\d\s*×/.test(line));
}

function tableOf(
  { columns }: PeersRecord,
  rows: readonly Row[],
  write: (cell: Cell | undefined) => string,
): readonly string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(['', '×', ...columns.map(({ name }) => name)]),
    line(['---', '---', ...columns.map(() => '--:')]),
    ...rows.map((row) =>
      line([
        row.better === 'more' ? `${row.title} ↑` : row.title,
        bases[row.base],
        ...columns.map(({ id }) => write(row.cells[id])),
      ]),
    ),
  ];
}

function withNote(cell: Cell | undefined, notes: Map<string, number>): string {
  const known: Cell = cell ?? { why: 'was not asked' };
  if ('ratio' in known) return writeRatio(known.ratio);
  const number = notes.get(known.why) ?? notes.size + 1;
  notes.set(known.why, number);
  return `– <sup>${number}</sup>`;
}
