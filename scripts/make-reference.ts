/**
 * Writes what the documents say from the code and from real runs: `npm run docs`. With `--check` it writes nothing and
 * fails when a page is not what it would write.
 */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { documentsIn, jsonPage, jsonRuns, shapeOf } from './make-reference-json.ts';
import { followPage, taskPages } from './make-reference-pages.ts';
import { pictures } from './make-reference-pictures.ts';
import { tablePages } from './make-reference-tables.ts';

const root = path.dirname(import.meta.dirname);
const isCheck = process.argv.includes('--check');
const read = (name: string): string => {
  const file = path.join(root, name);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
};

async function main(): Promise<void> {
  const stale: string[] = [];
  const put = (name: string, text: string): void => {
    if (read(name) === text) return;
    stale.push(name);
    if (isCheck) return;
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  };
  for (const [name, text] of Object.entries(await tablePages())) put(name, text);
  put('docs/reference/json.md', await jsonText(read('docs/reference/json.md')));
  for (const name of taskPages) put(name, await followPage(read(name)));
  for (const [name, text] of Object.entries(await pictures(read))) put(name, text);
  for (const name of stale) process.stdout.write(`${isCheck ? 'differs' : 'wrote'} ${name}\n`);
  if (isCheck && stale.length > 0) process.exitCode = 1;
}

/** What stands there stays as long as it has the shape of what is printed now. */
async function jsonText(standing: string): Promise<string> {
  const runs = await jsonRuns();
  const shapes = (page: string): string =>
    JSON.stringify(documentsIn(page).map(({ line, document }) => [line, shapeOf(document)]));
  const fresh = jsonPage(runs);
  return shapes(standing) === shapes(fresh) ? standing : fresh;
}

if (process.argv[1] === import.meta.filename) await main();
