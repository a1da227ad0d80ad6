/** The summary of a soak: numbers for people and for the results file. */

import { runFacts } from '../../bench/measure.ts';
import type { Checked } from './checks/violation.ts';
import { ofKind, type Entry } from './history.ts';

export interface Summary {
  readonly at: string;
  readonly node: string;
  readonly machine: {
    readonly cores: number;
    readonly model: string | undefined;
    readonly load: readonly number[];
  };
  readonly seed: string;
  readonly minutes: number;
  readonly workloads: readonly string[];
  readonly skipped: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  readonly faults: Readonly<Record<string, number>>;
  readonly failures: Readonly<Record<string, number>>;
  readonly checks: Readonly<Record<string, { readonly looked: number; readonly violations: number }>>;
}

export interface Run {
  readonly seed: string;
  readonly minutes: number;
  readonly workloads: readonly string[];
}

export function summarize(
  history: readonly Entry[],
  checked: Readonly<Record<string, Checked>>,
  run: Run,
): Summary {
  const faults = tally(ofKind(history, 'fault').map(({ fault }) => fault));
  const edits = ofKind(history, 'edit');
  const refreshes = ofKind(history, 'refresh');
  const results = ofKind(history, 'delivered').filter(({ part }) => part === 'result');
  return {
    ...runFacts(),
    ...run,
    skipped: [...new Set(ofKind(history, 'skipped').map(({ what }) => what))],
    counts: {
      entries: history.length,
      processes: ofKind(history, 'owner.start').length,
      'server programs started': ofKind(history, 'spawn').length,
      calls: ofKind(history, 'call').length,
      'calls that reached a server': ofKind(history, 'received').length,
      'calls answered': results.length,
      'rules changed': ofKind(history, 'rules').filter(({ state }) => state === 'set').length,
      'people asked': ofKind(history, 'answer').length,
      'edits accepted': edits.filter(({ state }) => state === 'accepted').length,
      'edits refused': edits.filter(({ state }) => state === 'refused').length,
      'edits cut off': edits.filter(({ state }) => state === 'unknown').length,
      'logins renewed': refreshes.filter(({ outcome }) => outcome === 'ok').length,
      'renewals failed': refreshes.filter(({ outcome }) => outcome !== 'ok').length,
      kills: Object.entries(faults).reduce(
        (sum, [fault, times]) => sum + (fault.startsWith('kill') ? times : 0),
        0,
      ),
      faults: Object.values(faults).reduce((sum, times) => sum + times, 0),
    },
    faults,
    failures: tally(ofKind(history, 'failed').map(({ code }) => code)),
    checks: Object.fromEntries(
      Object.entries(checked).map(([name, { looked, violations }]) => [
        name,
        { looked, violations: violations.length },
      ]),
    ),
  };
}

function tally(words: readonly string[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return Object.fromEntries([...counts].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

export function renderSummary(summary: Summary): string {
  const table = (title: string, rows: Readonly<Record<string, number>>): readonly string[] => [
    '',
    title,
    ...Object.entries(rows).map(([name, count]) => `  ${name.padEnd(32)} ${String(count).padStart(8)}`),
  ];
  const checks = Object.entries(summary.checks).map(([name, { looked, violations }]) => {
    const verdict = violations === 0 ? 'holds' : `BROKEN ${violations} times`;
    return `  ${name.padEnd(5)} looked at ${String(looked).padStart(8)}   ${verdict}`;
  });
  return [
    `seed ${summary.seed}, ${summary.minutes} minutes, ${summary.workloads.join(', ')}`,
    ...summary.skipped.map((what) => `skipped: ${what}`),
    ...table('What happened', summary.counts),
    ...table('Faults', summary.faults),
    ...table('How calls failed', summary.failures),
    '',
    'Invariants',
    ...checks,
  ].join('\n');
}
