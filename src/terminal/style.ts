/** What the terminal can do: colour and weight unless NO_COLOR is set, the line width, and asking questions. */

import { isatty } from 'node:tty';

export interface StyleOptions {
  readonly isTerminal: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The width of the terminal. */
  readonly columns?: number | undefined;
}

const codes = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

export type Style = Readonly<Record<keyof typeof codes, (text: string) => string>> & {
  /** The maximum line width; infinite if the output is not a terminal. */
  readonly columns: number;
};

export function createStyle(options: StyleOptions): Style {
  const isColoured = wantsColour(options);
  const paint =
    ([open, close]: readonly [number, number]) =>
    (text: string): string =>
      isColoured && text !== '' ? `\u001b[${open}m${text}\u001b[${close}m` : text;

  return {
    columns: options.isTerminal ? options.columns || usualColumns : Infinity,
    bold: paint(codes.bold),
    dim: paint(codes.dim),
    red: paint(codes.red),
    green: paint(codes.green),
    yellow: paint(codes.yellow),
    cyan: paint(codes.cyan),
  };
}

/** For a terminal that does not report its width. */
const usualColumns = 80;

/** NO_COLOR takes precedence, then FORCE_COLOR, then the type of the terminal. */
function wantsColour({ isTerminal, env }: StyleOptions): boolean {
  const { NO_COLOR: never, FORCE_COLOR: force, TERM: terminal } = env;
  if (never !== undefined && never !== '') return false;
  if (force !== undefined) return force !== '0' && force !== 'false';
  return isTerminal && terminal !== 'dumb';
}

/** True if stdin and stderr are terminals. */
export function canAsk(): boolean {
  // Not `process.stdin`: accessing it opens a stream, and most commands never read one.
  return isatty(0) && isatty(2);
}
