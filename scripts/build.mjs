/** Builds everything that is shipped: the library, the bundled executable and its code cache. */

import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { makeBundles } from './bundles.mjs';
import { packLibrary } from './library.mjs';
import { collectLicenses } from './licenses.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
// Built beside the old one and put in its place at the end: a build that fails leaves what worked before.
const target = path.join(root, 'dist');
const dist = path.join(root, `.dist-${process.pid}`);
// The coverage run wants to find its way back to the sources, and a code cache would hide what was run.
const traceable = process.env.HOLT_BUILD_TRACEABLE === '1';
const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const { version } = manifest;

rmSync(dist, { recursive: true, force: true });
mkdirSync(path.join(dist, 'bundle'), { recursive: true });

const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const types = spawnSync(
  process.execPath,
  [tsc, '-p', path.join(root, 'tsconfig.build.json'), '--outDir', dist, '--sourceMap', String(traceable)],
  { stdio: 'inherit' },
);
if (types.status !== 0 && process.env.HOLT_BUILD_ANYWAY !== '1') {
  rmSync(dist, { recursive: true, force: true });
  process.exit(1);
}

const packed = await makeBundles({
  root,
  outdir: path.join(dist, 'bundle'),
  options: {
    minifyWhitespace: true,
    minifyIdentifiers: true,
    minifySyntax: !traceable,
    sourcemap: traceable ? 'external' : false,
    sourcesContent: false,
  },
});

const { schemaDocuments } = await import(path.join(dist, 'settings', 'json-schema.js'));
mkdirSync(path.join(dist, 'schemas'));
for (const [name, document] of Object.entries(schemaDocuments())) {
  writeFileSync(path.join(dist, 'schemas', `${name}.json`), `${JSON.stringify(document, undefined, 2)}\n`);
}
writeFileSync(path.join(dist, 'holt.cjs'), bootFile(await mainHelpText()));
chmodSync(path.join(dist, 'holt.cjs'), 0o755);
if (!traceable) {
  makeCodeCache();
  packed.push(...(await packLibrary(dist, manifest)));
}

writeFileSync(path.join(dist, 'LICENSES.txt'), collectLicenses(root, packed));

const old = `${dist}-old`;
if (existsSync(target)) renameSync(target, old);
renameSync(dist, target);
rmSync(old, { recursive: true, force: true });

function makeCodeCache() {
  const cache = spawnSync(process.execPath, [path.join(root, 'scripts', 'make-code-cache.cjs'), dist], {
    stdio: 'inherit',
  });
  if (cache.status !== 0) throw new Error('the code cache could not be made');
}

async function mainHelpText() {
  const { mainHelp } = await import(path.join(dist, 'cli', 'help.js'));
  return mainHelp();
}

/** The boot file answers what it can alone and otherwise runs a bundle from its cache. */
function bootFile(help) {
  const template = readFileSync(path.join(root, 'scripts', 'boot.cjs'), 'utf8');
  return template
    .replace("'%CHECK_NODE%';", () => nodeCheck())
    .replace("'%VERSION%'", JSON.stringify(version))
    .replace("'%HELP%'", JSON.stringify(help));
}

/** Part of the boot file, so that a start reads no other file for it. */
function nodeCheck() {
  const text = readFileSync(path.join(root, 'scripts', 'check-node.cjs'), 'utf8');
  return text
    .slice(text.indexOf('const needed'))
    .replace("require('../package.json').engines.node", JSON.stringify(manifest.engines.node));
}
