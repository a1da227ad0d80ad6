/** Counts places in src/ that repeat six or more lines of another place, so that one piece of code is written once. */

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

const source = path.join(import.meta.dirname, '..', 'src');
const runLength = 6;
const mostPairs = 9;

interface Line {
  readonly number: number;
  readonly text: string;
}

/** Lines that say something: no comments, imports, or punctuation alone. */
function codeLines(file: string): readonly Line[] {
  const withoutComments = readFileSync(file, 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, (comment) =>
    comment.replaceAll(/[^\n]/g, ''),
  );
  const withoutImports = withoutComments.replaceAll(
    /^(?:import|export)\b(?:\s+type)?\s*(?:[\w*\s]*\{[^}]*\}|[\w*\s,]+)\s*from '[^']*';$/gm,
    (statement) => statement.replaceAll(/[^\n]/g, ''),
  );
  return withoutImports
    .split('\n')
    .map((text, index) => ({ number: index + 1, text: text.trim() }))
    .filter(({ text }) => !text.startsWith('//') && /\w/.test(text));
}

/** Pairs of places with equal runs; overlapping runs of the same two files count once. */
function findRepeats(files: readonly string[]): readonly string[] {
  const places = new Map<string, { readonly file: string; readonly line: number }[]>();
  for (const file of files) {
    const lines = codeLines(path.join(source, file));
    for (let at = 0; at + runLength <= lines.length; at += 1) {
      const run = lines.slice(at, at + runLength);
      const key = run.map(({ text }) => text).join('\n');
      const known = places.get(key) ?? [];
      places.set(key, [...known, { file, line: run[0]?.number ?? 0 }]);
    }
  }
  const pairs = new Map<string, string>();
  for (const found of places.values()) {
    const [first, ...others] = found;
    for (const other of others) {
      const key = `${first?.file} ~ ${other.file}`;
      if (!pairs.has(key)) pairs.set(key, `${first?.file}:${first?.line} ~ ${other.file}:${other.line}`);
    }
  }
  return [...pairs.values()];
}

test(`at most ${mostPairs} pairs of files share six lines of code`, () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
  );
  const repeats = findRepeats(files);
  expect(repeats.length > mostPairs ? repeats : []).toEqual([]);
});
