/** Brings a clone to where it can run: installs when the lock file changed, builds when a source changed, else does nothing. */

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const stamps = path.join(root, 'node_modules', '.holt');

step('install', ['package.json', 'package-lock.json'], 'node_modules', () =>
  run('npm', ['ci', '--no-audit', '--no-fund']),
);
step(
  'build',
  ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json', 'src', 'scripts'],
  'dist',
  () => run(process.execPath, [path.join(root, 'scripts', 'build.mjs')]),
);

function step(name, inputs, output, work) {
  const stamp = path.join(stamps, name);
  const wanted = `${process.version} ${fingerprint(inputs)}`;
  const done =
    existsSync(path.join(root, output)) && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
  if (done) return;
  process.stderr.write(`holt: ${name}…\n`);
  work();
  mkdirSync(stamps, { recursive: true });
  writeFileSync(stamp, wanted);
}

/** A hash over names and contents; test files do not count, they are not built. */
function fingerprint(inputs) {
  const hash = createHash('sha256');
  for (const input of inputs) addTo(hash, input);
  return hash.digest('hex');
}

function addTo(hash, name) {
  const full = path.join(root, name);
  if (statSync(full).isDirectory()) {
    for (const inner of readdirSync(full).toSorted()) addTo(hash, path.join(name, inner));
  } else if (!name.endsWith('.test.ts')) {
    hash.update(name).update('\0').update(readFileSync(full)).update('\0');
  }
}

function run(command, args) {
  // The packages' own output goes to stderr: stdout belongs to what was asked for.
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (status !== 0) process.exit(status ?? 1);
}
