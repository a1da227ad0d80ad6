/** Runs compiled programs in a home of their own, which knows the servers that the docs name. */

import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { differences } from './expected.mjs';
import { folder } from './projects.mjs';

const fixtures = path.join(folder, '..', '..', 'tests', 'fixtures', 'auth');

/** Starts what the programs connect to as well: `holt serve`, a server that needs a login, and its provider. */
export async function openHome() {
  const home = mkdtempSync(path.join(os.tmpdir(), 'holt-sdks-'));
  const env = { PATH: process.env.PATH, HOME: home, TMPDIR: os.tmpdir() };
  const children = [];
  const start = async (args) => {
    const child = spawn(process.execPath, args, { cwd: home, env });
    children.push(child);
    return firstLine(child);
  };
  const close = async () => {
    await Promise.all(children.map((child) => stop(child)));
    rmSync(home, { recursive: true, force: true });
  };
  try {
    const { url: issuer } = JSON.parse(await start([path.join(fixtures, 'oidc-provider.mjs')]));
    const guarded = [path.join(fixtures, 'guarded-server.mjs'), JSON.stringify({ issuer })];
    const { url } = JSON.parse(await start(guarded));
    writeServers(path.join(home, '.holt'), url);
    const holt = path.join(folder, 'node_modules', 'holt', 'dist', 'holt.cjs');
    await start([holt, 'config', 'set', 'permissions', '{"allow": ["mcp__notes"]}']);
    await start([holt, 'serve', '--port', '0']);
    // The program of the docs reads the file of the usual port, which another service of this machine may have.
    const running = path.join(home, '.holt', 'run');
    const file = readdirSync(running).find((name) => /^\d+\.json$/.test(name));
    copyFileSync(path.join(running, file), path.join(running, '7420.json'));
  } catch (error) {
    await close();
    throw error;
  }
  return { home, env, close };
}

function writeServers(settings, wiki) {
  const notes = { command: process.execPath, args: [path.join(folder, 'servers', 'notes.mjs')] };
  const mcpServers = { notes, otter: notes, wiki: { type: 'http', url: wiki } };
  mkdirSync(settings);
  writeFileSync(path.join(settings, 'mcp.json'), JSON.stringify({ mcpServers }));
}

function firstLine(child) {
  return new Promise((resolve, reject) => {
    let printed = '';
    child.stderr.on('data', (chunk) => {
      printed += chunk;
    });
    child.stdout.on('data', (chunk) => {
      printed += chunk;
      if (printed.includes('\n')) resolve(printed.split('\n')[0]);
    });
    child.once('exit', () => reject(new Error(`${child.spawnargs.join(' ')} ended: ${printed}`)));
  });
}

async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => {
    child.once('exit', resolve);
  });
  child.kill();
  await ended;
}

/** Returns what is wrong, or undefined. A program that shows a login page is answered by a user without eyes. */
export async function runPlain(node, program, { home, env }) {
  const onOutput = (text) => {
    const [, device, code] = /(http\S+): (\S+)\n/.exec(text) ?? [];
    if (device === undefined) return false;
    const url = `${device}?user_code=${code}`;
    void run(process.execPath, [path.join(fixtures, 'browser.mjs'), url], { cwd: home, env });
    return true;
  };
  const { code, output } = await run(node, [program], { cwd: home, env }, onOutput);
  return code === 0 ? undefined : `exit code ${code}\n${output}`;
}

/** Returns what is wrong, or undefined. */
export async function runWithModel(node, { kind, program }, { home, env }) {
  const args = [path.join(folder, 'drive.mjs'), kind, program];
  const { code, stdout, output } = await run(node, args, { cwd: home, env });
  if (code !== 0) return `exit code ${code}\n${output}`;
  const wrong = differences(kind, JSON.parse(stdout.trimEnd().split('\n').at(-1)));
  return wrong.length === 0 ? undefined : wrong.join('\n');
}

/** `onOutput` is called with all output so far until it returns true. */
export function run(program, args, options = {}, onOutput = () => true) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: 120_000, ...options });
    let stdout = '';
    let output = '';
    let done = false;
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      stdout += chunk;
      output += chunk;
      done ||= onOutput(output);
    });
    child.stderr.setEncoding('utf8').on('data', (chunk) => {
      output += chunk;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, output }));
  });
}
