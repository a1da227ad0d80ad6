/** The panel of servers in windows of any size. */

import { describe, expect, test } from 'vitest';

import { createStyle } from '../terminal/style.ts';
import { movePanel, panelLines, panelText, type PanelState } from './panel.ts';
import type { ServerDetails } from './server-details.ts';

const style = createStyle({ isTerminal: false, env: {} });
const row = (name: string, tools: readonly string[] = []): ServerDetails => ({
  name,
  report: { status: { status: 'connected' }, ms: 0, phases: {} },
  login: '–',
  canLogIn: false,
  tools,
  origin: undefined,
});
const state = (at: number, rows: readonly ServerDetails[]): PanelState => ({ rows, at, open: undefined });

test('no line of the panel is wider than the screen', () => {
  const failed: ServerDetails = {
    ...row('two'),
    report: { status: { status: 'failed', error: 'it did not come up at all' }, ms: 0, phases: {} },
  };
  const rows = [row('one', ['echo']), failed, row('測試測試測試測試', ['a', 'b'])];
  expect(panelLines(state(1, rows), style, { columns: 26, rows: 24 })).toEqual([
    '   [x]  one              …',
    '›  [x]  two              …',
    '      it did not come up …',
    '   [x]  測試測試測試測試 …',
    '↑↓ move   Enter details  …',
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

describe('keys', () => {
  const press = (name: string, from: PanelState) => movePanel(from, { name, ctrl: false });

  test('Enter shows and hides details and switches nothing; Space switches', () => {
    const closed = state(0, [row('one')]);
    const opened = { ...closed, open: 'one' };
    expect(press('return', closed)).toEqual({ kind: 'show', state: opened });
    expect(press('return', opened)).toEqual({ kind: 'show', state: closed });
    expect(press('space', closed)).toEqual({ kind: 'toggle', server: 'one', on: false });
  });

  test('l logs in where a login is asked for, and does nothing elsewhere', () => {
    const guarded = { ...row('two'), canLogIn: true };
    expect(press('l', state(0, [guarded]))).toEqual({ kind: 'login', server: 'two' });
    expect(press('l', state(0, [row('one')]))).toEqual({ kind: 'show', state: state(0, [row('one')]) });
  });
});

test('details begin at the top of a low screen and name only the first of many tools', () => {
  const many = row(
    'many',
    Array.from({ length: 30 }, (_, index) => `t${index}`),
  );
  const opened = { ...state(1, [row('one'), many, row('zwei')]), open: 'many' };
  const low = panelLines(opened, style, { columns: 80, rows: 9 });
  expect(low[0]).toContain('many');
  expect(low[3]).toContain('tools   t0');
  const lines = panelLines(opened, style, { columns: 80, rows: 60 });
  expect(lines.filter((line) => /\bt\d+$/.test(line)).length).toBe(12);
  expect(lines.join('\n')).toContain('… and 18 more: /tools many');
});

test('every failure and every missing login is shown, not only that of the selected server', () => {
  const failed: ServerDetails = {
    ...row('broken'),
    report: { status: { status: 'failed', error: 'it ended at once' }, ms: 0, phases: {} },
  };
  const guarded: ServerDetails = {
    ...row('guarded'),
    report: { status: { status: 'needs_auth' }, ms: 0, phases: {} },
    canLogIn: true,
  };
  const text = panelText([failed, guarded], style);
  expect(text).toContain('      it ended at once');
  expect(text).toContain('      a login is required: /auth guarded');
});

test('details show a long failure to its end, over several rows', () => {
  const error = 'the name of the host could not be looked up. Check the host name and the network.';
  const failed: ServerDetails = {
    ...row('far'),
    report: { status: { status: 'failed', error }, ms: 0, phases: {} },
  };
  const lines = panelLines({ ...state(0, [failed]), open: 'far' }, style, { columns: 50, rows: 24 });
  const shown = lines.join(' ').replaceAll(/\s+/g, ' ');
  expect(shown).toContain(
    'failure the name of the host could not be looked up. Check the host name and the network.',
  );
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(50);
});
