/**
 * `node scripts/show-failures.mjs LOG passed|failed`: prints the few lines of a step's output that say what failed and why, and the tests
 * that passed only after a retry. CI shows little of what is printed, so this must be short.
 */

import { readFileSync } from 'node:fs';

const most = 40;
// eslint-disable-next-line no-control-regex -- colours of programs that do not know NO_COLOR
const lines = readFileSync(process.argv[2], 'utf8')
  .replaceAll(/\u001B\[[0-9;]*m/g, '')
  .split('\n');
const failed = process.argv[3] === 'failed';

const again = lines.filter((line) => /\(retry x\d\)/.test(line));
for (const line of again.slice(0, 10)) console.log(`        retried: ${line.trim()}`);
if (failed) {
  const telling = lines.filter(
    (line) =>
      /^\s*(FAIL|FAILED|✗|×|❯|AssertionError|Error:|TypeError|HoltError|[-+] )/.test(line) ||
      /says something else|differs|not fresh/i.test(line),
  );
  const shown = telling.length > 0 ? [...new Set(telling)].slice(0, most) : lines.slice(-most);
  for (const line of shown) console.log(`        ${line.trimEnd().slice(0, 200)}`);
}
