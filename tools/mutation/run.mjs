/**
 * `node tools/mutation/run.mjs [--survivors] [ROOM…]`: changes the pure rooms in small ways and looks whether a test notices.
 * Writes bench/results/mutation.json and docs/mutation.md; of rooms that are not named the last results stay.
 * `--survivors` prints every change that no test noticed. Fails when a room is below the target.
 */

import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { installSideFolder } from '../install.mjs';
import { pageOf, resultOf, survivorLines } from './page.mjs';
import { filesOf, rooms, target } from './rooms.mjs';

const folder = path.dirname(fileURLToPath(import.meta.url));
const root = path.join(folder, '..', '..');
const results = path.join(root, 'bench', 'results', 'mutation.json');
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const unknown = wanted.filter((name) => !rooms.some((room) => room.name === name));
if (unknown.length > 0) throw new Error(`no such room: ${unknown.join(', ')}`);

const sources = readdirSync(path.join(root, 'src'), { recursive: true })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => `src/${file.replaceAll('\\', '/')}`);

installSideFolder(folder);
const temporary = mkdtempSync(path.join(os.tmpdir(), 'holt-mutation-'));
const measured = new Map();
try {
  for (const room of rooms) {
    if (wanted.length > 0 && !wanted.includes(room.name)) continue;
    const report = mutate(room);
    const result = resultOf(room, report);
    measured.set(room.name, result);
    if (process.argv.includes('--survivors')) console.log(survivorLines(report).join('\n'));
    console.log(`${result.score >= target ? 'ok    ' : 'FAILED'} ${room.name}: ${result.score} %`);
    if (result.score < target) process.exitCode = 1;
  }
} finally {
  rmSync(temporary, { recursive: true, force: true });
}
const last = existsSync(results) ? JSON.parse(readFileSync(results, 'utf8')).rooms : [];
const roomOf = (name) => measured.get(name) ?? last.find((room) => room.name === name) ?? [];
const record = {
  stryker: versionOf(path.join(folder, 'node_modules', '@stryker-mutator', 'core')),
  node: process.version,
  target,
  rooms: rooms.flatMap(({ name }) => roomOf(name)),
};
mkdirSync(path.dirname(results), { recursive: true });
writeFileSync(results, `${JSON.stringify(record, undefined, 2)}\n`);
writeFileSync(path.join(root, 'docs', 'mutation.md'), pageOf(record));

/** Runs Stryker in a copy of the tree that it makes and removes itself. */
function mutate(room) {
  const { name } = room;
  const files = filesOf(room, sources);
  const report = path.join(temporary, `${name}.json`);
  const config = path.join(temporary, `${name}.config.json`);
  writeFileSync(config, JSON.stringify(optionsFor(files, report)));
  const stryker = path.join(folder, 'node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js');
  const { status } = spawnSync(process.execPath, [stryker, 'run', config], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    env: { ...process.env, HOLT_MUTATION_ROOM: name },
  });
  if (status !== 0) throw new Error(`Stryker failed in ${name}`);
  return JSON.parse(readFileSync(report, 'utf8'));
}

function optionsFor(files, report) {
  return {
    plugins: [path.join(folder, 'quick-runner.mjs')],
    testRunner: 'quick',
    // Stryker would rewrite the real one, and needs an older compiler for that.
    tsconfigFile: 'no-such-file.json',
    disableTypeChecks: false,
    mutate: files,
    reporters: ['json', 'progress-append-only'],
    jsonReporter: { fileName: report },
    tempDirName: `.cache/mutation-${path.basename(temporary)}`,
    cleanTempDir: 'always',
    concurrency: Number(process.env.HOLT_MUTATION_WORKERS ?? 1),
    coverageAnalysis: 'perTest',
    // Generous: a busy machine must not pass for a test that noticed.
    timeoutMS: 15_000,
    // Nothing else is copied: what others build meanwhile would not hold still.
    ignorePatterns: ['**', '!/package.json', '!/src/**', '!/tests/support/**'],
  };
}

function versionOf(installed) {
  return JSON.parse(readFileSync(path.join(installed, 'package.json'), 'utf8')).version;
}
