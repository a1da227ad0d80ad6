/** The screen of a terminal of a given width after some output: the subset that holt’s sessions use, with unlimited rows. */

// oxlint-disable-next-line no-control-regex -- control sequences start with this character
const pieces = /\u001b\[([\d;?]*)([A-Za-z])|[\s\S]/gu;

/** The widest that any terminal draws it: joined emoji stand side by side. */
function widthOf(character: string): number {
  if (/[\p{Mn}\p{Me}\p{Cf}]/u.test(character)) return 0;
  return /[\p{Extended_Pictographic}\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff01-\uff60]/u.test(
    character,
  )
    ? 2
    : 1;
}

export function screenRows(output: string, columns: number): readonly string[] {
  /** Each cell a sign; the second half of a wide one is empty. */
  const rows: string[][] = [[]];
  let [row, column] = [0, 0];
  const rowAt = (index: number): string[] => (rows[index] ??= []);
  const put = (character: string): void => {
    const width = widthOf(character);
    if (column + width > columns) [row, column] = [row + 1, 0];
    const cells = rowAt(row);
    while (cells.length < column) cells.push(' ');
    if (width > 0) cells.splice(column, width, character, ...(width === 2 ? [''] : []));
    column += width;
  };
  const control = (count: number, letter: string): void => {
    if (letter === 'A') row = Math.max(row - (count || 1), 0);
    if (letter === 'G') column = Math.max(count - 1, 0);
    if (letter === 'C') column = Math.min(column + (count || 1), columns - 1);
    if (letter === 'D') column = Math.max(column - (count || 1), 0);
    if (letter === 'J' || letter === 'K') rowAt(row).splice(column);
    if (letter === 'J') rows.splice(row + 1);
  };
  for (const [piece, numbers = '', letter] of output.matchAll(pieces)) {
    if (letter !== undefined) control(Number(numbers.split(';')[0]) || 0, letter);
    else if (piece === '\n') row += 1;
    else if (piece === '\r') column = 0;
    else if (piece === '\t') column = Math.min((Math.floor(column / 8) + 1) * 8, columns - 1);
    else put(piece);
    rowAt(row);
  }
  return Array.from(rows, (cells) => (cells ?? []).join('').trimEnd());
}
