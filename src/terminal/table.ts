/**
 * Formats rows as aligned lines. Cuts nothing, so that lines can be searched and copied; escape cells first.
 * On a terminal that is too narrow, cells wrap at blanks, and cells that still do not fit get lines of their
 * own below the row.
 */

import { displayWidth, wrapRows } from './wrap.ts';

type Rows = readonly (readonly string[])[];

const gap = '  ';
/** Indentation of a cell that has lines of its own. */
const below = '    ';
/** Narrower than this, the last column would be hard to read. */
const leastLast = 20;

/**
 * Aligns the columns; the last one is not padded. Without `columns` each row is one line. `notes` have lines
 * of their own below the rows at any width.
 */
export function formatTable(rows: Rows, columns = Infinity, notes: readonly string[] = []): string[] {
  const linesOf = rowFormatter(rows, columns);
  return rows.flatMap((row, at) => {
    const note = notes[at] ?? '';
    return [...linesOf(row), ...(note === '' ? [] : linesBelow(note, columns))];
  });
}

function rowFormatter(rows: Rows, columns: number): (row: readonly string[]) => readonly string[] {
  const widths = columnWidths(rows, displayWidth);
  if (totalOf(widths) <= columns) return (row) => [lineOf(row, widths)];
  const layout = layoutFor(rows, columns);
  return (row) => wrappedRow(row, layout, columns);
}

function lineOf(row: readonly string[], widths: readonly number[]): string {
  const filled = row.slice(0, row.findLastIndex((cell) => cell !== '') + 1);
  return filled
    .map((cell, column) => (column === filled.length - 1 ? cell : pad(cell, widths[column] ?? 0)))
    .join(gap);
}

function columnWidths(rows: Rows, widthOf: (cell: string) => number): number[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, widthOf(cell));
    }
  }
  // Drop empty columns at the end.
  return widths.slice(0, widths.findLastIndex((width) => width > 0) + 1);
}

function totalOf(widths: readonly number[]): number {
  return widths.reduce((total, width) => total + width, 0) + gap.length * Math.max(widths.length - 1, 0);
}

function pad(cell: string, width: number): string {
  return cell + ' '.repeat(Math.max(width - displayWidth(cell), 0));
}

interface Layout {
  /** The columns that stay side by side, in order. */
  readonly beside: readonly number[];
  /** Their widths; the last one takes what is left. */
  readonly widths: readonly number[];
  /** The columns whose cells have lines of their own. */
  readonly moved: readonly number[];
}

/** Moves the widest columns below until the rest fits, then narrows the widest of those that can wrap. */
function layoutFor(rows: Rows, columns: number): Layout {
  const natural = columnWidths(rows, displayWidth);
  const least = columnWidths(rows, widestWord);
  const last = natural.length - 1;
  const leastAt = (column: number): number =>
    column === last ? Math.min(natural[last] ?? 0, leastLast) : (least[column] ?? 0);
  let beside = natural.map((_, column) => column);
  while (totalOf(beside.map(leastAt)) > columns) {
    const movable = beside.filter((column) => column !== 0 && column !== last);
    if (movable.length === 0) break;
    const widest = movable.reduce((left, right) => (leastAt(right) > leastAt(left) ? right : left));
    beside = beside.filter((column) => column !== widest);
  }
  const widths = narrowed(beside, { natural, leastAt, columns });
  return { beside, widths, moved: natural.flatMap((_, column) => (beside.includes(column) ? [] : [column])) };
}

interface Narrowing {
  readonly natural: readonly number[];
  readonly leastAt: (column: number) => number;
  readonly columns: number;
}

function narrowed(beside: readonly number[], { natural, leastAt, columns }: Narrowing): readonly number[] {
  const leading = beside.slice(0, -1);
  const lastColumn = beside.at(-1) ?? 0;
  const widths = leading.map((column) => natural[column] ?? 0);
  const room = columns - leastAt(lastColumn) - gap.length;
  while (totalOf(widths) > room) {
    const slack = leading.map((column, at) => (widths[at] ?? 0) - leastAt(column));
    const at = slack.indexOf(Math.max(...slack));
    if ((slack[at] ?? 0) <= 0) break;
    widths[at] = (widths[at] ?? 0) - 1;
  }
  const used = totalOf(widths) + (leading.length === 0 ? 0 : gap.length);
  return [...widths, Math.max(columns - used, 1)];
}

function widestWord(cell: string): number {
  return Math.max(...cell.split(' ').map(displayWidth));
}

function wrappedRow(row: readonly string[], { beside, widths, moved }: Layout, columns: number): string[] {
  const lastAt = beside.length - 1;
  const lastCell = row[beside[lastAt] ?? 0] ?? '';
  const lastIsBelow = lastAt > 0 && isBetterBelow(lastCell, widths[lastAt] ?? 0, columns);
  const cells = beside.map((column, at) =>
    at === lastAt && lastIsBelow ? [''] : wrapCell(row[column] ?? '', widths[at] ?? 0),
  );
  const height = Math.max(1, ...cells.map(({ length }) => length));
  const lines = Array.from({ length: height }, (_, index) =>
    lineOf(
      cells.map((cell) => cell[index] ?? ''),
      widths,
    ),
  );
  const others = [...moved.map((column) => row[column] ?? ''), ...(lastIsBelow ? [lastCell] : [])];
  return [...lines, ...others.filter((cell) => cell !== '').flatMap((cell) => linesBelow(cell, columns))];
}

/** True if a word does not fit in the column, or if the cell takes fewer lines below the row. */
function isBetterBelow(cell: string, width: number, columns: number): boolean {
  if (displayWidth(cell) <= width) return false;
  if (widestWord(cell) > width) return true;
  return linesBelow(cell, columns).length + 1 < wrapCell(cell, width).length;
}

function linesBelow(cell: string, columns: number): readonly string[] {
  return wrapCell(cell, columns - below.length).map((line) => below + line);
}

// oxlint-disable-next-line no-control-regex -- colour codes start with this character
const painted = /^((?:\u001b\[\d+m)+)(.*?)((?:\u001b\[\d+m)+)$/s;

/** Colours each line separately, so that no colour reaches the next column. */
function wrapCell(cell: string, width: number): readonly string[] {
  if (displayWidth(cell) <= width) return [cell];
  const [, open = '', text = cell, close = ''] = painted.exec(cell) ?? [];
  return wrapRows(text, width, { first: '', next: '' }).map((line) => open + line + close);
}
