/** Installs the peers and the Node they run on into a cache folder outside of the tree, once per lock file. */

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..', '..');
const side = path.join(root, 'tools', 'peers');
const neededNode = 24;

export interface Peers {
  /** Where they are, with a copy of the programs beside them. */
  readonly folder: string;
  /** The Node that everything runs on, holt and the floor as well. */
  readonly node: string;
  readonly nodeVersion: string;
  readonly versions: Readonly<Record<string, string>>;
}

export function installPeers(): Peers {
  const lock = fs.readFileSync(path.join(side, 'package-lock.json'), 'utf8');
  const folder = cacheFolder(createHash('sha256').update(lock).digest('hex').slice(0, 16));
  fs.mkdirSync(folder, { recursive: true });
  const stamp = path.join(folder, 'node_modules', '.holt-lock');
  if (!fs.existsSync(stamp) || fs.readFileSync(stamp, 'utf8') !== lock) {
    install(folder);
    fs.writeFileSync(stamp, lock);
  }
  // Beside what they import: a bare name is looked up from where a file lies.
  fs.rmSync(path.join(folder, 'programs'), { recursive: true, force: true });
  fs.cpSync(path.join(import.meta.dirname, 'programs'), path.join(folder, 'programs'), { recursive: true });
  const node = nodeIn(folder);
  const nodeVersion = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim();
  return { folder, node, nodeVersion, versions: versionsIn(folder) };
}

function cacheFolder(name: string): string {
  const given = process.env['HOLT_BENCH_CACHE'];
  const caches = process.env['XDG_CACHE_HOME'] ?? path.join(os.homedir(), '.cache');
  return path.join(given ?? path.join(caches, 'holt-bench'), name);
}

function install(folder: string): void {
  process.stderr.write('holt: installing what is measured beside it…\n');
  for (const name of ['package.json', 'package-lock.json'])
    fs.copyFileSync(path.join(side, name), path.join(folder, name));
  fs.copyFileSync(path.join(root, '.npmrc'), path.join(folder, '.npmrc'));
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`npm ci failed in ${folder}`);
}

function nodeIn(folder: string): string {
  const system = process.platform === 'win32' ? 'win' : process.platform;
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  const file = path.join(folder, 'node_modules', `node-${system}-${process.arch}`, 'bin', name);
  if (fs.existsSync(file)) return file;
  if (Number(process.versions.node.split('.')[0]) >= neededNode) return process.execPath;
  throw new Error(
    `No Node ${neededNode} is offered for this machine: start this with one, or use --no-peers.`,
  );
}

function versionsIn(folder: string): Record<string, string> {
  const { dependencies } = readPackage(path.join(folder, 'package.json'));
  const names = Object.keys(dependencies ?? {});
  return Object.fromEntries([
    ['holt', readPackage(path.join(root, 'package.json')).version],
    ...names.map((name) => [
      name,
      readPackage(path.join(folder, 'node_modules', name, 'package.json')).version,
    ]),
  ]) as Record<string, string>; // every installed package has a version
}

interface PackageFile {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

function readPackage(file: string): PackageFile {
  return JSON.parse(fs.readFileSync(file, 'utf8')) as PackageFile; // npm's own form
}
