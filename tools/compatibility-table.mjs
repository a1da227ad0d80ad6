/**
 * The table of docs/build-an-agent.md, made from the `results.json` of every folder of tools/. A row of these files is
 * `{ kind: 'bridge' | 'types' | 'runtime' | 'bundler', name, version, with, pass, note? }`.
 * `node tools/compatibility-table.mjs [--write]`: without `--write` it fails when the page differs.
 */

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const tools = path.dirname(fileURLToPath(import.meta.url));
const page = path.join(tools, '..', 'docs', 'build-an-agent.md');
const [begin, end] = ['<!-- compatibility -->', '<!-- /compatibility -->'];
const titles = { bridge: 'bridge', types: 'types of Node', runtime: 'runtime', bundler: 'bundler' };

/** Answers whether the page is as it must be. */
export function holdTable({ write }) {
  const before = readFileSync(page, 'utf8');
  const [from, to] = [before.indexOf(begin), before.indexOf(end)];
  if (from < 0 || to < 0) throw new Error(`docs/build-an-agent.md has no ${begin}`);
  const after = `${before.slice(0, from + begin.length)}\n${tablesOf(readResults())}\n${before.slice(to)}`;
  if (before === after) return true;
  if (write) writeFileSync(page, after);
  else
    console.log(
      'The table of docs/build-an-agent.md differs: run node tools/compatibility-table.mjs --write',
    );
  return write;
}

function readResults() {
  return readdirSync(tools, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => path.join(tools, name, 'results.json'))
    .filter((file) => existsSync(file))
    .flatMap((file) => JSON.parse(readFileSync(file, 'utf8')));
}

function tablesOf(results) {
  return Object.entries(titles)
    .map(([kind, title]) =>
      tableOf(
        title,
        results.filter((row) => row.kind === kind),
      ),
    )
    .filter((table) => table !== '')
    .join('\n\n');
}

/** One line for each name and version, one column for each thing that it was run with. */
function tableOf(title, results) {
  if (results.length === 0) return '';
  const columns = [...new Set(results.map((row) => row.with))].toSorted(byNumber);
  const names = new Map(results.map((row) => [`${row.name} ${row.version}`, row]));
  const lines = [...names.values()].map(({ name, version }) => {
    const cells = columns.map((column) =>
      cellOf(results.find((row) => row.name === name && row.version === version && row.with === column)),
    );
    return [name, version, ...cells];
  });
  const header = [title, 'version', ...columns];
  return [header, header.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function byNumber(left, right) {
  return left.localeCompare(right, 'en', { numeric: true });
}

function cellOf(row) {
  if (row === undefined) return '–';
  const verdict = row.pass ? 'pass' : '**fail**';
  return row.note === undefined ? verdict : `${verdict} (${row.note})`;
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  process.exitCode = holdTable({ write: process.argv.includes('--write') }) ? 0 : 1;
