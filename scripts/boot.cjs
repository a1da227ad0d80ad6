#!/usr/bin/env node
'use strict';
// Starts holt. Answers --version and --help alone; everything else runs the bundle, compiled beforehand where possible.
'%CHECK_NODE%';
/* oxlint-disable no-unused-vars -- Node 8 cannot parse a catch without a parameter, and has to reach the check */
const version = '%VERSION%';
const words = process.argv.slice(2);
const loadedBundles = new Map();
if (words.length === 1 && ['--version', '-V', '-v', 'version'].includes(words[0])) {
  process.stdout.write(version + '\n');
} else if (words.length === 1 && ['--help', '-h', 'help'].includes(words[0]) && !isNarrow(process.stdout)) {
  process.stdout.write('%HELP%');
} else {
  const path = require('node:path');
  once(path.join(__dirname, 'bundle', 'holt.cjs')).start({ version, distFolder: __dirname });
}

/** The bundle wraps the help for narrow terminals. */
function isNarrow({ isTTY, columns }) {
  return isTTY === true && columns < 100;
}

function once(bundle) {
  if (!loadedBundles.has(bundle)) loadedBundles.set(bundle, load(bundle));
  return loadedBundles.get(bundle);
}

/** Made for one Node when holt was built; another Node makes its own with the first run and keeps it in the home folder. */
function load(bundle) {
  const fs = require('node:fs');
  const path = require('node:path');
  const source = fs.readFileSync(bundle);
  const own = () => path.join(codeFolder(), path.basename(bundle) + '.cache');
  const cachedData =
    readCache(bundle + '.cache', source) ||
    (isPrivate(codeFolder()) && readCache(own(), source)) ||
    undefined;
  const vm = require('node:vm');
  const script = new vm.Script(source.toString('latin1'), { filename: bundle, cachedData });
  if (cachedData === undefined) process.once('exit', () => keepCache(script, source, own()));
  const loaded = { exports: {} };
  // The other bundles are loaded in the same way, each once.
  const inside = (id) =>
    /^\.\/[a-z]+\.cjs$/.test(id) ? once(path.join(path.dirname(bundle), id)) : require(id);
  script.runInThisContext()(loaded.exports, inside, loaded, bundle, path.dirname(bundle));
  return loaded.exports;
}

/** It is code, so it comes from the home folder and from nowhere that a variable of ours names. */
function codeFolder() {
  const name = [process.version, process.arch, process.versions.v8].join('-');
  return require('node:path').join(require('node:os').homedir(), '.holt', 'cache', 'code', name);
}

function isPrivate(folder) {
  try {
    const stats = require('node:fs').statSync(folder);
    return process.getuid === undefined || (stats.uid === process.getuid() && (stats.mode & 0o022) === 0);
  } catch (error) {
    return false;
  }
}

/** V8 does not notice a damaged or outdated cache, so a hash over bundle and cache decides whether it gets to see it. */
function readCache(file, source) {
  let record;
  try {
    record = require('node:fs').readFileSync(file);
  } catch (error) {
    return undefined;
  }
  const cachedData = record.subarray(32);
  return hashOf(source, cachedData).equals(record.subarray(0, 32)) ? cachedData : undefined;
}

function hashOf(source, cachedData) {
  const hash = require('node:crypto').createHash('sha256');
  return hash.update(process.version).update(source).update(cachedData).digest();
}

/** What could not be kept is made again next time. */
function keepCache(script, source, file) {
  const fs = require('node:fs');
  try {
    const cachedData = script.createCachedData();
    fs.mkdirSync(require('node:path').dirname(file), { recursive: true, mode: 0o700 });
    const draft = `${file}.${process.pid}`;
    fs.writeFileSync(draft, Buffer.concat([hashOf(source, cachedData), cachedData]), {
      mode: 0o600,
      flag: 'wx',
    });
    fs.renameSync(draft, file);
  } catch (error) {}
}
