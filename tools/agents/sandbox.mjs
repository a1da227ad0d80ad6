/**
 * A temporary home and project for one agent and holt. Programs see nothing of the real home and reach no network:
 * where the machine allows it they run in a network namespace without interfaces, else their proxies are a closed port.
 */

import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const closedPort = 'http://127.0.0.1:9';

const withoutNetwork = [['unshare', '-n'], ['unshare', '-rn'], []].find(
  ([command, ...args]) => command === undefined || spawnSync(command, [...args, 'true']).status === 0,
);

export const isolation =
  withoutNetwork.length > 0
    ? 'in a network namespace without interfaces'
    : 'with proxy variables that name a closed port';

const quiet = {
  CI: '1',
  NO_COLOR: '1',
  TERM: 'dumb',
  LANG: 'C.UTF-8',
  DO_NOT_TRACK: '1',
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
  DISABLE_AUTOUPDATER: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  GEMINI_TELEMETRY_ENABLED: 'false',
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_MODELS_FETCH: '1',
  OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
};

export function openSandbox(driver, scope) {
  // Real paths: agents resolve links before they compare folders.
  const folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), `holt-agents-${driver.id}-${scope}-`)));
  const home = path.join(folder, 'home');
  const project = path.join(folder, 'project');
  for (const each of [home, project, path.join(folder, 'cache')]) mkdirSync(each);
  spawnSync('git', ['init', '-q', project]);
  const env = {
    ...quiet,
    ...proxies(),
    ...driver.env,
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: home,
    XDG_CACHE_HOME: path.join(folder, 'cache'),
  };
  const sandbox = {
    home,
    project,
    started: path.join(folder, 'started'),
    agent: (args, options) => run([...driver.program(), ...args], { cwd: project, env, ...options }),
    holt: (args, options) =>
      run([process.execPath, path.join(root, 'dist', 'holt.cjs'), ...args], {
        cwd: project,
        env,
        ...options,
      }),
    read: (file) => readOr(file, undefined),
    write: (file, text) => {
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, text);
    },
    close: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
  driver.prepare?.(sandbox);
  return sandbox;
}

function proxies() {
  if (withoutNetwork.length > 0) return {};
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];
  return Object.fromEntries(names.map((name) => [name, closedPort]));
}

export function readOr(file, fallback) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return fallback;
    throw error;
  }
}

/**
 * Runs a program to its end, to its time limit, or until something was seen and a grace period has passed; its whole
 * process group ends with it. Never rejects.
 */
function run(command, { cwd, env, seconds = 60, more = {}, until, grace = 0 }) {
  const [program, ...args] = [...withoutNetwork, ...command];
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd,
      env: { ...env, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'])
      child[name].setEncoding('utf8').on('data', (text) => {
        output[name] += text;
      });
    const end = () => {
      const { pid } = child;
      if (pid === undefined) return;
      try {
        process.kill(-pid, 'SIGKILL');
      } catch {
        // The group is gone already.
      }
    };
    let timedOut = false;
    let last;
    const look = setInterval(() => {
      if (until === undefined || !until()) return;
      clearInterval(look);
      last = setTimeout(end, grace * 1000);
    }, 100);
    const limit = setTimeout(() => {
      timedOut = true;
      end();
    }, seconds * 1000);
    const finish = (code) => {
      clearTimeout(limit);
      clearTimeout(last);
      clearInterval(look);
      end();
      const plain = (text) => text.replaceAll(/\x1b\[[0-9;?]*[a-zA-Z]/g, '');
      resolve({
        code: timedOut ? `no end within ${seconds} s` : code,
        stdout: plain(output.stdout),
        stderr: plain(output.stderr),
      });
    };
    child.on('error', () => finish('not started'));
    child.on('exit', end);
    child.on('close', finish);
  });
}
