/**
 * Puts the command into a few files, by what a command needs: reading, connecting, logging in, changing files, serving.
 * Sources import each other as usual. Where an import crosses the border of a bundle, the other bundle is loaded when the
 * imported thing is first used; each module stands in one bundle only, so that it exists once.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { build } from 'esbuild';

import { withoutCompiler } from './without-compiler.mjs';

const startFile = 'src/cli/start.ts';
/** The first that matches has it. What none of them names goes where it is needed: to the main bundle if that reaches it. */
const owners = [
  ['service', /^src\/(api|repl)\/|^src\/cli\/long-running\.ts$/],
  ['login', /^src\/auth\/|^src\/commands\/(auth|auth-login|auth-lines|login-screens)\.ts$/],
  ['remote', /^src\/network\/|^src\/transports\/(http|sse|ws)\.ts$|^src\/transports\/remote\//],
  [
    'edit',
    /^src\/editing\/|^src\/documents\/(edit|edits\/)|^src\/commands\/(add|add-.*|config|edit-commands|write-entry|completion-scripts)\.ts$/,
  ],
  [
    'calls',
    /^src\/(catalog|results|calls)\/(?!command-hooks|hooks|run-hooks)|^src\/host\/(catalog\/(?!host-policy)|wire-catalog|built-in-tools)/,
  ],
  // What is first needed when a server has been started: read while that one starts.
  ['talk', /^src\/connection\/(call-deadline|changes|run-call|session)\.ts$/],
  [
    'talk',
    /^src\/connection\/start\/(client-seat|connect-failure|first-lists|greet|hello|probe|verify-memory)\.ts$/,
  ],
  ['talk', /^src\/connection\/line\/(?!line|questions|raw-calls|call-count|backlog)/],
  ['talk', /^src\/transports\/(classify-failure|failures|repair|transport-failure)/],
  ['talk', /^src\/transports\/stdio\/(failures|inbox|line-framer|read-line|until-quiet|write-queue)\.ts$/],
  [
    'talk',
    /^src\/(calls\/run-hooks|policy\/(remember-answer|tool-filter|rules\/|sources\/)|server-requests\/answer-elicit)/,
  ],
  ['talk', /^src\/(secrets\/(credential-(file|keychain)|plans\/plan-remote)|settings\/(edit|save))/],
  [
    'talk',
    /^src\/commands\/(call-input|logs|pin|pin-targets|policy|process-commands|prompts|repl|resources|serve|tools)\.ts$/,
  ],
  ['connect', /^src\/(secrets|transports|connection|catalog|results|policy|calls|server-requests|host)\//],
  [
    'connect',
    /^src\/commands\/(call|logs|pin|policy|process-commands|prompts|resources|serve|repl|status|tools|try-entry|with-host)\.ts$/,
  ],
];
/** Packages that not every command of a bundle needs. */
const packages = {
  sdk: '@modelcontextprotocol/client',
  tasks: '@modelcontextprotocol/ext-tasks/client',
  undici: 'undici/index.js',
  ws: 'ws',
  yaml: 'yaml',
  toml: 'toml-eslint-parser',
};
export const mainBundle = 'holt';

const shared = {
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  mainFields: ['module', 'main'],
  legalComments: 'none',
  logLevel: 'warning',
  // CommonJS, because the boot file runs bundles from a code cache; no real import() may be left inside.
  supported: { 'dynamic-import': false },
};
// Optional and native: looked for where the package is installed, when somebody asks for it.
const external = ['@napi-rs/keyring'];

/** Run by the boot file, a bundle is a function, as it stands, without a copy made to wrap it; required, it calls that itself. */
const given = 'exports,require,module,__filename,__dirname';
const opening = `(typeof module==='object'?(f)=>f(${given}):(f)=>f)(function(${given}){`;
/** Built-in modules that many files name and few commands use: each takes Node its time, so it is loaded at first use. */
const lateBuiltIns = /^node:(child_process|dns|fs\/promises|https?|net|readline|timers\/promises|tls|tty)$/;
const lateLoader =
  'const lateBuiltIn=(load)=>new Proxy({},{get:(_,name)=>name==="default"?load():load()[name]});';

/** `options` are esbuild's, for all bundles. Answers which files went into them. */
export async function makeBundles({ root, outdir, options }) {
  const graph = await readGraph(root);
  const ownerOf = assign(graph);
  const crossing = await findCrossing(graph, ownerOf, root);
  const make = (name, stdin, plugin) => bundle({ name, stdin, plugin, root, outdir, options });
  const bundles = new Set([mainBundle, ...ownerOf.values()]);
  const inputs = await Promise.all([
    ...[...bundles].map((name) =>
      make(name, entryOf(name, ownerOf, crossing), borders(name, { ownerOf, crossing, root })),
    ),
    ...Object.entries(packages).map(([name, id]) =>
      make(name, `export * from ${JSON.stringify(id)};`, packagesApart(name)),
    ),
  ]);
  return inputs.flat();
}

async function bundle({ name, stdin, plugin, root, outdir, options }) {
  const outfile = path.join(outdir, `${name}.cjs`);
  const { metafile } = await build({
    ...shared,
    ...options,
    external,
    format: 'cjs',
    metafile: true,
    absWorkingDir: root,
    stdin: { contents: stdin, resolveDir: root },
    outfile,
    banner: { js: opening },
    footer: { js: '})' },
    plugins: [plugin, withoutCompiler],
  });
  const made = readFileSync(outfile, 'utf8');
  // A map of the sources would no longer fit.
  const text = options.sourcemap === false && !(name in packages) ? leanBuiltIns(made) : made;
  if (/\bimport\(/.test(text.replaceAll(/"[^"\n]*"/g, '')))
    throw new Error(`a real import() is left in ${name}`);
  writeFileSync(outfile, text);
  return Object.keys(metafile.inputs);
}

/** esbuild copies each property of a built-in module to give it a `default`, anew in every file: that is a millisecond. */
function leanBuiltIns(text) {
  const lean = text.replaceAll(
    /(?:[\w$]+\()?require\("(node:[\w/]+)"\)(, ?1\))?/g,
    (whole, id, asDefault) => {
      const builtIn = `require("${id}")`;
      if (lateBuiltIns.test(id))
        return whole === builtIn || asDefault ? `lateBuiltIn(()=>${builtIn})` : whole;
      return asDefault ? `Object.create(${builtIn},{default:{value:${builtIn}}})` : whole;
    },
  );
  return lean.replace(opening, opening + lateLoader);
}

/** Who imports whom, among all that the command can reach. */
async function readGraph(root) {
  const { metafile } = await build({
    ...shared,
    external,
    absWorkingDir: root,
    entryPoints: [startFile],
    outdir: 'unused',
    format: 'cjs',
    write: false,
    metafile: true,
    plugins: [packagesApart('')],
  });
  return new Map(
    Object.entries(metafile.inputs).map(([file, { imports }]) => [
      file,
      imports.filter((one) => one.external !== true).map((one) => one.path),
    ]),
  );
}

function assign(graph) {
  const named = (file) => owners.find(([, pattern]) => pattern.test(file))?.[0];
  const ownerOf = new Map();
  const spread = (owner) => {
    const queue = [...graph.keys()].filter(
      (file) => (named(file) ?? (file === startFile ? mainBundle : undefined)) === owner,
    );
    for (const file of queue) {
      if (ownerOf.has(file)) continue;
      ownerOf.set(file, owner);
      queue.push(...(graph.get(file) ?? []).filter((other) => named(other) === undefined));
    }
  };
  // What two of them need and the main bundle does not is in the one that is named first.
  for (const owner of [mainBundle, 'connect', 'talk', 'calls', 'edit', 'remote', 'login', 'service'])
    spread(owner);
  return ownerOf;
}

/** The modules that other bundles use, and what these export. */
async function findCrossing(graph, ownerOf, root) {
  const targets = new Set();
  for (const [file, imports] of graph)
    for (const other of imports) if (ownerOf.get(file) !== ownerOf.get(other)) targets.add(other);
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [...targets],
    outdir: 'unused',
    outbase: root,
    format: 'esm',
    write: false,
    metafile: true,
  });
  return new Map(Object.values(metafile.outputs).map(({ entryPoint, exports }) => [entryPoint, exports]));
}

/** Nothing in it runs before it is asked for. */
function entryOf(name, ownerOf, crossing) {
  const lines = [...crossing.keys()]
    .filter((file) => ownerOf.get(file) === name)
    .map((file) => `get ${JSON.stringify(file)}() { return require(${JSON.stringify(`./${file}`)}); },`);
  const start = `get start() { return require(${JSON.stringify(`./${startFile}`)}).start; },`;
  return `module.exports = { ${name === mainBundle ? start : ''}\n${lines.join('\n')} };`;
}

function borders(name, { ownerOf, crossing, root }) {
  const other = packagesApart(name);
  return {
    name: 'borders',
    setup: (work) => {
      other.setup(work);
      work.onResolve({ filter: /^\.\/[a-z]+\.cjs$/ }, ({ path: id, namespace }) =>
        namespace === 'border' ? { path: id, external: true } : undefined,
      );
      work.onResolve({ filter: /^\.{1,2}\// }, ({ path: id, resolveDir }) => {
        const file = path.relative(root, path.resolve(resolveDir, id)).replaceAll(path.sep, '/');
        const owner = ownerOf.get(file);
        return owner === undefined || owner === name ? undefined : { path: file, namespace: 'border' };
      });
      work.onLoad({ filter: /./, namespace: 'border' }, ({ path: file }) => ({
        contents: lookAcross(`./${ownerOf.get(file)}.cjs`, file, crossing.get(file) ?? []),
        resolveDir: root,
      }));
    },
  };
}

function lookAcross(bundleFile, file, names) {
  const found = `require(${JSON.stringify(bundleFile)})[${JSON.stringify(file)}]`;
  if (bundleFile === `./${mainBundle}.cjs`) {
    // It has been loaded by whoever runs, so there is nothing to wait for.
    const taken = names.map((name) => `export const ${name} = found.${name};`);
    return `const found = ${found};\n${taken.join('\n')}`;
  }
  const getters = names.map((name) => `get ${name}() { return there().${name}; },`);
  return `let found;
const there = () => (found ??= ${found});
module.exports = { __esModule: true, ${getters.join('\n')} };`;
}

function packagesApart(own) {
  return {
    name: 'packages-apart',
    setup: (work) => {
      for (const [name, id] of Object.entries(packages)) {
        if (name === own) continue;
        const filter = new RegExp(`^${id.replaceAll('/', '\\/')}$`);
        work.onResolve({ filter }, () => ({ path: `./${name}.cjs`, external: true }));
      }
    },
  };
}
