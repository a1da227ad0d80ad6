/** The reference is what the code says: `npm run docs` would write the same pages. */

import fs from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

import { documentsIn, jsonRuns, shapeOf } from '../scripts/make-reference-json.ts';
import { interfaceMembers, typeNamesIn } from '../scripts/make-reference-parse.ts';
import { tablePages } from '../scripts/make-reference-tables.ts';
import { commandTable } from '../src/commands/command-table.ts';
import { packageRoot } from './support/holt-command.ts';

const read = (name: string): string => fs.readFileSync(path.join(packageRoot, name), 'utf8');

test('the pages that are made from tables are up to date', async () => {
  for (const [name, text] of Object.entries(await tablePages()))
    expect(read(name), `${name} is not what npm run docs writes`).toBe(text);
});

/** What every program knows, and parameters that go by such names. */
const knownTypes =
  /^(AbortSignal|Async(Disposable|Generator)|Error|Omit|Partial|Pick|Promise|ReadableStream|Readonly(Map)?|Record|Symbol|Uint8Array|[A-Z])$/;

test('the library’s page defines every type that it names', () => {
  const text = read('docs/reference/library.md');
  const blocks = [...text.matchAll(/^```typescript\n([^]*?)^```$/gm)].map(([, code = '']) => code);
  expect(blocks.length).toBeGreaterThan(100);
  const foreign = [...text.matchAll(/^Of `@modelcontextprotocol.*$/gm)].join(' ');
  const defined = new Set([
    ...[...text.matchAll(/^### (\w+)$/gm)].map(([, name]) => name),
    ...[...foreign.matchAll(/`(\w+)`/g)].map(([, name]) => name),
    ...blocks.flatMap((code) => [...code.matchAll(/^(?:interface|type) (\w+)/gm)].map(([, name]) => name)),
  ]);
  const undefinedIn = (code: string): readonly string[] => {
    const parameters = [...code.matchAll(/^(?:interface|type|class|function) \w+<([^>]*)>/gm)]
      .flatMap(([, list = '']) => list.split(','))
      .map((parameter) => parameter.trim().split(' ')[0]);
    const named = [...code.matchAll(/\b(\w+) extends|infer (\w+)|\[(\w+) in |<(\w+) = /g)].flatMap((match) =>
      match.slice(1),
    );
    const own = new Set([...parameters, ...named]);
    return typeNamesIn(code).filter((name) => !defined.has(name) && !knownTypes.test(name) && !own.has(name));
  };
  expect(blocks.flatMap(undefinedIn)).toEqual([]);
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
  const own = commandTable.filter(({ synonym }) => synonym !== true);
  const missing = own.map(({ name }) => name).filter((name) => !shown.has(name));
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
