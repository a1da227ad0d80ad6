/** Runs the official suite's server scenarios against a URL, and starts the fixture that represents any MCP server. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const folder = path.dirname(fileURLToPath(import.meta.url));
const suite = path.join(folder, 'node_modules', '@modelcontextprotocol', 'conformance');
export const upstreamProgram = path.join(folder, 'upstream', 'main.ts');
export const revisions = ['2025-11-25', '2026-07-28'];

/** The suite and the fixture need a newer Node than holt. */
export function suiteNode() {
  const own = path.join(folder, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
  if (existsSync(own)) return own;
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  throw new Error('the suite needs Node 24 or later, and none is packaged for this machine');
}

/** Starts the fixture on a free port. `stop` ends it. */
export async function startUpstream(era = 'both') {
  const child = spawn(suiteNode(), [upstreamProgram, '--http', '0', '--era', era], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  for await (const line of createInterface({ input: child.stderr })) {
    const url = /^upstream: (\S+)$/.exec(line)?.[1];
    if (url !== undefined) return { url, stop: () => stop(child) };
  }
  throw new Error(`the fixture did not start (${child.exitCode ?? child.signalCode})`);
}

async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill();
  await once(child, 'exit');
}

/**
 * Runs all server scenarios of a revision. Resolves to one row for each: its name, whether the revision requires it, and how many
 * checks passed and failed. Throws if the suite ran other scenarios than those the revision names.
 */
export async function runServerSuite(url, revision) {
  const output = await mkdtemp(path.join(os.tmpdir(), 'holt-conformance-'));
  try {
    const args = ['server', '--requirements', revision, '--url', url, '-o', output];
    const child = spawn(suiteNode(), [path.join(suite, 'dist', 'index.js'), ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines = [];
    for await (const line of createInterface({ input: child.stdout })) lines.push(line);
    return readSummary(lines, revision);
  } finally {
    await rm(output, { recursive: true, force: true });
  }
}

function readSummary(lines, revision) {
  const required = requiredServerScenarios(revision);
  const summary = lines.slice(lines.lastIndexOf('=== SUMMARY ===') + 1);
  const rows = summary.flatMap((line) => {
    const match = /^([✓✗]) (\S+): (\d+) passed, (\d+) failed$/u.exec(line);
    if (match === null) return [];
    const [, mark, scenario, passed, failed] = match;
    const isRequired = required.includes(scenario);
    return [{ scenario, isRequired, passes: mark === '✓', passed: Number(passed), failed: Number(failed) }];
  });
  const missing = required.filter((name) => !rows.some(({ scenario }) => scenario === name));
  if (missing.length > 0) throw new Error(`the suite did not run ${missing.join(', ')}`);
  return rows;
}

/** The list under `server:` of the suite's own file; a parser for all of YAML is not needed for it. */
function requiredServerScenarios(revision) {
  const text = readFileSync(path.join(suite, 'requirements', `${revision}.yaml`), 'utf8');
  const [, list = ''] = /^server:\n((?: {2}- \S+\n|\s*#.*\n|\n)+)/m.exec(text) ?? [];
  return [...list.matchAll(/^ {2}- (\S+)$/gm)].map(([, name]) => name);
}
