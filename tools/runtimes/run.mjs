/**
 * Tries the packed package on every runtime and with every bundler of this folder. `node tools/runtimes/run.mjs [--write] [NAME…]`:
 * NAME tries only the rows that begin so. `--write` stores the result in results.json; without it a full run fails when that
 * file differs.
 */

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { installSideFolder } from '../install.mjs';
import { makeProject, root, serveExample } from './project.mjs';

const folder = import.meta.dirname;
const page = path.join(folder, 'results.json');
const write = process.argv.includes('--write');
const wanted = process.argv.slice(2).filter((argument) => argument !== '--write');
/** The machine that has a package of everything; elsewhere rows may be missing. */
const hasAll = process.platform === 'linux' && process.arch === 'x64';

if (process.platform === 'linux') await main();
else console.log('The runtimes are packaged for Linux only.');

async function main() {
  installSideFolder(folder);
  const { oldNodes, rowsOf } = await import('./checks.mjs'); // reads versions of what was just installed
  const temporary = mkdtempSync(path.join(os.tmpdir(), 'holt-runtimes-'));
  let http;
  try {
    const project = path.join(temporary, 'project');
    mkdirSync(project);
    const made = makeProject(project);
    http = await serveExample(made.server);
    const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
    const parts = { ...made, temporary, version, url: http.url };
    const rows = rowsOf(parts);
    const items = [...rows.map((item) => ({ title: titleOf(item.row), ...item })), ...oldNodes(parts)];
    const chosen = items.filter(
      ({ title }) => wanted.length === 0 || wanted.some((name) => title.startsWith(name)),
    );
    const outcomes = await inPairs(chosen);
    if (outcomes.some(({ outcome }) => outcome === 'FAIL')) process.exitCode = 1;
    if (wanted.length === 0) holdResults(outcomes);
  } finally {
    http?.close();
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** Two at a time, the last items first, because webpack takes longest. The outcomes are in the order of the items. */
async function inPairs(items) {
  const outcomes = [];
  const queue = [...items.entries()].toReversed();
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [index, item] = next;
      outcomes[index] = await tryItem(item);
    }
  };
  await Promise.all([work(), work()]);
  return outcomes;
}

async function tryItem({ title, row, program, check }) {
  if (!existsSync(program) && !hasAll) return tell({ title, row, outcome: 'skip' });
  const startedAt = performance.now();
  try {
    await check();
    return tell({ title, row, outcome: 'pass', ms: performance.now() - startedAt });
  } catch (error) {
    return tell({ title, row, outcome: 'FAIL', trouble: error.message });
  }
}

function tell(result) {
  const { title, outcome, ms = 0, trouble } = result;
  console.log(`${outcome}  ${title}${ms === 0 ? '' : `  ${(ms / 1000).toFixed(1)} s`}`);
  if (trouble !== undefined) console.log(trouble.slice(0, 4000).replaceAll(/^/gm, '      '));
  return result;
}

function titleOf(row) {
  return `${row.name} ${row.version}  ${row.with}`;
}

function holdResults(outcomes) {
  const rows = outcomes
    .filter(({ row, outcome }) => row !== undefined && outcome !== 'skip')
    .map(({ row: { note, ...row }, outcome }) => ({
      ...row,
      pass: outcome === 'pass',
      ...(note === undefined ? {} : { note }),
    }));
  const text = `${JSON.stringify(rows, undefined, 2)}\n`;
  if (!hasAll || (existsSync(page) && readFileSync(page, 'utf8') === text)) return;
  if (write) return writeFileSync(page, text);
  console.log('tools/runtimes/results.json differs: run with --write');
  process.exitCode = 1;
}
