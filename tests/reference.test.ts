/** The reference is what the code says: `npm run docs` would write the same pages. */

import fs from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

import { documentsIn, jsonRuns, shapeOf } from '../scripts/make-reference-json.ts';
import { interfaceMembers } from '../scripts/make-reference-parse.ts';
import { tablePages } from '../scripts/make-reference-tables.ts';
import { commandTable } from '../src/commands/command-table.ts';
import { packageRoot } from './support/holt-command.ts';

const read = (name: string): string => fs.readFileSync(path.join(packageRoot, name), 'utf8');

test('the pages that are made from tables are up to date', async () => {
  for (const [name, text] of Object.entries(await tablePages()))
    expect(read(name), `${name} is not what npm run docs writes`).toBe(text);
});

test('what --json prints has the shape that the reference shows', async () => {
  const shown = documentsIn(read('docs/reference/json.md'));
  const printed = await jsonRuns();
  const shapes = (runs: typeof printed): object =>
    Object.fromEntries(runs.map(({ line, document }) => [line, shapeOf(document)]));
  expect(shapes(shown)).toEqual(shapes(printed));
});

test('every command that prints a document is shown with one', () => {
  const shown = new Set(
    documentsIn(read('docs/reference/json.md')).map(({ line }) => line.split(' ')[1] ?? 'overview'),
  );
  // These ask a person, go on until they are ended, or print what is no document.
  const apart = ['auth', 'reauth', 'add-json', 'serve', 'repl', 'completion'];
  const missing = commandTable.map(({ name }) => name).filter((name) => !shown.has(name));
  expect(missing.filter((name) => !apart.includes(name))).toEqual([]);
});

test('members are taken apart with their remarks and their nested fields', () => {
  const source =
    "interface A {\n  /** Why; and why. */\n  'a.b': { readonly c: string; d?: 'x;y' };\n  readonly e: number;\n}";
  expect(interfaceMembers(source, 'A')).toEqual([
    { name: 'a.b', doc: 'Why; and why.', type: "{ c: string; d?: 'x;y' }" },
    { name: 'e', doc: '', type: 'number' },
  ]);
});
