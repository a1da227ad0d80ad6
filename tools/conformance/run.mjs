/**
 * Runs the official conformance suite's client scenarios against holt's public library.
 * `node tools/conformance/run.mjs [--write] [SCENARIO…]`: `--write` records the results in docs/conformance.md; without it a
 * full run also fails when that page says something else. The suite runs on its own Node, the client on this one.
 */

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { installSideFolder } from '../install.mjs';

const folder = path.dirname(fileURLToPath(import.meta.url));
const page = path.join(folder, '..', '..', 'docs', 'conformance.md');
const write = process.argv.includes('--write');
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));

installSideFolder(folder);
const { planFor, revisions } = await import('./scenarios.mjs'); // needs what was just installed
const suite = path.join(folder, 'node_modules', '@modelcontextprotocol', 'conformance');
const plan = revisions.flatMap((revision) => planFor(revision, suite));
const chosen = plan.filter(({ scenario }) => wanted.length === 0 || wanted.includes(scenario));

const results = [];
for (const item of chosen) {
  // One after the other: a mock that measures a delay judges the machine's load otherwise.
  const result = await runPatiently(item);
  results.push(result);
  const verdict = result.passed ? 'pass' : item.scored ? 'FAIL' : 'open'; // what is not required is reported, no more
  const again = result.tries > 1 ? `  (try ${result.tries})` : '';
  console.log(`${verdict}  ${item.revision}  ${item.scenario.padEnd(38)} ${result.counts}${again}`);
  if (verdict === 'FAIL') console.log(result.trouble.replaceAll(/^/gm, '      '));
}
const failed = results.filter(({ passed }) => !passed);
console.log(`${results.length - failed.length} of ${results.length} scenarios pass`);
// What a revision does not require is reported; that it gets no worse is held by the page.
if (failed.some(({ scored }) => scored)) process.exitCode = 1;
if (wanted.length === 0) await holdPage(report());

/** Some scenarios measure delays, on a machine that others use as well: what fails three times in a row is broken. */
async function runPatiently(item) {
  for (let tries = 1; ; tries += 1) {
    const result = { ...item, tries, ...(await runScenario(item)) };
    if (result.passed || !item.scored || tries === 3) return result;
  }
}

async function runScenario({ scenario, revision }) {
  const output = await mkdtemp(path.join(os.tmpdir(), 'holt-conformance-'));
  try {
    // `exec`: the suite's time limit must reach the client, not a shell around it.
    const command = `exec ${process.execPath} ${path.join(folder, 'client.mjs')}`;
    const args = [
      path.join(suite, 'dist', 'index.js'),
      'client',
      '--scenario',
      scenario,
      '--spec-version',
      revision,
      '--force',
    ];
    const code = await run(suiteNode(), [...args, '--timeout', '30000', '--command', command, '-o', output]);
    return await judge(output, code);
  } finally {
    await rm(output, { recursive: true, force: true });
  }
}

/** Stricter than the suite: a warning or a client that exits with an error fails, and so does a run without one check passed. */
async function judge(output, code) {
  const written = await readdir(output, { recursive: true });
  const found = written.find((name) => path.basename(name) === 'checks.json');
  if (found === undefined) return { passed: false, counts: '-', trouble: 'the suite wrote no results' };
  const result = path.join(output, path.dirname(found));
  const checks = JSON.parse(await readFile(path.join(result, 'checks.json'), 'utf8'));
  const of = (status) => checks.filter((check) => check.status === status);
  const bad = [...of('FAILURE'), ...of('WARNING')];
  const ok = of('SUCCESS').length;
  const stderr = await readFile(path.join(result, 'stderr.txt'), 'utf8').catch(() => '');
  const said = bad.map(({ id, description, errorMessage }) => `${id}: ${errorMessage ?? description}`);
  return {
    passed: code === 0 && bad.length === 0 && ok > 0,
    counts: `${ok}/${ok + bad.length}`,
    trouble: [...said, `exit code ${code}`, stderr.trim()].join('\n').trim(),
  };
}

function run(program, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'ignore' });
    child.on('error', reject);
    child.on('exit', resolve);
  });
}

function suiteNode() {
  const own = path.join(folder, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
  if (existsSync(own)) return own;
  if (Number(process.versions.node.split('.')[0]) >= 22) return process.execPath;
  throw new Error('the suite needs Node 22 or later, and none is packaged for this machine');
}

function report() {
  const { version } = createRequire(import.meta.url)(path.join(suite, 'package.json'));
  const row = (cells) => `| ${cells.join(' | ')} |`;
  const outcome = ({ passed, counts }) => `${passed ? 'pass' : '**fail**'} ${counts}`;
  const cell = (scenario, revision) => {
    const result = results.find((entry) => entry.scenario === scenario && entry.revision === revision);
    return result === undefined ? '–' : outcome(result);
  };
  const scenarios = [...new Map(results.map(({ scenario, about }) => [scenario, about]))];
  return [
    '# Conformance',
    '',
    `Written by \`node tools/conformance/run.mjs --write\`, not by hand: the official suite (${version}), client side, each scenario on its own.`,
    'A scenario passes when none of its checks fails or warns, at least one passes, and the client ends as it must: without an error, or, where',
    'the login has to be refused, with the refusal. There is no list of expected failures. The client is',
    '[`tools/conformance/client.mjs`](../tools/conformance/client.mjs), built on the public library alone.',
    '',
    ...revisions.map((revision) => `- ${revision}: ${summary(revision)}`),
    '',
    row(['scenario', 'what it is about', ...revisions]),
    row(['---', '---', ...revisions.map(() => '---')]),
    ...scenarios.map(([scenario, about]) =>
      row([`\`${scenario}\``, about, ...revisions.map((revision) => cell(scenario, revision))]),
    ),
    '',
  ].join('\n');
}

function summary(revision) {
  const count = (scored) => {
    const here = results.filter((result) => result.revision === revision && result.scored === scored);
    return `${here.filter(({ passed }) => passed).length} of ${here.length}`;
  };
  return `${count(true)} required scenarios pass, and ${count(false)} that it does not require`;
}

async function holdPage(text) {
  const before = await readFile(page, 'utf8').catch(() => '');
  if (write) return writeFile(page, text);
  // How many checks a scenario makes depends on how often the client had to ask; what counts is the verdict.
  const verdicts = (words) => words.replaceAll(/ \d+\/\d+/g, '');
  if (verdicts(before) === verdicts(text)) return;
  console.log('docs/conformance.md says something else: run with --write');
  process.exitCode = 1;
}
