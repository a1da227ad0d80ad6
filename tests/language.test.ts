/** Strings that users read are plain English: these idioms were replaced, and must not return. */

import fs from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

const root = path.dirname(import.meta.dirname);
const idioms =
  /(?<!\b[Tt]here )\b(?:is|are) no (?!longer|more\b|such\b)[a-z]|\bcalled off\b|\banew\b|\bmend(?:s|ed|ing)?\b|\b(?:is|are) told\b|\bstands? (?:in|at|as|twice)\b|\bwhoever\b|\bcomes to nothing\b|\bsomebody\b|\bhands? (?:it |them )?(?:over|out)\b/iu;

/**
 * The contents of string literals that hold more than one word: single words are names and codes. A token that is very long
 * begins at a quote inside a regular expression.
 */
function sentencesIn(text: string): readonly string[] {
  const tokens = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/gu;
  return [...text.matchAll(tokens)]
    .map(([token]) => token)
    .filter((token) => token.length < 600 && /^['"`].*\s/su.test(token));
}

test('no message uses an idiom that was replaced', () => {
  const files = fs
    .readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  const found = files.flatMap((name) =>
    sentencesIn(fs.readFileSync(path.join(root, 'src', name), 'utf8'))
      .filter((sentence) => idioms.test(sentence))
      .map((sentence) => `${name}: ${sentence.slice(0, 120)}`),
  );
  expect(files.length).toBeGreaterThan(500);
  expect(found).toEqual([]);
});
