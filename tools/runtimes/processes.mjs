/** Runs one program in a temporary home with config files, then looks for processes that it left behind. */

import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { makeHome } from './project.mjs';

/** Against programs that hang. webpack needs half a minute of processor time, and much longer on a busy machine. */
const longestMs = 600_000;

/** Resolves to what the program printed. Rejects when it ends with another code or leaves a process behind. */
export async function run([program, ...args], { cwd, exitCode = 0 }) {
  const home = mkdtempSync(path.join(os.tmpdir(), 'holt-runtimes-home-'));
  try {
    makeHome(home);
    // Processes inherit the path, also those that get no other variable: that is how they are found.
    const env = { HOME: home, PATH: `${path.join(home, 'bin')}:${process.env.PATH}`, NO_COLOR: '1' };
    const { code, stdout, stderr } = await new Promise((resolve) => {
      execFile(program, args, { cwd, env, timeout: longestMs, maxBuffer: 1 << 26 }, (error, out, err) => {
        resolve({ code: error === null ? 0 : error.code, stdout: out, stderr: err });
      });
    });
    if (code !== exitCode)
      throw new Error(`${program} ${args.join(' ')} ended with ${code}:\n${stdout}${stderr}`);
    const left = processesWith(home);
    if (left.length > 0) throw new Error(`processes are left: ${left.join(', ')}`);
    return { stdout, stderr };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Command lines of processes whose environment names the folder. */
function processesWith(home) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && readQuietly(`/proc/${name}/environ`).includes(home))
    .map((name) => readQuietly(`/proc/${name}/cmdline`).replaceAll('\0', ' ').trim());
}

function readQuietly(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // it has ended, or belongs to somebody else
  }
}
