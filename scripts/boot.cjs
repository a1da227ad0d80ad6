#!/usr/bin/env node
'use strict';
// Starts holt. Answers --version and --help alone; everything else runs the bundle, compiled beforehand where possible.
const version = '%VERSION%';
const words = process.argv.slice(2);
const loadedBundles = new Map();
if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) {
  process.stdout.write(version + '\n');
} else if (words.length === 1 && (words[0] === '--help' || words[0] === '-h' || words[0] === 'help')) {
  process.stdout.write('%HELP%');
} else {
  const path = require('node:path');
  once(path.join(__dirname, 'bundle', 'holt.cjs')).start({ version, distFolder: __dirname });
}

function load(bundle) {
  if (Number(process.versions.node.split('.')[0]) < 22) return fromCache(bundle) || require(bundle);
  // Newer Nodes keep such a cache themselves. It is code, so it comes from the home folder and from nowhere that a variable names.
  const { enableCompileCache } = require('node:module');
  const home = require('node:os').homedir();
  enableCompileCache?.(require('node:path').join(home, '.holt', 'cache', 'code'));
  return require(bundle);
}

function once(bundle) {
  if (!loadedBundles.has(bundle)) loadedBundles.set(bundle, load(bundle));
  return loadedBundles.get(bundle);
}

/** V8 does not notice a damaged or outdated cache, so a hash over bundle and cache decides whether it gets to see it. */
function fromCache(bundle) {
  const fs = require('node:fs');
  const path = require('node:path');
  let source, record;
  try {
    source = fs.readFileSync(bundle);
    record = fs.readFileSync(bundle + '.cache');
  } catch {
    return undefined;
  }
  const cachedData = record.subarray(32);
  const hash = require('node:crypto')
    .createHash('sha256')
    .update(process.version)
    .update(source)
    .update(cachedData)
    .digest();
  if (!hash.equals(record.subarray(0, 32))) return undefined;
  const vm = require('node:vm');
  const script = new vm.Script(source.toString('latin1'), { filename: bundle, cachedData });
  const loaded = { exports: {} };
  // The other bundles are loaded in the same way, each once.
  const inside = (id) =>
    /^\.\/[a-z]+\.cjs$/.test(id) ? once(path.join(path.dirname(bundle), id)) : require(id);
  script.runInThisContext()(loaded.exports, inside, loaded, bundle, path.dirname(bundle));
  return loaded.exports;
}
