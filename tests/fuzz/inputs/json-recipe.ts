/**
 * JSON text from small recipes, and text that is nearly JSON: duplicate keys, odd numbers, halves of surrogate pairs, great
 * depth, width and length. A recipe stays small however long its text is, so that reports and smaller cases stay small too.
 */

import fc from 'fast-check';

export type Recipe =
  /** As it is written. */
  | { readonly raw: string }
  | { readonly list: readonly Recipe[] }
  /** A key may be there more than once. */
  | { readonly fields: readonly (readonly [string, Recipe])[] }
  | { readonly repeat: number; readonly item: Recipe; readonly as: 'list' | 'object' }
  | { readonly nest: number; readonly inner: Recipe; readonly key: string | null }
  | { readonly long: number; readonly unit: string };

export function write(recipe: Recipe): string {
  if ('raw' in recipe) return recipe.raw;
  if ('list' in recipe) return `[${recipe.list.map(write).join(',')}]`;
  if ('fields' in recipe)
    return `{${recipe.fields.map(([key, value]) => `${JSON.stringify(key)}:${write(value)}`).join(',')}}`;
  if ('repeat' in recipe) return repeated(recipe);
  if ('nest' in recipe) {
    const { nest, inner, key } = recipe;
    const [open, close] = key === null ? ['[', ']'] : [`{${JSON.stringify(key)}:`, '}'];
    return open.repeat(nest) + write(inner) + close.repeat(nest);
  }
  return `"${recipe.unit.repeat(recipe.long)}"`;
}

/** All copies together are no longer than this. */
const longestRepeat = 1_000_000;

function repeated({ repeat, item, as }: Extract<Recipe, { readonly repeat: number }>): string {
  const text = write(item);
  const times = Math.min(repeat, Math.floor(longestRepeat / (text.length + 8)));
  const copies = Array.from({ length: times }, (_, at) => (as === 'list' ? text : `"k${at}":${text}`));
  return as === 'list' ? `[${copies.join(',')}]` : `{${copies.join(',')}}`;
}

export const raw = (value: unknown): Recipe => ({ raw: JSON.stringify(value) });

const oddTokens = [
  '0',
  '-0',
  '1e999',
  '-1e-999',
  '9007199254740993',
  '123456789012345678901234567890',
  '0.1e+1',
  '01',
  'NaN',
  'undefined',
  'nul',
  '""',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\ud800"',
  '"\\u0000"',
  '"\\u202e"',
  '"\\x"',
  '"\t"',
  "'a'",
  'true',
  'false',
  'null',
  '{}',
  '[]',
  '[,]',
  '{"a"}',
  '',
  '/* c */1',
  '// c\n1',
];

const oddWords = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '',
  ' ',
  '\u0000',
  '\ud800',
  'é',
  'e\u0301',
  '$ref',
];

/** Numbers of copies or levels: mostly few, now and then very many. */
const counts = (most: number): fc.Arbitrary<number> =>
  fc.oneof(
    { weight: 12, arbitrary: fc.integer({ min: 0, max: 12 }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: most }) },
  );

const lengths = fc.oneof(
  { weight: 12, arbitrary: fc.integer({ min: 0, max: 300 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 600_000 }) },
);

/** Any value, with these words as likely keys and strings. */
export function anyRecipe(words: readonly string[]): fc.Arbitrary<Recipe> {
  const word = fc.constantFrom(...words, ...oddWords);
  return fc.letrec<{ recipe: Recipe }>((tie) => {
    const recipe = tie('recipe');
    return {
      recipe: fc.oneof(
        { maxDepth: 5, depthSize: 'small', withCrossShrink: true },
        { weight: 3, arbitrary: word.map(raw) },
        { weight: 2, arbitrary: fc.constantFrom(...oddTokens).map((token) => ({ raw: token })) },
        { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }).map(raw) },
        { weight: 1, arbitrary: fc.oneof(fc.integer(), fc.double()).map(raw) },
        { weight: 3, arbitrary: fc.array(recipe, { maxLength: 4 }).map((list) => ({ list })) },
        {
          weight: 5,
          arbitrary: fc.array(fc.tuple(word, recipe), { maxLength: 6 }).map((fields) => ({ fields })),
        },
        {
          weight: 1,
          arbitrary: fc.record({
            repeat: counts(200_000),
            item: recipe,
            as: fc.constantFrom('list', 'object'),
          }),
        },
        {
          weight: 1,
          arbitrary: fc.record({ nest: counts(100_000), inner: recipe, key: fc.option(word) }),
        },
        {
          weight: 1,
          arbitrary: fc.record({
            long: lengths,
            unit: fc.constantFrom('a', ' ', '\\n', '\\u0000', 'é', '😀', '\\"', '<', '{', '$'),
          }),
        },
      ),
    };
  }).recipe;
}
