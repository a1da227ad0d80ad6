/** `/mcp`: every server with its status, login and tools; arrow keys move, space switches on and off. */

import type { ToolInfo } from '../catalog/tool-info.ts';
import type { Host, LoginState } from '../host/host.ts';
import type { Status } from '../kernel/status.ts';
import { escapeLine } from '../masking/escape-text.ts';
import type { Style } from '../terminal/style.ts';
import { cutToWidth } from '../terminal/display-width.ts';
import { formatTable } from '../terminal/table.ts';

export interface PanelRow {
  readonly name: string;
  readonly status: Status;
  readonly login: LoginState | '–';
  readonly tools: readonly string[];
}

export interface PanelState {
  readonly rows: readonly PanelRow[];
  readonly at: number;
  /** Whose tools are shown. */
  readonly open: string | undefined;
}

export async function loadRows(host: Host, tools: readonly ToolInfo[]): Promise<readonly PanelRow[]> {
  const status = host.status();
  return Promise.all(
    // In an order that stays when one of them is started again.
    Object.keys(status)
      .toSorted()
      .map(async (name) => ({
        name,
        status: status[name] ?? { status: 'idle' },
        login: await loginOf(host, name),
        tools: tools.filter(({ server }) => server === name).map(({ tool }) => tool),
      })),
  );
}

async function loginOf(host: Host, name: string): Promise<PanelRow['login']> {
  if (!host.supportsOAuth(name)) return '–';
  const state = await host.getAuthStatus(name);
  return state === 'not_authenticated' ? '–' : state;
}

export type PanelMove =
  | { readonly kind: 'show'; readonly state: PanelState }
  | { readonly kind: 'toggle'; readonly server: string; readonly on: boolean }
  | { readonly kind: 'leave' };

/** What a key does. Pure. */
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
  if (key.name === 'space' || key.name === 'return')
    return { kind: 'toggle', server: row.name, on: row.status.status === 'disabled' };
  if (key.name !== 'right' && key.name !== 'left') return { kind: 'show', state };
  const shown = key.name === 'right' && open !== row.name ? row.name : undefined;
  return { kind: 'show', state: { ...state, open: shown } };
}

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

/** All of it, where nothing moves. */
export function panelText(rows: readonly PanelRow[], style: Style): string {
  return linesOf({ rows, at: -1, open: undefined }, style)
    .map(({ text }) => text)
    .join('\n');
}

/** No line is wider than the screen, and no more of them than it has room for: the one chosen is among them. */
export function panelLines(state: PanelState, style: Style, { columns, rows }: PanelSize): readonly string[] {
  const lines = linesOf(state, style);
  // The cursor stands below, the help has a line too, and some terminals keep a copy of a screen that is wiped whole.
  const room = Math.max(rows - 3, 1);
  const chosen = lines.findIndex(({ text }) => text.startsWith(mark));
  const first = Math.max(Math.min(chosen - Math.floor(room / 2), lines.length - room), 0);
  return [...lines.slice(first, first + room), { text: panelHelp, paint: style.dim }].map(
    ({ text, paint }) => {
      const cut = cutToWidth(text, columns);
      return paint === undefined ? cut : paint(cut);
    },
  );
}

const mark = '›';

function linesOf({ rows, at, open }: PanelState, style: Style): readonly PanelLine[] {
  if (rows.length === 0) return [{ text: 'No servers. /mcp add adds one.' }];
  const cells = formatTable(
    rows.map(({ name, status, login, tools }, index) => [
      index === at ? mark : ' ',
      status.status === 'disabled' ? '[ ]' : '[x]',
      escapeLine(name),
      status.status,
      login,
      tools.length === 0 ? '' : `${tools.length} tool${tools.length === 1 ? '' : 's'}`,
    ]),
  );
  return rows.flatMap(({ name, tools, status }, index) => [
    { text: cells[index] ?? '', ...(index === at ? { paint: style.bold } : {}) },
    ...(name === open ? tools.map((tool) => ({ text: `        ${escapeLine(tool)}` })) : []),
    ...(index === at && 'error' in status
      ? [{ text: `      ${firstLine(status.error)}`, paint: style.red }]
      : []),
  ]);
}

const panelHelp = '↑↓ move   space on/off   → tools   q back';

function firstLine(text: string): string {
  return escapeLine(text.split('\n', 1)[0] ?? '');
}
