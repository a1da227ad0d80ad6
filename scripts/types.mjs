/** Rolls the declarations of the library up into one file per entry point and shared chunks. */

import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';

import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';

/** Packages. What remains of their imports is tested: holt's own types need none. */
const external = (id) => !id.startsWith('.') && !path.isAbsolute(id);

/** `entries` are paths in `src` without `.ts`. */
export async function writeTypes(root, outdir, entries) {
  const loose = path.join(outdir, '.types');
  try {
    compile(root, loose);
    const input = Object.fromEntries(
      entries.map((entry) => [entry, path.join(loose, 'src', `${entry}.d.ts`)]),
    );
    const bundle = await rollup({ input, external, plugins: [dts()], onwarn: fail });
    const chunkFileNames = ({ name }) => `types/${name.replace(/\.d$/, '')}.d.ts`;
    await bundle.write({ dir: outdir, entryFileNames: '[name].d.ts', chunkFileNames });
    await bundle.close();
  } finally {
    rmSync(loose, { recursive: true, force: true });
  }
}

function compile(root, outdir) {
  const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const args = [tsc, '-p', path.join(root, 'tsconfig.build.json'), '--outDir', outdir];
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  if (status !== 0 && process.env.HOLT_BUILD_ANYWAY !== '1') throw new Error('The types are not correct.');
}

function fail(warning) {
  throw new Error(`The declarations could not be rolled up: ${warning.message}`);
}
