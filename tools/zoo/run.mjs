/**
 * `node tools/zoo/run.mjs [--write] [VITEST ARGUMENTS]`: installs the real servers and runs the tests that need them.
 * `--write` records what was seen in docs/real-servers.md; without it a full run also fails when that page says something else.
 */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { installSideFolder } from '../install.mjs';
import { pageOf } from './page.mjs';

const folder = path.dirname(fileURLToPath(import.meta.url));
const root = path.join(folder, '..', '..');
const page = path.join(root, 'docs', 'real-servers.md');
const write = process.argv.includes('--write');
const chosen = process.argv.slice(2).filter((argument) => argument !== '--write');

installSideFolder(folder);
const temporary = mkdtempSync(path.join(os.tmpdir(), 'holt-zoo-results-'));
try {
  const results = path.join(temporary, 'results.json');
  const status = runTests(results);
  process.exitCode = status;
  if (status === 0 && chosen.length === 0)
    holdPage(pageOf(JSON.parse(readFileSync(results, 'utf8')), folder));
} finally {
  rmSync(temporary, { recursive: true, force: true });
}

function runTests(results) {
  const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const config = path.join(root, 'tests', 'real-servers', 'vitest.config.ts');
  const { status } = spawnSync(process.execPath, [vitest, 'run', '--config', config, ...chosen], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, HOLT_ZOO_RESULTS: results },
  });
  return status ?? 1;
}

function holdPage(text) {
  const before = existsSync(page) ? readFileSync(page, 'utf8') : '';
  if (before === text) return;
  if (write) return writeFileSync(page, text);
  console.log('docs/real-servers.md says something else: run with --write');
  process.exitCode = 1;
}
