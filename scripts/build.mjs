/** Builds everything that is shipped: the library, the bundled executable and its code cache. */

import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
// Built beside the old one and put in its place at the end: a build that fails leaves what worked before.
const target = path.join(root, 'dist');
const dist = path.join(root, `.dist-${process.pid}`);
/** What not every command needs is a bundle of its own, loaded when it is reached. Packages stand in one bundle only, so that their classes exist once. */
const apart = {
  connect: { filter: /\/connected\.ts$/, entry: './src/commands/connected.ts' },
  service: { filter: /\/long-running\.ts$/, entry: './src/cli/long-running.ts' },
  sdk: { filter: /^@modelcontextprotocol\/client$/, entry: '@modelcontextprotocol/client' },
  tasks: {
    filter: /^@modelcontextprotocol\/ext-tasks\/client$/,
    entry: '@modelcontextprotocol/ext-tasks/client',
  },
  undici: { filter: /^undici$/, entry: 'undici' },
  ws: { filter: /^ws$/, entry: 'ws' },
  yaml: { filter: /^yaml$/, entry: 'yaml' },
  toml: { filter: /^toml-eslint-parser$/, entry: 'toml-eslint-parser' },
};
const startFile = './src/cli/start.ts';
const keepApart = (own) => ({
  name: 'keep-apart',
  setup: (work) => {
    for (const [name, { filter }] of Object.entries(apart)) {
      if (name === own) continue;
      work.onResolve({ filter }, () => ({ path: `./${name}.cjs`, external: true }));
    }
  },
});
const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));

rmSync(dist, { recursive: true, force: true });
mkdirSync(path.join(dist, 'bundle'), { recursive: true });

const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const types = spawnSync(
  process.execPath,
  [tsc, '-p', path.join(root, 'tsconfig.build.json'), '--outDir', dist],
  { stdio: 'inherit' },
);
if (types.status !== 0 && process.env.HOLT_BUILD_ANYWAY !== '1') {
  rmSync(dist, { recursive: true, force: true });
  process.exit(1);
}

// CommonJS, because the boot file runs bundles from a code cache; no real import() may be left inside.
await Promise.all(Object.entries({ holt: { entry: startFile }, ...apart }).map(bundle));

const { schemaDocuments } = await import(path.join(dist, 'settings', 'json-schema.js'));
mkdirSync(path.join(dist, 'schemas'));
for (const [name, document] of Object.entries(schemaDocuments())) {
  writeFileSync(path.join(dist, 'schemas', `${name}.json`), `${JSON.stringify(document, undefined, 2)}\n`);
}
writeFileSync(path.join(dist, 'holt.cjs'), bootFile(await mainHelpText(), await connectingWords()));
chmodSync(path.join(dist, 'holt.cjs'), 0o755);
const cache = spawnSync(process.execPath, [path.join(root, 'scripts', 'make-code-cache.cjs'), dist], {
  stdio: 'inherit',
});
if (cache.status !== 0) throw new Error('the code cache could not be made');

const old = `${dist}-old`;
if (existsSync(target)) renameSync(target, old);
renameSync(dist, target);
rmSync(old, { recursive: true, force: true });

async function mainHelpText() {
  const { mainHelp } = await import(path.join(dist, 'cli', 'help.js'));
  return mainHelp();
}

/** The commands that will want the larger bundle. A hint: either bundle can do everything. */
async function connectingWords() {
  const { commandTable } = await import(path.join(dist, 'commands', 'command-table.js'));
  return commandTable
    .filter(({ load }) => String(load).includes('connected.js'))
    .flatMap(({ name, aliases }) => [name, ...aliases]);
}

/** The boot file answers what it can alone and otherwise runs a bundle from its cache. */
function bootFile(help, connecting) {
  const template = readFileSync(path.join(root, 'scripts', 'boot.cjs'), 'utf8');
  return template
    .replace("'%VERSION%'", JSON.stringify(version))
    .replace("'%CONNECTING%'", JSON.stringify(connecting))
    .replace("'%HELP%'", JSON.stringify(help));
}

async function bundle([name, { entry }]) {
  const outfile = path.join(dist, 'bundle', `${name}.cjs`);
  // A command that connects finds all of holt in one file; the other one sends for it when it has to.
  const start = name === 'connect' ? `export * from ${JSON.stringify(startFile)};` : '';
  const contents = `${start}export * from ${JSON.stringify(entry)};`;
  await build({
    stdin: { contents, resolveDir: root },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20.19',
    mainFields: ['module', 'main'],
    minify: true,
    legalComments: 'none',
    logLevel: 'warning',
    supported: { 'dynamic-import': false },
    // Optional and native: looked for where the package is installed, when somebody asks for it.
    external: ['@napi-rs/keyring'],
    plugins: [keepApart(name)],
  });
  if (/\bimport\(/.test(readFileSync(outfile, 'utf8').replaceAll(/"[^"\n]*"/g, '')))
    throw new Error(`a real import() is left in ${name}`);
}
