/** Everything a machine can check besides the tests: format, lint, types, unused code, the package. */

import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const bin = (name) => path.join(root, 'node_modules', '.bin', name);

const checks = [
  ['format', bin('oxfmt'), ['--check']],
  ['types', bin('tsc'), ['--noEmit']],
  ['lint', bin('oxlint'), ['--type-aware', '--deny-warnings']],
  ['unused code', bin('knip'), []],
  ['package', bin('publint'), ['--strict']],
  ['types of the package', bin('attw'), ['--pack', '.', '--profile', 'esm-only']],
];
const failed = checks.filter(([name, command, args]) => {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${name}`);
  if (status !== 0) console.log(`${stdout}${stderr}`.trimEnd());
  return status !== 0;
});
process.exitCode = failed.length === 0 ? 0 : 1;
