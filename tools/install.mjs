/** Installs a side folder that has its own lock file, when that lock changed since. */

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export function installSideFolder(folder) {
  const lock = readFileSync(path.join(folder, 'package-lock.json'), 'utf8');
  const stamp = path.join(folder, 'node_modules', '.holt-lock');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  process.stderr.write(`holt: installing ${path.basename(folder)}…\n`);
  // What npm prints goes to stderr: stdout belongs to the results.
  const options = { cwd: folder, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' };
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], options);
  if (status !== 0) throw new Error(`npm ci failed in ${folder}`);
  writeFileSync(stamp, lock);
}
