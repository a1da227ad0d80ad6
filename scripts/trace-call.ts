/**
 * `npm run trace-call`: runs a cold and a warm call from the sources and prints how many files and functions of each module ran.
 * Cold is the command `holt call`; warm is a later `host.call` of a program. Top-level code does not count. `--files MODULE` also
 * prints the files of that module. `--check` fails when a call takes a longer path than it may: bench/results/trace-call.json has
 * the table from before the code was simplified.
 */

import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { Session } from 'node:inspector';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

interface FunctionCoverage {
  readonly functionName: string;
  readonly ranges: readonly { readonly startOffset: number; readonly count: number }[];
}

interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly FunctionCoverage[];
}

/** Functions that ran, by file below src/. */
type Trace = Readonly<Record<string, number>>;

interface Row {
  readonly files: number;
  readonly functions: number;
}

type Table = Readonly<Record<string, Row>>;

interface Tables {
  readonly cold: Table;
  readonly warm: Table;
}

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const sources = `${pathToFileURL(path.join(root, 'src')).href}/`;
const program = fileURLToPath(import.meta.url);
const earlierFile = path.join(root, 'bench', 'results', 'trace-call.json');

/** Runs in the child process: the command line, from the sources. */
async function runCommand(): Promise<void> {
  const { start } = await import('../src/cli/start.ts');
  process.argv.splice(2, 1);
  await start({ version: '0.0.0', distFolder: path.join(root, 'dist') });
}

/** Runs in the child process: prints the coverage of a call that is not the first. */
async function runWarmCall(): Promise<void> {
  const { openHost } = await import('../src/index.ts');
  const server = {
    command: process.execPath,
    args: [path.join(root, 'dist', 'example-server', 'server.js')],
  };
  const host = await openHost({ agents: [], servers: { example: server }, policy: { default: 'allow' } });
  const session = new Session();
  session.connect();
  try {
    // Listing finishes what the first call has left to do, such as storing pins.
    await host.call('example.add', { a: 2, b: 3 });
    await host.tools();
    session.post('Profiler.enable');
    session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    await host.call('example.add', { a: 2, b: 3 });
    session.post('Profiler.takePreciseCoverage', (_, { result }) => {
      fs.writeSync(1, JSON.stringify({ result }));
    });
  } finally {
    session.disconnect();
    await host.close();
  }
}

const addedByTsx: ReadonlySet<string> = new Set(['__name', '<static_initializer>']);

function traceOf(scripts: readonly ScriptCoverage[]): Trace {
  const trace: Record<string, number> = {};
  for (const { url, functions } of scripts) {
    if (!url.startsWith(sources)) continue;
    const name = url.slice(sources.length).replace(/\?.*$/u, '');
    // tsx adds `__name` to each file, and a static block to each class, to keep their names.
    const ran = functions.filter(
      ({ functionName, ranges: [range] }) =>
        range !== undefined && range.count > 0 && range.startOffset > 0 && !addedByTsx.has(functionName),
    );
    if (ran.length > 0) trace[name] = (trace[name] ?? 0) + ran.length;
  }
  return trace;
}

function runChild(
  mode: string,
  words: readonly string[],
): { readonly out: string; readonly dumps: ScriptCoverage[] } {
  const temporary = fs.mkdtempSync(path.join(os.tmpdir(), 'holt-trace-'));
  try {
    const dumps = path.join(temporary, 'coverage');
    const env = { PATH: process.env['PATH'], HOME: temporary, USERPROFILE: temporary };
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--import', 'tsx', program, mode, ...words],
      {
        cwd: root,
        env: mode === 'command' ? { ...env, NODE_V8_COVERAGE: dumps } : env,
        encoding: 'utf8',
        maxBuffer: 2 ** 28,
      },
    );
    if (status !== 0) throw new Error(`The traced program failed with exit code ${status}:\n${stderr}`);
    return { out: stdout, dumps: mode === 'command' ? readDumps(dumps) : [] };
  } finally {
    fs.rmSync(temporary, { recursive: true, force: true });
  }
}

/** The coverage of the command's own process; helper processes such as the guardian write files of their own. */
function readDumps(folder: string): ScriptCoverage[] {
  const all = fs
    .readdirSync(folder)
    .map(
      (name) => JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8')) as { result: ScriptCoverage[] },
    );
  const own = all.find(({ result }) => result.some(({ url }) => url === `${sources}cli/start.ts`));
  if (own === undefined) throw new Error('The command wrote no coverage.');
  return own.result;
}

