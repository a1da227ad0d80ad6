#!/usr/bin/env node
/**
 * Starts holt. Prints the version and the help itself; for everything else it runs the bundle, from a code cache that an earlier
 * run has made. The build fills in HOLT_VERSION, HOLT_HELP and HOLT_COMMANDS.
 */
'use strict';
/* global HOLT_VERSION, HOLT_HELP, HOLT_COMMANDS */
require('./check-node.cjs'); // oxlint-disable-line no-unassigned-import -- it ends the process or does nothing
const fs = require('node:fs');
const path = require('node:path');

const refreshMs = 24 * 3_600_000;
const unusedMs = 30 * refreshMs;
const words = process.argv.slice(2);
if (words.length === 1 && ['--version', '-V', '-v', 'version'].includes(words[0])) {
  process.stdout.write(`${HOLT_VERSION}\n`);
} else if (words.length === 1 && ['--help', '-h', 'help'].includes(words[0]) && !isNarrow(process.stdout)) {
  process.stdout.write(HOLT_HELP);
} else {
  load(path.join(__dirname, 'command.cjs')).start({ version: HOLT_VERSION, distFolder: __dirname });
}

/** The bundle wraps the help for narrow terminals. */
function isNarrow({ isTTY, columns }) {
  return isTTY === true && columns < 100;
}

function load(bundle) {
  const { Script } = require('node:vm');
  const source = fs.readFileSync(bundle);
  const folder = cacheFolder();
  const file = folder === undefined ? undefined : path.join(folder, `${cacheName()}.cache`);
  const cached = file === undefined ? undefined : readCache(file, source);
  // latin1 is the fastest decoder; the build makes sure that the bundle is ASCII.
  const script = new Script(source.toString('latin1'), { filename: bundle, cachedData: cached?.data });
  const isCurrent = cached !== undefined && script.cachedDataRejected !== true && !cached.isOld;
  if (file !== undefined && !isCurrent) process.once('exit', () => storeCache(script, source, file));
  const loaded = { exports: {} };
  script.runInThisContext()(loaded.exports, require, loaded, bundle, __dirname);
  return loaded.exports;
}

/** A cache contains the functions that a run needed, so each command has its own. */
function cacheName() {
  const command = words.find((word) => !word.startsWith('-'));
  return command === undefined || HOLT_COMMANDS.includes(command) ? command || 'overview' : 'other';
}

/** V8 rejects a cache that another version of it, or one with other flags, has made. Undefined where a cache would not be safe. */
function cacheFolder() {
  const { arch, env, execArgv, version, versions } = process;
  const flags = hashOf(JSON.stringify([versions.v8, execArgv, env.NODE_OPTIONS || ''])).toString('hex');
  try {
    const home = require('node:os').homedir();
    const holtHome = env.HOLT_HOME ? path.resolve(env.HOLT_HOME) : path.join(home, '.holt');
    if (env.HOLT_HOME && isInProject(holtHome, home)) return undefined;
    const name = [HOLT_VERSION, version, arch, flags.slice(0, 16)].join('-');
    return path.join(holtHome, 'cache', 'code', name);
  } catch {
    return undefined;
  }
}

/** The cache is code. A project must not be able to bring it along, whatever the environment names. */
function isInProject(holtHome, home) {
  const places = [holtHome, realPath(holtHome)];
  const isInside = (folder) =>
    places.some((place) => `${place}${path.sep}`.startsWith(`${folder}${path.sep}`));
  const cwd = process.cwd();
  for (let at = cwd; at !== home; at = path.dirname(at)) {
    if ((at === cwd || fs.existsSync(path.join(at, '.git'))) && isInside(at)) return true;
    if (path.dirname(at) === at) return false;
  }
  return false;
}

function realPath(place) {
  try {
    return fs.realpathSync(place);
  } catch {
    return place;
  }
}

/** V8 does not notice a damaged or outdated cache, so it sees only one whose hash is right. */
function readCache(file, source) {
  try {
    if (!isPrivate(path.dirname(file))) return undefined;
    const record = fs.readFileSync(file);
    const data = record.subarray(32);
    if (!hashOf(source, data).equals(record.subarray(0, 32))) return undefined;
    return { data, isOld: Date.now() - fs.statSync(file).mtimeMs > refreshMs };
  } catch {
    return undefined;
  }
}

function isPrivate(folder) {
  const { uid, mode } = fs.statSync(folder);
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
}

/** A cache that cannot be stored is made again by the next run. */
function storeCache(script, source, file) {
  try {
    const data = script.createCachedData();
    const folder = path.dirname(file);
    makeHoltFolder(path.resolve(folder, '..', '..', '..'));
    if (fs.mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined)
      removeUnused(path.dirname(folder));
    if (!isPrivate(folder)) return;
    const draft = `${file}.${process.pid}`;
    fs.writeFileSync(draft, Buffer.concat([hashOf(source, data), data]), { mode: 0o600 });
    fs.renameSync(draft, file);
  } catch {
    // The next run tries again.
  }
}

/** As the command makes it: no file below it may get into a repository of the user's settings. */
function makeHoltFolder(holtHome) {
  const made = fs.mkdirSync(holtHome, { recursive: true, mode: 0o700 });
  if (made !== undefined) fs.writeFileSync(path.join(holtHome, '.gitignore'), '*\n', { mode: 0o600 });
}

/** Caches of other versions, which nothing else would remove. */
function removeUnused(parent) {
  for (const name of fs.readdirSync(parent)) {
    const folder = path.join(parent, name);
    if (Date.now() - fs.statSync(folder).mtimeMs > unusedMs)
      fs.rmSync(folder, { recursive: true, force: true });
  }
}

function hashOf(...parts) {
  const hash = require('node:crypto').createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}
