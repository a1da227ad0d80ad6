/** The combinations that are tested: every runtime with library and command, every bundler with the library, and unsupported Nodes. */

import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import path from 'node:path';

import { run } from './processes.mjs';
import { root } from './project.mjs';

const folder = import.meta.dirname;
const modules = path.join(folder, 'node_modules');
const { arch } = process;
const bunArch = arch === 'arm64' ? 'aarch64' : arch;

/** A program out of a package of this folder. */
const packaged = (name, ...file) => ({
  program: path.join(modules, name, ...file),
  version: versionOf(name),
});
const nodeOf = (major) => packaged(`node-${major}-linux-${arch}`, 'bin', 'node');
const bun = packaged(`@oven/bun-linux-${bunArch}`, 'bin', 'bun');
const deno = packaged(`@deno/linux-${arch}-glibc`, 'deno');

const runtimes = [
  ...[20, 22, 24, 26].map((major) => ({ name: 'Node', ...nodeOf(major), before: [] })),
  { name: 'Bun', ...bun, before: [] },
  { name: 'Deno', ...deno, before: ['run', '--allow-all'] },
];

/** Bundles of these run on the oldest Node. `moved`: in an empty folder. */
const bundlers = [
  {
    name: 'esbuild',
    version: versionOf('esbuild'),
    how: '--bundle --platform=node',
    file: 'program.cjs',
    moved: true,
    command: (source, out) => [
      path.join(modules, 'esbuild', 'bin', 'esbuild'),
      '--bundle',
      '--platform=node',
      source,
      `--outfile=${path.join(out, 'program.cjs')}`,
    ],
  },
  {
    name: 'esbuild',
    version: versionOf('esbuild'),
    how: '--bundle --platform=node --format=esm --banner:js=…',
    file: 'program.mjs',
    moved: true,
    note: 'The banner defines require().',
    command: (source, out) => [
      path.join(modules, 'esbuild', 'bin', 'esbuild'),
      '--bundle',
      '--platform=node',
      '--format=esm',
      "--banner:js=import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
      source,
      `--outfile=${path.join(out, 'program.mjs')}`,
    ],
  },
  {
    name: 'Vite SSR',
    version: versionOf('vite'),
    how: 'vite build --ssr',
    file: 'program.js',
    moved: false,
    note: 'Vite leaves packages outside of the bundle, so it needs node_modules.',
    command: (source, out) => [
      path.join(modules, 'vite', 'bin', 'vite.js'),
      'build',
      '--ssr',
      source,
      '--outDir',
      out,
    ],
  },
  {
    name: 'Vite SSR',
    version: versionOf('vite'),
    how: 'ssr.noExternal: true',
    file: 'program.js',
    moved: true,
    command: (
      source,
      out,
    ) => moduleText`import { build } from ${path.join(modules, 'vite', 'dist', 'node', 'index.js')};
      await build({ configFile: false, ssr: { noExternal: true }, build: { ssr: ${source}, outDir: ${out} } });`,
  },
  {
    name: 'webpack',
    version: versionOf('webpack'),
    how: "mode: 'production', target: 'node'",
    file: 'program.cjs',
    moved: true,
    command: (
      source,
      out,
    ) => moduleText`import webpack from ${path.join(modules, 'webpack', 'lib', 'index.js')};
      const output = { path: ${out}, filename: 'program.cjs' };
      webpack({ mode: 'production', target: 'node', entry: ${source}, output }, (error, stats) => {
        if (error === null && !stats.hasErrors()) return;
        console.error(error ?? stats.toString('errors-only'));
        process.exitCode = 1;
      });`,
  },
];

/** It ends neither with its input nor at a signal. */
const stubbornServer = path.join(root, 'tests', 'fixtures', 'servers', 'ignores-sigterm.mjs');
/** What `makeHome` configures. */
const foundServers = ['one', 'three', 'two'];

