/** Runs the built executable as a user would, in a separate home. */

import { execFile } from 'node:child_process';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const packageRoot = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))));
export const executable = path.join(packageRoot, 'dist', 'holt.cjs');

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Sandbox extends AsyncDisposable {
  readonly home: string;
  readonly project: string;
  /** Writes a file; `~/` is the home folder, `./` the project. */
  write(name: string, content: string | Uint8Array): Promise<string>;
  place(name: string): string;
  holt(...args: readonly string[]): Promise<Outcome>;
  json<Document = Record<string, unknown>>(...args: readonly string[]): Promise<Document>;
}

/** A home and a git project in a temporary folder, gone afterwards. */
export async function createSandbox(env: Readonly<Record<string, string>> = {}): Promise<Sandbox> {
  const folder = await fs.realpath(await fs.mkdtemp(path.join(os.tmpdir(), 'holt-test-')));
  const home = path.join(folder, 'home');
  const project = path.join(folder, 'project');
  await fs.mkdir(path.join(project, '.git'), { recursive: true });
  await fs.mkdir(home);
  const place = (name: string): string =>
    name.startsWith('~/') ? path.join(home, name.slice(2)) : path.join(project, name.replace(/^\.\//, ''));
  const holt = (...args: readonly string[]): Promise<Outcome> => runHolt(args, { cwd: project, home, env });
  return {
    home,
    project,
    place,
    holt,
    write: async (name, content) => {
      await fs.mkdir(path.dirname(place(name)), { recursive: true });
      await fs.writeFile(place(name), content);
      return place(name);
    },
    json: async <Document>(...args: readonly string[]) => {
      const { stdout } = await holt(...args, '--json');
      return JSON.parse(stdout) as Document; // the test says what it expects
    },
    [Symbol.asyncDispose]: () => fs.rm(folder, { recursive: true, force: true }),
  };
}

interface RunOptions {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
}

function runHolt(args: readonly string[], { cwd, home, env }: RunOptions): Promise<Outcome> {
  return new Promise((resolve) => {
    const full = { PATH: process.env['PATH'] ?? '', HOME: home, ...env };
    const child = execFile(
      process.execPath,
      [executable, ...args],
      { cwd, env: full, maxBuffer: 1 << 26 },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
        resolve({ code, stdout, stderr });
      },
    );
    child.stdin?.end();
  });
}
