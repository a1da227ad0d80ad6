/** Changes to a text that somebody else wrote: cut off, repeated, overwritten, with bytes that belong elsewhere. */

import fc from 'fast-check';

export type Damage =
  | { readonly kind: 'cut'; readonly from: number; readonly length: number }
  | { readonly kind: 'end'; readonly at: number }
  | { readonly kind: 'insert'; readonly at: number; readonly text: string }
  | { readonly kind: 'repeat'; readonly from: number; readonly length: number; readonly times: number };

/** Places are parts of a million, so that they mean the same in texts of any length. */
const whole = 1_000_000;
/** Texts do not grow beyond this. */
const longest = 1_000_000;

const oddTexts = [
  '\0',
  '\ufeff',
  '\r',
  '\r\n',
  '\n',
  '\t',
  '\u2028',
  '\u0085',
  '"',
  "'",
  '"""',
  '\\',
  '{',
  '}',
  '[',
  ']',
  '[[',
  ',',
  ':',
  ': ',
  '- ',
  '=',
  '#',
  '//',
  '/*',
  '*/',
  '&a ',
  '*a ',
  '<<: *a',
  '!!binary ',
  '? ',
  '|\n',
  '>-\n',
  '%YAML 1.1\n',
  '---\n',
  '...\n',
  '${X}',
  '${X:-',
  '{env:X}',
  '$(',
  '1979-05-27T07:32:00Z',
  '0x_1',
  'null',
  '~',
];

export function anyDamage(words: readonly string[] = []): fc.Arbitrary<Damage> {
  const place = fc.integer({ min: 0, max: whole });
  const length = fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 1, max: 8 }) },
    fc.integer({ min: 1, max: 300 }),
  );
  const times = fc.oneof(
    { weight: 9, arbitrary: fc.integer({ min: 1, max: 5 }) },
    fc.integer({ min: 1, max: 30_000 }),
  );
  const text = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...oddTexts, ...words) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 6 }) },
  );
  return fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('insert'), at: place, text }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('cut'), from: place, length }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('end'), at: place }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('repeat'), from: place, length, times }) },
  );
}

/** Up to this many changes, and often none. */
export function damages(most: number, words?: readonly string[]): fc.Arbitrary<readonly Damage[]> {
  return fc.array(anyDamage(words), { maxLength: most });
}

export function damaged(text: string, all: readonly Damage[]): string {
  return all.reduce(damage, text).slice(0, longest);
}

function damage(text: string, change: Damage): string {
  const at = (place: number): number => Math.floor((place / whole) * text.length);
  switch (change.kind) {
    case 'cut':
      return text.slice(0, at(change.from)) + text.slice(at(change.from) + change.length);
    case 'end':
      return text.slice(0, at(change.at));
    case 'insert':
      return text.slice(0, at(change.at)) + change.text + text.slice(at(change.at));
    case 'repeat': {
      const from = at(change.from);
      const part = text.slice(from, from + change.length);
      const times = Math.min(change.times, Math.floor(longest / Math.max(1, part.length)));
      return text.slice(0, from) + part.repeat(times) + text.slice(from);
    }
  }
}
