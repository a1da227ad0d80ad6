/** Rows as aligned lines. Nothing is cut, so that a line can be searched and copied; cells must be escaped before. */

import { displayWidth } from './display-width.ts';

const gap = '  ';

/** One line for each row: columns start under each other, the last one is not padded. */
export function formatTable(rows: readonly (readonly string[])[]): string[] {
  const widths = columnWidths(rows);
  return rows.map((row) => {
    const filled = row.slice(0, row.findLastIndex((cell) => cell !== '') + 1);
    return filled
      .map((cell, column) => (column === filled.length - 1 ? cell : pad(cell, widths[column] ?? 0)))
      .join(gap);
  });
}

function columnWidths(rows: readonly (readonly string[])[]): number[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, displayWidth(cell));
    }
  }
  return widths;
}

function pad(cell: string, width: number): string {
  return cell + ' '.repeat(width - displayWidth(cell));
}
