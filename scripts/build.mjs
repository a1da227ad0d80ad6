/** Builds everything that is shipped: the library, the bundled executable and its code cache. */

import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const dist = path.join(root, 'dist');
const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));

rmSync(dist, { recursive: true, force: true });
mkdirSync(path.join(dist, 'bundle'), { recursive: true });

const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
execFileSync(process.execPath, [tsc, '-p', path.join(root, 'tsconfig.build.json')], { stdio: 'inherit' });

// CommonJS, because the boot file runs it from a code cache; no real import() may be left inside.
const bundle = path.join(dist, 'bundle', 'holt.cjs');
await build({
  entryPoints: [path.join(root, 'src', 'cli', 'start.ts')],
  outfile: bundle,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20.19',
  mainFields: ['module', 'main'],
  minify: true,
  keepNames: false,
  legalComments: 'none',
  logLevel: 'warning',
});
const text = readFileSync(bundle, 'utf8');
if (/\bimport\(/.test(text)) throw new Error('a real import() is left in the bundle');

const { schemaDocuments } = await import(path.join(dist, 'settings', 'json-schema.js'));
mkdirSync(path.join(dist, 'schemas'));
for (const [name, document] of Object.entries(schemaDocuments())) {
  writeFileSync(path.join(dist, 'schemas', `${name}.json`), `${JSON.stringify(document, undefined, 2)}\n`);
}
writeFileSync(path.join(dist, 'holt.cjs'), bootFile(await mainHelpText()));
chmodSync(path.join(dist, 'holt.cjs'), 0o755);
spawnSync(process.execPath, [path.join(root, 'scripts', 'make-code-cache.cjs'), bundle], { stdio: 'inherit' });

async function mainHelpText() {
  const { mainHelp } = await import(path.join(dist, 'cli', 'help.js'));
  return mainHelp();
}

/** The boot file answers what it can alone and otherwise runs the bundle from its cache. */
function bootFile(help) {
  const template = readFileSync(path.join(root, 'scripts', 'boot.cjs'), 'utf8');
  return template
    .replace("'%VERSION%'", JSON.stringify(version))
    .replace("'%HELP%'", JSON.stringify(help))
    .replace("'%SHA256%'", JSON.stringify(createHash('sha256').update(text).digest('hex')));
}
