/**
 * Puts the library behind its doors into a few files: Node takes longer to find, read and link hundreds of small ones than
 * to run them, and keeps memory for each. What is loaded at first use stays a file of its own, and each module exists once.
 * Of the SDK, which is made of many files, only what is used is packed as well.
 */

import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { build } from 'esbuild';

import { withoutCompiler } from './without-compiler.mjs';

/** Not part of the library: programs of their own. */
const apart = ['bundle', 'example-server'];
const packed = {
  sdk: '@modelcontextprotocol/client',
  tasks: '@modelcontextprotocol/ext-tasks/client',
};
const mark = 'packed:';

const shared = {
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  metafile: true,
  legalComments: 'none',
  logLevel: 'warning',
};

/**
 * In place: `dist` holds what the compiler made, and afterwards the doors, what is behind them, and all types. Answers which
 * files of packages went into it.
 */
export async function packLibrary(dist, { exports }) {
  const doors = Object.values(exports).flatMap((door) => (typeof door === 'object' ? [door.default] : []));
  const { metafile } = await build({
    ...shared,
    entryPoints: doors.map((door) => path.join(dist, path.relative('dist', door))),
    outbase: dist,
    outdir: dist,
    allowOverwrite: true,
    absWorkingDir: dist,
    packages: 'external',
    plugins: [markPacked],
    chunkNames: 'library/[name]-[hash]',
  });
  const files = Object.keys(metafile.outputs).map((file) => path.normalize(file));
  for (const file of readdirSync(dist, { recursive: true }))
    if (file.endsWith('.js') && !files.includes(file) && !apart.includes(file.split(path.sep)[0]))
      rmSync(path.join(dist, file));
  return packPackages(dist, files);
}

/** Where they will be is known only when everything has its file. */
const markPacked = {
  name: 'mark-packed',
  setup: (work) => {
    for (const [name, id] of Object.entries(packed))
      work.onResolve({ filter: new RegExp(`^${id.replaceAll('/', '\\/')}$`) }, () => ({
        path: `${mark}${name}`,
        external: true,
        sideEffects: false,
      }));
  },
};

const fileOf = (name) => path.join('library', `${name}.js`);

async function packPackages(dist, files) {
  const used = new Map(Object.keys(packed).map((name) => [name, new Set()]));
  for (const file of files) {
    const place = path.join(dist, file);
    const text = readFileSync(place, 'utf8');
    if (!text.includes(mark)) continue;
    for (const [, names, name] of text.matchAll(/^import \{([^}]*)\} from "packed:(\w+)";$/gm))
      for (const each of names.split(',')) used.get(name).add(each.trim().split(' as ')[0]);
    const linked = text.replaceAll(/^(import \{[^}]*\} from )"packed:(\w+)";$/gm, (_, start, name) => {
      const to = path.relative(path.dirname(file), fileOf(name)).replaceAll(path.sep, '/');
      return `${start}"${to.startsWith('.') ? to : `./${to}`}";`;
    });
    // A whole package would be packed with all that nobody uses.
    if (linked.includes(mark)) throw new Error(`${file} imports a packed package otherwise than by names`);
    writeFileSync(place, linked);
  }
  const { metafile } = await build({
    ...shared,
    entryPoints: Object.keys(packed).map((name) => ({ in: `${mark}${name}`, out: name })),
    absWorkingDir: path.dirname(dist),
    outdir: path.join(dist, 'library'),
    chunkNames: '[name]-[hash]',
    mainFields: ['module', 'main'],
    minifyWhitespace: true,
    minifySyntax: true,
    plugins: [packEntries(path.dirname(dist), used), withoutCompiler],
  });
  for (const file of Object.keys(metafile.outputs))
    if (readFileSync(path.join(path.dirname(dist), file), 'utf8').includes('Dynamic require of'))
      throw new Error(`${file} holds code that calls require(), which modules do not have`);
  return Object.keys(metafile.inputs);
}

function packEntries(resolveDir, used) {
  return {
    name: 'packed-entries',
    setup: (work) => {
      work.onResolve({ filter: /^packed:/ }, ({ path: id }) => ({
        path: id.slice(mark.length),
        namespace: 'packed',
      }));
      work.onLoad({ filter: /./, namespace: 'packed' }, ({ path: name }) => ({
        contents: `export { ${[...used.get(name)].join(', ')} } from ${JSON.stringify(packed[name])};`,
        resolveDir,
      }));
      // Every language's messages, reachable by a name that nobody uses.
      work.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
        contents: `export { default as en } from './en.js';`,
      }));
    },
  };
}
