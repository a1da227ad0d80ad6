/** What `npm start` shows: every MCP server on this machine, or the example server at work when there is none. */

import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const holt = path.join(path.dirname(path.dirname(fileURLToPath(import.meta.url))), 'dist', 'holt.cjs');
const run = (args, stdio = 'inherit') =>
  spawnSync(process.execPath, [holt, ...args], { stdio, encoding: 'utf8' });

const { servers } = JSON.parse(run(['list', '--json'], 'pipe').stdout);
if (servers.length > 0) {
  process.exitCode = run([]).status ?? 1;
} else {
  run(['--example']);
  console.log('\nholt connects to it:\n');
  run(['status', '--example']);
  console.log('\nand calls one of its tools:\n');
  process.exitCode = run(['call', 'example.greet', 'name=you', '--example']).status ?? 1;
}
