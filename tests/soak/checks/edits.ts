/** I4: every accepted edit is in the file at the end, and the file is readable at every moment. */

import { groupBy, ofKind, type EntryOf } from '../history.ts';
import type { Check, Violation } from './violation.ts';

type State = 'absent' | 'on' | 'off';
const after = { add: 'on', enable: 'on', disable: 'off', remove: 'absent' } as const;

export const checkEdits: Check = (history) => {
  const edits = ofKind(history, 'edit').filter(({ state }) => state !== 'begun');
  const files = ofKind(history, 'file');
  const violations: Violation[] = files
    .filter(({ servers }) => servers === null)
    .map((read) => ({ invariant: 'I4', message: `${read.file} cannot be read`, slice: [read] }));
  for (const [file, group] of groupBy(edits, (edit) => edit.file)) {
    const last = files.findLast((read) => read.file === file && read.final);
    if (last === undefined)
      violations.push({ invariant: 'I4', message: `nobody read ${file} at the end`, slice: group.slice(-1) });
    else if (last.servers !== null) violations.push(...compare(group, last, last.servers));
  }
  return { looked: edits.length, violations };
};

function compare(
  edits: readonly EntryOf<'edit'>[],
  read: EntryOf<'file'>,
  servers: Readonly<Record<string, boolean>>,
): readonly Violation[] {
  const found = (name: string): State => {
    const isOn = servers[name];
    return isOn === undefined ? 'absent' : isOn ? 'on' : 'off';
  };
  const byName = groupBy(edits, ({ name }) => name);
  const wrong = [...byName].flatMap(([name, group]): readonly Violation[] => {
    const { possible, since } = outcomes(group);
    if (possible.has(found(name))) return [];
    const message = `${name} is ${found(name)} in ${read.file} and was made ${[...possible].join(' or ')}`;
    return [{ invariant: 'I4', message, slice: [...since, read] }];
  });
  const strange = Object.keys(servers).filter((name) => !byName.has(name));
  return [
    ...wrong,
    ...strange.map((name) => ({
      invariant: 'I4',
      message: `${name} is in ${read.file} and nobody added it`,
      slice: [read],
    })),
  ];
}

/** What may have become of one name: its last accepted edit, and all of unknown end since then. */
function outcomes(edits: readonly EntryOf<'edit'>[]): {
  readonly possible: ReadonlySet<State>;
  readonly since: readonly EntryOf<'edit'>[];
} {
  const start = edits.findLastIndex(({ state }) => state === 'accepted');
  const since = edits.slice(Math.max(0, start)).filter(({ state }) => state !== 'refused');
  const states = since.map(({ op }): State => after[op]);
  return { possible: new Set(start === -1 ? (['absent', ...states] as const) : states), since };
}
