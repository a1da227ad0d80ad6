/** The comparison for a terminal. */

import { writeRatio, type PeersRecord } from './record.ts';

export function peersText({ columns, rows }: PeersRecord): string {
  const widest = Math.max(...rows.map(({ title }) => title.length)) + 2;
  const line = (title: string, cells: readonly string[]): string =>
    `${title.padEnd(widest)}${cells.map((cell) => cell.padStart(11)).join('')}`;
  return [
    line(
      '',
      columns.map(({ name }) => name),
    ),
    ...rows.map(({ title, cells }) =>
      line(
        title,
        columns.map(({ id }) => {
          const cell = cells[id];
          return cell !== undefined && 'ratio' in cell ? writeRatio(cell.ratio) : '–';
        }),
      ),
    ),
  ].join('\n');
}
