/**
 * Puts the library behind its doors into a few files: Node takes longer to find, read and link hundreds of small ones than
 * to run them, and keeps memory for each. What is loaded at first use stays a file of its own, and each module exists once.
 */

import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';

import { build } from 'esbuild';

/** Not part of the library: programs of their own. */
const apart = ['bundle', 'example-server'];

/** In place: `dist` holds what the compiler made, and afterwards the doors, what is behind them, and all types. */
export async function packLibrary(dist, { exports }) {
  const doors = Object.values(exports).flatMap((door) => (typeof door === 'object' ? [door.default] : []));
  const { metafile } = await build({
    entryPoints: doors.map((door) => path.join(dist, path.relative('dist', door))),
    outbase: dist,
    outdir: dist,
    allowOverwrite: true,
    metafile: true,
    absWorkingDir: dist,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    packages: 'external',
    chunkNames: 'library/[name]-[hash]',
    legalComments: 'none',
    logLevel: 'warning',
  });
  const packed = new Set(Object.keys(metafile.outputs).map((file) => path.normalize(file)));
  for (const file of readdirSync(dist, { recursive: true }))
    if (file.endsWith('.js') && !packed.has(file) && !apart.includes(file.split(path.sep)[0]))
      rmSync(path.join(dist, file));
}