/** All rows of results.json, each with what finds out whether it passes. `parts` has the project and the HTTP server. */
export function rowsOf(parts) {
  return [
    ...runtimes.map((runtime) => ({
      row: { kind: 'runtime', name: runtime.name, version: runtime.version, with: 'library, command' },
      program: runtime.program,
      check: async () => {
        await checkLibrary(runtime, parts);
        await checkCommand(runtime, parts);
      },
    })),
    ...bundlers.map((bundler) => ({
      row: {
        kind: 'bundler',
        name: bundler.name,
        version: bundler.version,
        with: bundler.how,
        ...noteOf(bundler),
      },
      program: nodeOf(20).program,
      check: () => checkBundler(bundler, parts),
    })),
    {
      row: { kind: 'bundler', name: 'Bun', version: bun.version, with: 'bun build --compile' },
      program: bun.program,
      check: () => checkExecutable(parts),
    },
  ];
}

/** They have no row: nothing works there but the error message. */
export function oldNodes(parts) {
  return [8, 18].map(nodeOf).map(({ program, version }) => ({
    title: `Node ${version} is too old, and is told so`,
    program,
    check: () => checkOldNode(program, version, parts),
  }));
}

async function checkLibrary({ program, before }, parts) {
  await expectCalls([program, ...before, path.join(parts.project, 'program.js')], parts.project, parts);
}

async function checkCommand({ program, before }, parts) {
  const holt = [program, ...before, path.join(parts.installed, 'dist', 'holt.cjs')];
  const ask = (...words) => run([...holt, ...words], { cwd: parts.project });
  expectSame((await ask('--version')).stdout, `${parts.version}\n`);
  const { servers, problems } = JSON.parse((await ask('list', '--json')).stdout);
  expectSame([servers.map(({ name }) => name), problems], [foundServers, []]);
  expectSame((await ask('call', 'example.add', 'a=1', 'b=2', '--example')).stdout, '3\n');
}

async function checkBundler({ name, how, file, moved, command }, parts) {
  // Inside the project, as a user has it: that is where packages are looked for.
  const out = path.join(parts.project, `out-${`${name} ${how}`.replaceAll(/\W+/g, '-')}`);
  await run([process.execPath, ...command(path.join(parts.project, 'program.js'), out)], {
    cwd: parts.project,
  });
  const place = moved ? path.join(parts.temporary, path.basename(out)) : out;
  if (moved) renameSync(out, place);
  await expectCalls([nodeOf(20).program, path.join(place, file)], place, parts);
}

async function checkExecutable(parts) {
  const place = path.join(parts.temporary, 'compiled');
  mkdirSync(place);
  const executable = path.join(place, 'program');
  const command = [bun.program, 'build', '--compile', 'program.js', `--outfile=${executable}`];
  await run(command, { cwd: parts.project });
  await expectCalls([executable], place, parts);
}

async function checkOldNode(program, version, { installed }) {
  const text = `holt needs Node 20.19 or newer; this is ${version}\n`;
  const commands = [
    [path.join(root, 'scripts', 'check-node.cjs')], // what `npm start` and `npm test` run first
    [path.join(installed, 'dist', 'holt.cjs'), 'list'],
    [path.join(installed, 'dist', 'holt.cjs'), '--version'],
  ];
  for (const words of commands) {
    const { stdout, stderr } = await run([program, ...words], { cwd: root, exitCode: 1 });
    expectSame([stdout, stderr], ['', text]);
  }
}

async function expectCalls(command, cwd, { server, url }) {
  const { stdout } = await run([...command, process.execPath, server, url, stubbornServer], { cwd });
  const tools = ['local', 'remote'].flatMap((name) => [`mcp__${name}__add`, `mcp__${name}__greet`]);
  tools.push('mcp__stubborn__pid');
  const texts = ['5', 'Hello, you! I am the example server of holt.'];
  expectSame(JSON.parse(stdout), { servers: foundServers, tools, texts });
}

function expectSame(actual, expected) {
  const [left, right] = [actual, expected].map((value) => JSON.stringify(value));
  if (left !== right) throw new Error(`got ${left}, expected ${right}`);
}

/** Arguments of Node that run a module; what is filled in becomes a string literal. */
function moduleText(strings, ...values) {
  return [
    '--input-type=module',
    '-e',
    String.raw({ raw: strings }, ...values.map((value) => JSON.stringify(value))),
  ];
}

function noteOf({ note }) {
  return note === undefined ? {} : { note };
}

function versionOf(name) {
  const file = path.join(modules, name, 'package.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version.replace(/^v/, '') : 'none';
}
