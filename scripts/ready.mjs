/** Brings a clone to where it can run: installs when the lock file changed, builds when a source changed, else does nothing. */

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const erased = '\r\u001b[2K';
const stamps = path.join(root, 'node_modules', '.holt');

await step('install', ['package.json', 'package-lock.json'], 'node_modules', () =>
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund']),
);
await step(
  'build',
  ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json', 'src', 'scripts'],
  'dist',
  () => run(process.execPath, [path.join(root, 'scripts', 'build.mjs')]),
);

async function step(name, inputs, output, work) {
  const stamp = path.join(stamps, name);
  const wanted = `${process.version} ${fingerprint(inputs)}`;
  const done =
    existsSync(path.join(root, output)) && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
  if (done) return;
  await showing(name, work);
  mkdirSync(stamps, { recursive: true });
  writeFileSync(stamp, wanted);
}

/** A hash over names and contents; test files do not count, they are not built. */
function fingerprint(inputs) {
  const hash = createHash('sha256');
  for (const input of inputs) addTo(hash, input);
  return hash.digest('hex');
}

function addTo(hash, name) {
  const full = path.join(root, name);
  if (statSync(full).isDirectory()) {
    for (const inner of readdirSync(full).toSorted()) addTo(hash, path.join(name, inner));
  } else if (!name.endsWith('.test.ts')) {
    hash.update(name).update('\0').update(readFileSync(full)).update('\0');
  }
}

/** On a terminal the seconds go on, so that a long installation does not look like one that hangs. */
async function showing(name, work) {
  const { stderr } = process;
  stderr.write(`holt: ${name}…${stderr.isTTY ? '' : '\n'}`);
  const startedAt = Date.now();
  const show = () => stderr.write(`${erased}holt: ${name}… ${Math.floor((Date.now() - startedAt) / 1000)} s`);
  const timer = stderr.isTTY ? setInterval(show, 1000) : undefined;
  const { status, output } = await work();
  clearInterval(timer);
  stderr.write(stderr.isTTY ? `${erased}${output}` : output);
  if (status !== 0) process.exit(status ?? 1);
}

/**
 * The packages' own output goes to stderr: stdout belongs to what was asked for. On a terminal it is shown at the end, so that
 * it does not get mixed up with the seconds.
 */
function run(command, args) {
  const out = process.stderr.isTTY ? 'pipe' : 2;
  const shell = process.platform === 'win32';
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', out, out], shell });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ status: 1, output: `${error.message}\n` }));
    child.on('close', (status) => resolve({ status, output }));
  });
}
