/** Setup for tests with real servers: a temporary folder with a few files, and started programs. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';

import { programPath, type ZooRemote, type ZooServer } from './zoo-server.ts';

/** In the environment of every program that holt starts here. */
export const markName = 'HOLT_TEST_MARK';

export interface Folder extends Disposable {
  readonly path: string;
}

export function temporaryFolder(): Folder {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'holt-zoo-'));
  fs.writeFileSync(path.join(folder, 'code.js'), 'var answer = 42;\n');
  fs.writeFileSync(path.join(folder, 'eslint.config.js'), "module.exports = [{ rules: { 'no-var': 2 } }];\n");
  return { path: folder, [Symbol.dispose]: () => fs.rmSync(folder, { recursive: true, force: true }) };
}

/** The same, with the folder's path in place of `{folder}` wherever that stands. */
export function inFolder<Value>(value: Value, folder: string): Value {
  const text = JSON.stringify(value).replaceAll('{folder}', JSON.stringify(folder).slice(1, -1));
  return JSON.parse(text) as Value; // the same shape: only texts are others
}

export interface StdioEntry {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

export function stdioEntry(server: ZooServer, folder: string, mark: string): StdioEntry {
  return {
    command: process.execPath,
    args: [programPath(server), ...inFolder(server.args, folder)],
    env: { ...ownEnvironment(server, folder), [markName]: mark },
    cwd: folder,
  };
}

/**
 * No program writes into the home of who runs the tests, or counts them; and none paints its answers, as some do under a
 * CI with a terminal's name: holt takes colours out, the SDK does not.
 */
function ownEnvironment({ env }: ZooServer, folder: string): Record<string, string> {
  return { HOME: folder, DO_NOT_TRACK: '1', NO_COLOR: '1', TERM: 'dumb', ...inFolder(env, folder) };
}

/** A remote server that listens; its end is waited for. */
export async function startRemote(
  server: ZooServer,
  remote: ZooRemote,
  folder: string,
): Promise<AsyncDisposable & { readonly url: string }> {
  const port = await freePort();
  const { args, env } = remote.listen(port);
  const child = spawn(process.execPath, [programPath(server), ...args], {
    // Not all of ours: a test runner's variables make some programs quiet.
    env: { PATH: process.env['PATH'], ...ownEnvironment(server, folder), ...env },
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  // Before the test's own limit: that one would leave the program running.
  const patience = setTimeout(() => child.kill('SIGKILL'), 30_000);
  await new Promise<void>((resolve, reject) => {
    let printed = '';
    const take = (chunk: Buffer): void => {
      printed += chunk.toString();
      if (remote.ready.test(printed)) resolve();
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.on('exit', (code) => reject(new Error(`${server.package} ended with ${code}: ${printed}`)));
  }).finally(() => clearTimeout(patience));
  return {
    url: `http://localhost:${port}${remote.path}`,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function freePort(): Promise<number> {
  const probe = net.createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as net.AddressInfo; // a TCP server that listens has one
  probe.close();
  await once(probe, 'close');
  return port;
}

/** Processes that this one has started and that are still there. */
export function ownChildren(): readonly string[] {
  const threads = fs.readdirSync('/proc/self/task');
  const children = threads.map((thread) => fs.readFileSync(`/proc/self/task/${thread}/children`, 'utf8'));
  return children
    .join(' ')
    .split(' ')
    .filter((pid) => pid !== '')
    .toSorted();
}
