/**
 * `npm run test:sdks [-- --write] [KIND|PROGRAM…]`: compiles every program of the README and the docs against the SDKs of this
 * folder, and runs it. Programs that show an SDK run with a fake model. `--write` records the results in `results.json` and
 * in the table of docs/build-an-agent.md; without it a full run also fails when the record differs.
 */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { holdTable } from '../compatibility-table.mjs';
import { installSideFolder } from '../install.mjs';
import { openHome, run, runPlain, runWithModel } from './programs.mjs';
import {
  compilers,
  folder,
  installHolt,
  makeSdkProjects,
  makeTypeProjects,
  readPrograms,
  versionOf,
} from './projects.mjs';

const write = process.argv.includes('--write');
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const results = [];
const failures = [];

installSideFolder(folder);
installHolt();
const newNode = sideNode();
const nodes = [['Node 24', newNode]];
const hasNode20 = process.versions.node.startsWith('20.');
if (hasNode20) nodes.push(['Node 20', process.execPath]);

const projects = makeSdkProjects(readPrograms());
const inUse = projects.filter(({ kinds }) => kinds.some((sdk) => isWanted(sdk)));
const steps = inUse.flatMap((project) => compilers.map((compiler) => () => compileSdks(project, compiler)));
if (wanted.length === 0)
  steps.push(
    ...makeTypeProjects().flatMap((project) =>
      compilers.map((compiler) => () => compileTypes(project, compiler)),
    ),
  );
await inPairs(steps);

const home = await openHome();
try {
  await inPairs(projects.flatMap((project) => runsOf(project)));
} finally {
  await home.close();
}
for (const failure of failures) console.log(`FAIL  ${failure}`);
console.log(`${results.length} combinations, ${failures.length} failures`);
if (wanted.length === 0) holdResults();
if (failures.length > 0) process.exitCode = 1;

/** Two at a time: more would only compete for the cores of a small machine. */
async function inPairs(work) {
  const rest = [...work];
  const next = async () => {
    for (let step = rest.shift(); step !== undefined; step = rest.shift()) await step();
  };
  await Promise.all([next(), next()]);
}

/** Only what is in holt's files and in the programs counts, and errors without a file. */
async function diagnosticsOf({ place }, compiler) {
  const tsc = path.join(folder, 'node_modules', compiler, 'bin', 'tsc');
  const { stdout, output, code } = await run(newNode, [tsc, '-p', place, '--pretty', 'false'], {
    cwd: place,
    timeout: 300_000,
  });
  const lines = stdout.split('\n').filter((line) => /error TS\d+/.test(line));
  if (code !== 0 && lines.length === 0) return [output || `tsc ended with ${code}`];
  return lines.filter((line) => !/^[^(]*node_modules\/(?!holt\/)[^(]*\(\d/.test(line));
}

async function compileSdks(project, compiler) {
  const diagnostics = await diagnosticsOf(project, compiler);
  const compilerName = `TypeScript ${versionOf(compiler)}`;
  for (const sdk of project.kinds) {
    const own = project.programs.filter(({ shows }) => shows.includes(sdk));
    if (own.length === 0) failures.push(`${sdk.kind}: no program of the docs shows it`);
    const others = project.programs.filter(({ shows }) => !shows.includes(sdk));
    const wrong = diagnostics.filter((line) => !others.some(({ name }) => line.startsWith(`${name}.ts(`)));
    record(rowOf(sdk, compilerName), wrong);
  }
  const plain = project.programs.filter(({ shows }) => shows.length === 0);
  const wrong = diagnostics.filter((line) => plain.some(({ name }) => line.startsWith(`${name}.ts(`)));
  for (const line of wrong) failures.push(`${compilerName}: ${line}`);
}

async function compileTypes(project, compiler) {
  const diagnostics = await diagnosticsOf(project, compiler);
  const row = { kind: 'types', name: '@types/node', version: versionOf(project.name) };
  record({ ...row, with: `TypeScript ${versionOf(compiler)}` }, diagnostics);
}

function rowOf({ bridge, package: name, installed }, beside) {
  return { kind: 'bridge', name: bridge, version: `${name} ${versionOf(installed)}`, with: beside };
}

function runsOf(project) {
  const compiled = (name) => path.join(project.place, 'out', `${name}.js`);
  return project.programs.flatMap(({ name, shows }) => {
    const kinds = shows.filter((sdk) => project.kinds.includes(sdk) && isWanted(sdk));
    const printed = path.join(project.place, `${name}.ts`);
    if (shows.length === 0 && (wanted.length === 0 || wanted.includes(name)))
      return [() => runAsPrinted(name, printed)];
    return kinds.flatMap((sdk) =>
      nodes
        .filter(([label]) => label === 'Node 24' || sdk.node20)
        .map(([label, node]) => async () => {
          const failure = await runWithModel(node, { kind: sdk.kind, program: compiled(name) }, home);
          record(rowOf(sdk, label), failure === undefined ? [] : [failure]);
        }),
    );
  });
}

/** Node 24 reads TypeScript. */
async function runAsPrinted(name, program) {
  const failure = await runPlain(newNode, program, home);
  console.log(`${failure === undefined ? 'pass' : 'FAIL'}  ${name} as printed`);
  if (failure !== undefined) failures.push(`${name}: ${failure}`);
}

function isWanted({ kind }) {
  return wanted.length === 0 || wanted.includes(kind);
}

function record(row, wrong) {
  const title = [row.name, row.version, row.with].join(' · ');
  console.log(`${wrong.length === 0 ? 'pass' : 'FAIL'}  ${title}`);
  results.push({ ...row, pass: wrong.length === 0 });
  for (const line of wrong) failures.push(`${title}: ${line}`);
}

function holdResults() {
  const file = path.join(folder, 'results.json');
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '[]';
  // Rows that this Node cannot measure stay as they were recorded.
  const kept = hasNode20 ? [] : JSON.parse(before).filter((row) => row.with === 'Node 20');
  const keyOf = (row) => [row.kind, row.name, row.version, row.with].join('\0');
  const rows = [...results, ...kept].toSorted((left, right) => (keyOf(left) < keyOf(right) ? -1 : 1));
  const text = `${JSON.stringify(rows, undefined, 2)}\n`;
  if (write) writeFileSync(file, text);
  else if (text !== before) {
    console.log('tools/sdks/results.json differs from this run: run npm run test:sdks -- --write');
    process.exitCode = 1;
  }
  if (!holdTable({ write })) process.exitCode = 1;
}

function sideNode() {
  const own = path.join(folder, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
  if (existsSync(own)) return own;
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  throw new Error('the SDKs need Node 24 or later, and none is packaged for this machine');
}
