/**
 * `node tools/cover/run.mjs [VITEST ARGUMENTS]`: runs the tests and counts what they and the programs they start run of src/.
 * Works in a copy of the tree with a build of its own, so that nobody else meets it. A run of all tests writes
 * bench/results/coverage.json and docs/coverage.md; one of some tests only prints. With `--pure` instead of them only the
 * pure rooms' own tests run. Fails when a branch of a pure room was not run, or too few lines of all were.
 */

import { spawn, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { installSideFolder } from '../install.mjs';
import { filesOf, rooms } from '../mutation/rooms.mjs';
import { mergeCoverage } from './merge.mjs';
import { pageOf, recordOf } from './page.mjs';
import { checkPureRooms } from './pure.mjs';

const target = 90;
const folder = path.dirname(fileURLToPath(import.meta.url));
const root = path.join(folder, '..', '..');
const chosen = process.argv.slice(2);

if (chosen.includes('--pure')) process.exit(checkPureRooms(root) ? 0 : 1);

installSideFolder(folder);
const { createChildCounts } = await import('./children.mjs'); // needs what was just installed
const temporary = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'holt-coverage-')));
const [tree, dumps, report] = ['tree', 'dumps', 'report'].map((name) => path.join(temporary, name));
try {
  fs.mkdirSync(dumps);
  copyTree();
  buildTree();
  const counts = createChildCounts(path.join(tree, 'dist'));
  const programs = await runTests(counts);
  const record = await measure(counts, programs);
  console.log(pageOf(record));
  if (chosen.length === 0) keep(record);
} finally {
  fs.rmSync(temporary, { recursive: true, force: true });
}

function copyTree() {
  const left = new Set(['.git', '.cache', 'coverage', 'dist', 'node_modules']);
  fs.cpSync(root, tree, {
    recursive: true,
    filter: (source) => !left.has(path.basename(source)) && !path.basename(source).startsWith('.dist-'),
  });
  fs.symlinkSync(path.join(root, 'node_modules'), path.join(tree, 'node_modules'), 'junction');
}

function buildTree() {
  const { status } = spawnSync(process.execPath, [path.join(tree, 'scripts', 'build.mjs')], {
    cwd: tree,
    stdio: ['ignore', 2, 2],
    env: { ...process.env, HOLT_BUILD_TRACEABLE: '1' },
  });
  if (status !== 0) throw new Error('the build for the coverage run failed');
  const executable = path.join(tree, 'dist', 'holt.cjs');
  const [hashbang, ...lines] = fs.readFileSync(executable, 'utf8').split('\n');
  const counting = `require(${JSON.stringify(path.join(folder, 'count-alone.cjs'))})(${JSON.stringify(dumps)});`;
  fs.writeFileSync(executable, [hashbang, counting, ...lines].join('\n'));
}

/** The programs' counts are taken in and removed while the tests run: together they would be many gigabytes. */
async function runTests(counts) {
  const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const args = [
    'run',
    '--config',
    path.join(folder, 'vitest.config.ts'),
    '--reporter=default',
    '--reporter=json',
  ];
  const output = `--outputFile.json=${path.join(temporary, 'tests.json')}`;
  const child = spawn(process.execPath, [vitest, ...args, output, ...chosen], {
    cwd: tree,
    stdio: ['ignore', 2, 2],
    env: { ...process.env, HOLT_COVERAGE_DUMPS: dumps, HOLT_COVERAGE_REPORT: report },
  });
  const ended = new Promise((resolve, reject) => child.once('close', resolve).once('error', reject));
  const broken = new Map();
  let programs = 0;
  for (;;) {
    const isOver = await Promise.race([ended.then(() => true), delay(1000, false)]);
    programs += takeIn(counts, broken);
    if (isOver) return programs;
  }
}

/** One that is not whole yet is looked at again. */
function takeIn(counts, broken) {
  let programs = 0;
  for (const name of fs.readdirSync(dumps)) {
    if (!name.endsWith('.json')) continue;
    const file = path.join(dumps, name);
    const dump = parse(fs.readFileSync(file, 'utf8'));
    if (dump === undefined && (broken.get(name) ?? 0) < 10) {
      broken.set(name, (broken.get(name) ?? 0) + 1);
      continue;
    }
    if (dump !== undefined && counts.add(dump)) programs += 1;
    fs.rmSync(file);
  }
  return programs;
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function measure(counts, programs) {
  const own = JSON.parse(fs.readFileSync(path.join(report, 'coverage-final.json'), 'utf8'));
  const merged = mergeCoverage(own, await counts.bySource());
  const nameOf = (file) => path.relative(tree, file).replaceAll('\\', '/');
  const files = new Map([...merged].map(([file, hits]) => [nameOf(file), hits]));
  const pure = rooms.map((room) => ({ name: room.name, files: filesOf(room, [...files.keys()]) }));
  const ran = JSON.parse(fs.readFileSync(path.join(temporary, 'tests.json'), 'utf8'));
  const tests = { total: ran.numTotalTests, passed: ran.numPassedTests };
  for (const { assertionResults } of ran.testResults)
    for (const { status, fullName } of assertionResults)
      if (status === 'failed') console.error(`failed while counting: ${fullName}`);
  return recordOf(files, pure, { node: process.version, target, tests, programs });
}

function keep(record) {
  const results = path.join(root, 'bench', 'results', 'coverage.json');
  fs.writeFileSync(results, `${JSON.stringify(record, undefined, 2)}\n`);
  fs.writeFileSync(path.join(root, 'docs', 'coverage.md'), pageOf(record));
  const isPureDone = record.pure.every(({ notRun }) => notRun.length === 0);
  if (record.total.lines.share < target || !isPureDone) process.exitCode = 1;
}
