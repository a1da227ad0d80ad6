/**
 * `/mcp`: every server with its status, failure, login and tools. Arrow keys move, Enter shows details, Space
 * switches a server on or off, `l` logs in.
 */

import { escapeLine } from '../masking/escape-text.ts';
import { cutToWidth } from '../terminal/wrap.ts';
import type { Style } from '../terminal/style.ts';
import { formatTable } from '../terminal/table.ts';
import { detailLines, loginOffer, type ServerDetails } from './server-details.ts';

export interface PanelState {
  readonly rows: readonly ServerDetails[];
  readonly at: number;
  /** The server whose details are shown. */
  readonly open: string | undefined;
}

export type PanelMove =
  | { readonly kind: 'show'; readonly state: PanelState }
  | { readonly kind: 'toggle'; readonly server: string; readonly on: boolean }
  | { readonly kind: 'login'; readonly server: string }
  | { readonly kind: 'leave' };

/** Returns what a key does. Pure. */
export function movePanel(
  state: PanelState,
  key: { readonly name: string; readonly ctrl: boolean },
): PanelMove {
  const { rows, at, open } = state;
  const row = rows[at];
  if (leaving.has(key.name) || (key.ctrl && ['c', 'd'].includes(key.name))) return { kind: 'leave' };
  const step = steps[key.name];
  if (step !== undefined) {
    const next = Math.min(Math.max(at + step, 0), Math.max(rows.length - 1, 0));
    return { kind: 'show', state: { ...state, at: next } };
  }
  if (row === undefined) return { kind: 'show', state };
  if (key.name === 'space')
    return { kind: 'toggle', server: row.name, on: row.report.status.status === 'disabled' };
  if (key.name === 'l' && row.canLogIn) return { kind: 'login', server: row.name };
  if (!detailKeys.has(key.name)) return { kind: 'show', state };
  const shown = key.name !== 'left' && open !== row.name ? row.name : undefined;
  return { kind: 'show', state: { ...state, open: shown } };
}

/** Enter, and the left and right arrow keys. */
const detailKeys: ReadonlySet<string> = new Set(['return', 'enter', 'right', 'left']);

const leaving: ReadonlySet<string> = new Set(['escape', 'q']);
const steps: Readonly<Record<string, number>> = { up: -1, k: -1, down: 1, j: 1 };

export interface PanelSize {
  readonly columns: number;
  readonly rows: number;
}

interface PanelLine {
  readonly text: string;
  readonly paint?: (text: string) => string;
}

/** The whole panel as text, if there is no terminal to draw on. */
export function panelText(rows: readonly ServerDetails[], style: Style): string {
  return linesOf({ rows, at: -1, open: undefined }, style, Infinity)
    .map(({ text }) => text)
    .join('\n');
}

/** Fits the panel to the screen: cuts wide lines, and shows as many as fit, including the selected one. */
export function panelLines(state: PanelState, style: Style, { columns, rows }: PanelSize): readonly string[] {
  const lines = linesOf(state, style, columns);
  // One row for the cursor, one for the help, and one because some terminals otherwise scroll on a redraw.
  const room = Math.max(rows - 3, 1);
  const selected = lines.findIndex(({ text }) => text.startsWith(mark));
  const isOpen = state.open !== undefined && state.rows[state.at]?.name === state.open;
  const above = isOpen ? 0 : Math.floor(room / 2);
  const first = Math.max(Math.min(selected - above, lines.length - room), 0);
  return [...lines.slice(first, first + room), { text: helpFor(state), paint: style.dim }].map(
    ({ text, paint }) => {
      const cut = cutToWidth(text, columns);
      return paint === undefined ? cut : paint(cut);
    },
  );
}

const mark = '›';

function linesOf(state: PanelState, style: Style, columns: number): readonly PanelLine[] {
  const { rows, at, open } = state;
  if (rows.length === 0) return [{ text: 'No servers. /mcp add adds one.' }];
  const cells = formatTable(
    rows.map(({ name, report: { status }, login, tools }, index) => [
      index === at ? mark : ' ',
      status.status === 'disabled' ? '[ ]' : '[x]',
      escapeLine(name),
      status.status,
      login,
      tools.length === 0 ? '' : `${tools.length} tool${tools.length === 1 ? '' : 's'}`,
    ]),
  );
  return rows.flatMap((row, index) => [
    { text: cells[index] ?? '', ...(index === at ? { paint: style.bold } : {}) },
    ...(row.name === open
      ? detailLines(row, columns - indent.length).map((text) => ({ text: indent + text }))
      : briefLines(row, style)),
  ]);
}

const indent = '      ';

/** Why a server is not connected, and how to log in to it. */
function briefLines(row: ServerDetails, style: Style): readonly PanelLine[] {
  const { status } = row.report;
  const offer = loginOffer(row);
  return [
    ...('error' in status ? [{ text: indent + firstLine(status.error), paint: style.red }] : []),
    ...(offer === undefined ? [] : [{ text: indent + offer, paint: style.yellow }]),
  ];
}

function helpFor({ rows, at }: PanelState): string {
  const login = rows[at]?.canLogIn === true ? '   l log in' : '';
  return `↑↓ move   Enter details   Space on/off${login}   q back`;
}

function firstLine(text: string): string {
  return escapeLine(text.split('\n', 1)[0] ?? '');
}
