/** Where the installed programs are. Install scripts do not run, so platform packages are used directly. */

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const modules = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', 'node_modules');
const platform = `${process.platform}-${process.arch}`;

export function versionOf(name) {
  return JSON.parse(readFileSync(path.join(modules, packageOf(name), 'package.json'), 'utf8')).version;
}

/** Undefined where the registry has no package for this machine. */
export function isInstalled(name) {
  return existsSync(path.join(modules, packageOf(name)));
}

export function platformProgram(name, ...below) {
  return path.join(modules, `${name}-${platform}`, ...below);
}

/** A script of a package, on a Node that is new enough for all of them. */
export function scriptProgram(name, ...below) {
  const own = path.join(modules, `node-${platform}`, 'bin', 'node');
  const node = existsSync(own) ? own : process.execPath;
  return [node, path.join(modules, name, ...below)];
}

function packageOf(name) {
  return name === 'opencode-ai' ? `opencode-${platform}` : name;
}
