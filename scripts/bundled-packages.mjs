/** The packages whose code is shipped inside holt instead of being installed with it. A test compares this list with the build. */

import path from 'node:path';

export const bundledPackages = [
  '@modelcontextprotocol/client',
  '@modelcontextprotocol/core',
  '@modelcontextprotocol/ext-tasks',
  'eslint-visitor-keys',
  'eventsource',
  'eventsource-parser',
  'jose',
  'pkce-challenge',
  'toml-eslint-parser',
  'uqr',
  'yaml',
  'zod',
];

/** Replaces parts of packages that holt never uses, and selects the build of `yaml` that consists of ES modules. */
export const packageParts = {
  name: 'package-parts',
  setup: ({ initialOptions, onResolve }) => {
    const root = initialOptions.absWorkingDir;
    const part = (name) => ({ path: path.join(root, 'scripts', 'package-parts', name) });
    // The SDK brings a schema compiler, a quarter of its size. Every client is created with holt's own validator.
    onResolve({ filter: /^@modelcontextprotocol\/client\/_shims$/ }, () => part('sdk-shims.mjs'));
    // zod loads its messages in every language. holt uses only the English ones.
    onResolve({ filter: /^\.\.\/locales\/index\.js$/ }, ({ importer }) =>
      importer.includes(`${path.sep}zod${path.sep}v4${path.sep}`) ? part('zod-locales.mjs') : undefined,
    );
    onResolve({ filter: /^yaml$/ }, () => ({
      path: path.join(root, 'node_modules', 'yaml', 'browser', 'dist', 'index.js'),
    }));
  },
};

/** The folders of the packages whose code is in the outputs of esbuild. */
export function packagesIn(metafiles) {
  const outputs = metafiles.flatMap((metafile) => Object.values(metafile.outputs));
  const files = outputs.flatMap(({ inputs }) =>
    Object.keys(inputs).filter((file) => inputs[file].bytesInOutput > 0),
  );
  const folders = files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []);
  return [...new Set(folders)];
}
