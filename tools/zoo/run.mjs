/** `node tools/zoo/run.mjs [VITEST ARGUMENTS]`: installs the real servers and runs the tests that need them. */

import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { installSideFolder } from '../install.mjs';

const folder = path.dirname(fileURLToPath(import.meta.url));
const root = path.join(folder, '..', '..');
installSideFolder(folder);
const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
const args = [
  'run',
  '--config',
  path.join(root, 'tests', 'real-servers', 'vitest.config.ts'),
  ...process.argv.slice(2),
];
const { status } = spawnSync(process.execPath, [vitest, ...args], { cwd: root, stdio: 'inherit' });
process.exitCode = status ?? 1;
