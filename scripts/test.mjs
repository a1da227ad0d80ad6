/** Runs the tests with what is installed here, and leaves a record for whoever counts them. */

import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const record = path.join(root, 'node_modules', '.holt', 'tests.json');
mkdirSync(path.dirname(record), { recursive: true });
rmSync(record, { force: true });
const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
const args = [
  'run',
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${record}`,
  ...process.argv.slice(2),
];
const { status } = spawnSync(process.execPath, [vitest, ...args], { cwd: root, stdio: 'inherit' });
process.exitCode = status ?? 1;
