/** The panel of servers in windows of any size. */

import { expect, test } from 'vitest';

import { createStyle } from '../terminal/style.ts';
import { panelLines, type PanelRow, type PanelState } from './panel.ts';

const style = createStyle({ isTerminal: false, env: {} });
const row = (name: string, tools: readonly string[] = []): PanelRow => ({
  name,
  status: { status: 'connected' },
  login: '–',
  tools,
});
const state = (at: number, rows: readonly PanelRow[]): PanelState => ({ rows, at, open: undefined });

test('no line of the panel is wider than the screen', () => {
  const failed: PanelRow = {
    ...row('two'),
    status: { status: 'failed', error: 'it did not come up at all' },
  };
  const rows = [row('one', ['echo']), failed, row('測試測試測試測試', ['a', 'b'])];
  expect(panelLines(state(1, rows), style, { columns: 26, rows: 24 })).toEqual([
    '   [x]  one              …',
    '›  [x]  two              …',
    '      it did not come up …',
    '   [x]  測試測試測試測試 …',
    '↑↓ move   space on/off   …',
  ]);
});

test('a single tool is one tool', () => {
  expect(panelLines(state(0, [row('one', ['echo'])]), style, { columns: 80, rows: 24 })[0]).toBe(
    '›  [x]  one  connected  –  1 tool',
  );
});

test.each([
  [0, ['›  [x]  s0', '   [x]  s1', '   [x]  s2']],
  [5, ['   [x]  s4', '›  [x]  s5', '   [x]  s6']],
  [9, ['   [x]  s7', '   [x]  s8', '›  [x]  s9']],
])('on a low screen the lines around row %i are shown', (at, expected) => {
  const rows = Array.from({ length: 10 }, (_, index) => row(`s${index}`));
  const lines = panelLines(state(at, rows), style, { columns: 10, rows: 6 });
  expect(lines.map((line) => line.slice(0, 9))).toEqual([
    ...expected.map((line) => line.slice(0, 9)),
    '↑↓ move  ',
  ]);
});
