/**
 * The JavaScript that is shipped. The command is one CommonJS file, which the boot file runs from its code cache. The library
 * is ES modules: one per entry point and one per part that is loaded on first use.
 */

import { readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { build } from 'esbuild';

import { packageParts } from './bundled-packages.mjs';

/** Of the manifest, only what is used is bundled. */
const manifestVersion = {
  name: 'manifest-version',
  setup: ({ initialOptions, onLoad }) => {
    const filter = /[\\/]package\.json$/;
    const manifest = path.join(initialOptions.absWorkingDir, 'package.json');
    onLoad({ filter }, ({ path: file }) => {
      if (file !== manifest) return undefined;
      const { engines, version } = JSON.parse(readFileSync(file, 'utf8'));
      return { contents: JSON.stringify({ engines, version }), loader: 'json' };
    });
  },
};

const shared = (root) => ({
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  metafile: true,
  legalComments: 'none',
  logLevel: 'warning',
  external: installedPackages(root),
  plugins: [packageParts, manifestVersion],
});

/** What users install with holt is loaded from there. */
function installedPackages(root) {
  const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  return Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }).flatMap((name) => [
    name,
    `${name}/*`,
  ]);
}

/** Each bundle is the text of a function, so that the boot file can run it without copying it into a wrapper. */
const functionStart = '(function(exports,require,module,__filename,__dirname){';

/** Returns the metafile. `traceable` keeps the syntax of the sources and writes a source map. */
export async function bundleCommand(root, outfile, { traceable }) {
  const { metafile } = await build({
    ...shared(root),
    entryPoints: ['src/cli/start.ts'],
    outfile,
    format: 'cjs',
    // A script from a code cache cannot run import().
    supported: { 'dynamic-import': false },
    minifyWhitespace: true,
    minifyIdentifiers: true,
    minifySyntax: !traceable,
    sourcemap: traceable ? 'external' : false,
    sourcesContent: false,
    banner: { js: functionStart },
    footer: { js: '})' },
  });
  // The boot file decodes it as latin1. esbuild escapes strings, but not regular expressions.
  const [line] = /.{0,40}[^\0-\x7F].{0,40}/.exec(readFileSync(outfile, 'utf8')) ?? [];
  if (line !== undefined)
    throw new Error(`Write \\u escapes for the characters of this regular expression: ${line}`);
  return metafile;
}

/** The first file that runs. Old Nodes must be able to parse it, because it contains the message that they are too old. */
export async function bundleBoot(root, outfile, values) {
  await build({
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    target: 'node8',
    entryPoints: ['scripts/boot.cjs'],
    outfile,
    plugins: [manifestVersion],
    define: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, JSON.stringify(value)])),
  });
}

/** `entries` are paths in `src` without `.ts`. Returns the metafile. */
export async function bundleLibrary(root, outdir, { entries, traceable }) {
  const { metafile } = await build({
    ...shared(root),
    entryPoints: entries.map((entry) => `src/${entry}.ts`),
    outbase: 'src',
    outdir,
    format: 'esm',
    splitting: true,
    chunkNames: 'library/[name]-[hash]',
    minify: !traceable,
    sourcemap: traceable ? 'external' : false,
    sourcesContent: false,
  });
  for (const file of readdirSync(outdir, { recursive: true }))
    if (file.endsWith('.js') && readFileSync(path.join(outdir, file), 'utf8').includes('Dynamic require of'))
      throw new Error(`${file} contains code that calls require(), which ES modules do not have`);
  return metafile;
}

/** Imports sources while building. */
export async function importSources(root, folder, code) {
  const outfile = path.join(folder, 'build-time.mjs');
  await build({ ...shared(root), stdin: { contents: code, resolveDir: root }, outfile, format: 'esm' });
  try {
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(outfile);
  }
}
