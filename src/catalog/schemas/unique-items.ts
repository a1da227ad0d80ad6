/** `uniqueItems`, in time linear in the list. */

import { isList } from './json.ts';
import { after } from './later.ts';
import { every, some } from './loops.ts';
import { sameJson } from './same-json.ts';
import { valueKeyOf, type ValueKey } from './value-key.ts';
import { fail, type Keyword, type Verdict, type Walk } from './walk.ts';

/** Items by their key. Those that have only a digest are kept, to be compared when another has the same. */
interface Seen {
  readonly exact: Set<string>;
  readonly byDigest: Map<string, unknown[]>;
}

export const uniqueItems: Keyword = (operand, value, _schema, walk) => {
  if (operand !== true || !isList(value) || value.length < 2) return true;
  const seen: Seen = { exact: new Set(), byDigest: new Map() };
  const unique = every(value, walk, (item) =>
    after(valueKeyOf(item, walk), (key) => addItem(item, key, seen, walk)),
  );
  return after(unique, (passed) => passed || fail(walk, () => 'a list without repetitions'));
};

/** False when an equal item was seen before. */
function addItem(item: unknown, key: ValueKey, { exact, byDigest }: Seen, walk: Walk): Verdict {
  if (key.isExact) {
    const { size } = exact;
    return exact.add(key.text).size > size;
  }
  const alike = byDigest.get(key.text) ?? [];
  return after(
    some(alike, walk, (other) => sameJson(other, item, walk)),
    (isRepeated) => {
      byDigest.set(key.text, [...alike, item]);
      return !isRepeated;
    },
  );
}
