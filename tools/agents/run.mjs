/**
 * `node tools/agents/run.mjs [--write] [AGENT…]`: installs agents from npm and lets each of them and holt write, read,
 * switch and remove servers in a temporary home. `--write` records the results in docs/agents.md; without it a full run
 * also fails when that page says something else.
 */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { installSideFolder } from '../install.mjs';
import { checkScope } from './checks.mjs';
import { claudeCode } from './drivers/claude-code.mjs';
import { codex } from './drivers/codex.mjs';
import { copilotCli } from './drivers/copilot-cli.mjs';
import { gemini } from './drivers/gemini.mjs';
import { opencode } from './drivers/opencode.mjs';
import { isInstalled } from './drivers/programs.mjs';
import { qwen } from './drivers/qwen.mjs';
import { pageOf } from './page.mjs';
import { isolation } from './sandbox.mjs';

const folder = path.dirname(fileURLToPath(import.meta.url));
const page = path.join(folder, '..', '..', 'docs', 'agents.md');
const drivers = [claudeCode, codex, gemini, opencode, qwen, copilotCli];
const write = process.argv.includes('--write');
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const unknown = wanted.filter((id) => !drivers.some((driver) => driver.id === id));
if (unknown.length > 0)
  throw new Error(`Unknown agent "${unknown[0]}". Use: ${drivers.map(({ id }) => id).join(', ')}.`);

installSideFolder(folder);
console.log(`agents run ${isolation}`);
const chosen = drivers.filter(({ id }) => wanted.length === 0 || wanted.includes(id));
const missing = chosen.filter(({ package: name }) => !isInstalled(name));
for (const { id } of missing) console.log(`${id}: the registry has no program for this machine`);

const present = chosen.filter((driver) => !missing.includes(driver));
const queue = present.flatMap((driver) => driver.scopes.map((scope) => ({ driver, scope })));
const results = [];
// Two at a time: agents mostly wait, and more would run into their own limits on a small machine.
await Promise.all([work(), work()]);

const failed = results.filter(({ outcome }) => outcome === 'fail');
console.log(`${results.length - failed.length} of ${results.length} checks are as they should be`);
if (failed.length > 0) process.exitCode = 1;
if (wanted.length === 0 && missing.length === 0) holdPage(pageOf(drivers, results));

async function work() {
  for (let next = queue.shift(); next !== undefined; next = queue.shift())
    results.push(...(await checkScope(next.driver, next.scope, tell)));
}

function tell({ agent, scope, check, outcome, reason }) {
  const why = reason === undefined ? '' : `  ${reason}`;
  console.log(`${outcome.padEnd(14)} ${agent.padEnd(12)} ${scope.padEnd(8)} ${check}${why}`);
}

function holdPage(text) {
  const before = existsSync(page) ? readFileSync(page, 'utf8') : '';
  if (before === text) return;
  if (write) return writeFileSync(page, text);
  console.log('docs/agents.md says something else: run with --write');
  process.exitCode = 1;
}