function tableOf(trace: Trace): Table {
  const table: Record<string, Row> = {};
  for (const [name, functions] of Object.entries(trace)) {
    const module = name.includes('/') ? name.slice(0, name.indexOf('/')) : '(top)';
    const row = table[module] ?? { files: 0, functions: 0 };
    table[module] = { files: row.files + 1, functions: row.functions + functions };
  }
  return table;
}

function totalOf(table: Table, isCounted: (module: string) => boolean): Row {
  const rows = Object.entries(table).filter(([module]) => isCounted(module));
  return {
    files: rows.reduce((sum, [, { files }]) => sum + files, 0),
    functions: rows.reduce((sum, [, { functions }]) => sum + functions, 0),
  };
}

function printTable(cold: Table, warm: Table): void {
  const line = (name: string, first: Row | undefined, second: Row | undefined): void => {
    const cells = [first?.files, first?.functions, second?.files, second?.functions];
    console.log(`${name.padEnd(18)}${cells.map((cell) => String(cell ?? '-').padStart(12)).join('')}`);
  };
  console.log(
    `${''.padEnd(18)}${['cold files', 'functions', 'warm files', 'functions'].map((text) => text.padStart(12)).join('')}`,
  );
  for (const module of [...new Set([...Object.keys(cold), ...Object.keys(warm)])].toSorted())
    line(module, cold[module], warm[module]);
  line('outside agents', totalOf(cold, outsideAgents), totalOf(warm, outsideAgents));
}

/** All modules but `agents/`, where every agent's `locate` has to run. */
const outsideAgents = (module: string): boolean => module !== 'agents';

function findExcess({ cold, warm }: Tables): readonly string[] {
  const earlier = JSON.parse(fs.readFileSync(earlierFile, 'utf8')) as Tables;
  const all = { cold: totalOf(cold, outsideAgents), warm: totalOf(warm, outsideAgents) };
  const inHost = { cold: totalOf(cold, isHost), warm: totalOf(warm, isHost) };
  const before = totalOf(earlier.cold, outsideAgents).functions;
  const beforeInHost = totalOf(earlier.cold, isHost).functions;
  const limits: readonly (readonly [string, number, number])[] = [
    ['files of a cold call', all.cold.files, 220],
    ['files of a warm call', all.warm.files, 50],
    ['files of a cold call in host/', inHost.cold.files, 12],
    ['functions of a cold call', all.cold.functions, Math.floor(before * 0.85)],
    ['functions of a cold call in host/', inHost.cold.functions, Math.floor(beforeInHost * 0.4)],
  ];
  return limits.flatMap(([what, count, most]) =>
    count > most ? [`${what}: ${count}, at most ${most}`] : [],
  );
}

function isHost(module: string): boolean {
  return module === 'host';
}

function printFiles(kind: string, trace: Trace, module: string): void {
  for (const [name, functions] of Object.entries(trace))
    if (name.startsWith(`${module}/`)) console.log(`${kind} ${name} ${functions}`);
}

function main(): void {
  const { values } = parseArgs({ options: { check: { type: 'boolean' }, files: { type: 'string' } } });
  const command = runChild('command', ['call', 'example.add', 'a=2', 'b=3', '--example']);
  if (command.out.trim() !== '5') throw new Error(`The traced call printed ${JSON.stringify(command.out)}.`);
  const warmResult = JSON.parse(runChild('warm', []).out) as { readonly result: ScriptCoverage[] };
  const traces = { cold: traceOf(command.dumps), warm: traceOf(warmResult.result) };
  const tables = { cold: tableOf(traces.cold), warm: tableOf(traces.warm) };
  printTable(tables.cold, tables.warm);
  const { files: shown } = values;
  if (shown !== undefined) for (const [kind, trace] of Object.entries(traces)) printFiles(kind, trace, shown);
  if (values.check !== true) return;
  const tooLong = findExcess(tables);
  for (const line of tooLong) console.error(line);
  process.exitCode = tooLong.length === 0 ? 0 : 1;
}

const [, , mode] = process.argv;
if (mode === 'command') await runCommand();
else if (mode === 'warm') await runWarmCall();
else main();
