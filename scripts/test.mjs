/** Runs the tests, stores a record of the run, and lists every test that passed only after a retry. */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { readRecord, recordFile } from './test-record.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
mkdirSync(path.dirname(recordFile), { recursive: true });
rmSync(recordFile, { force: true });
const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
const args = [
  'run',
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${recordFile}`,
  ...process.argv.slice(2),
];
const { status } = spawnSync(process.execPath, [vitest, ...args], { cwd: root, stdio: 'inherit' });
if (existsSync(recordFile)) for (const line of readRecord().retried) console.log(line);
process.exitCode = status ?? 1;
