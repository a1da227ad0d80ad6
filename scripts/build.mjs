/** Builds everything that is shipped: the command, the library, its types and the schemas. */

import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { packagesIn } from './bundled-packages.mjs';
import { bundleBoot, bundleCommand, bundleLibrary, importSources } from './bundles.mjs';
import { collectLicenses } from './licenses.mjs';
import { writeTypes } from './types.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
// Built beside the old one and put in its place at the end: a build that fails leaves what worked before.
const target = path.join(root, 'dist');
const dist = path.join(root, `.dist-${process.pid}`);
// The coverage run leads what ran back to the sources.
const traceable = process.env.HOLT_BUILD_TRACEABLE === '1';
const { exports, version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const entries = Object.values(exports).flatMap((entry) =>
  typeof entry === 'object' ? [path.relative('dist', entry.default).replace(/\.js$/, '')] : [],
);

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);
try {
  await writeTypes(root, dist, entries);
  const metafiles = await Promise.all([
    bundleCommand(root, path.join(dist, 'command.cjs'), { traceable }),
    bundleLibrary(root, dist, { entries: [...entries, 'example-server/server'], traceable }),
  ]);
  writeFileSync(path.join(dist, 'LICENSES.txt'), collectLicenses(root, packagesIn(metafiles)));
  await writeFromSources();
} catch (error) {
  rmSync(dist, { recursive: true, force: true });
  throw error;
}

const old = `${dist}-old`;
if (existsSync(target)) renameSync(target, old);
renameSync(dist, target);
rmSync(old, { recursive: true, force: true });

async function writeFromSources() {
  const { commandTable, mainHelp, schemaDocuments } = await importSources(
    root,
    dist,
    `export { mainHelp } from './src/cli/help.ts';
     export { commandTable } from './src/commands/command-table.ts';
     export { schemaDocuments } from './src/settings/json-schema.ts';`,
  );
  mkdirSync(path.join(dist, 'schemas'));
  for (const [name, document] of Object.entries(schemaDocuments()))
    writeFileSync(path.join(dist, 'schemas', `${name}.json`), `${JSON.stringify(document, undefined, 2)}\n`);
  const boot = path.join(dist, 'holt.cjs');
  await bundleBoot(root, boot, {
    HOLT_VERSION: version,
    HOLT_HELP: mainHelp(),
    HOLT_COMMANDS: commandTable.flatMap(({ name, aliases }) => [name, ...aliases]),
  });
  chmodSync(boot, 0o755);
}
