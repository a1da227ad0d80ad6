/** Login providers, servers that require a login, a headless browser, and the running command. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import readline from 'node:readline';

import { executable, packageRoot, type Sandbox } from './holt-command.ts';

const folder = path.join(packageRoot, 'tests', 'fixtures', 'auth');
export const browserProgram = path.join(folder, 'browser.mjs');

/** One request that a provider saw, and its answer. Everything in clear: it is the provider's own log. */
export interface LogEntry {
  readonly event: string;
  readonly at: number;
  readonly status?: number;
  readonly params: Readonly<Record<string, string>>;
  readonly client?: string;
  readonly authorization?: string;
  readonly answer?: Readonly<Record<string, unknown>>;
}

export interface SeenRequest {
  readonly method: string;
  readonly authorization?: string;
  readonly status: number;
}

export interface AuthFixture extends AsyncDisposable {
  readonly url: string;
  /** What a provider saw, or only the entries of these events. */
  log(...events: readonly string[]): Promise<readonly LogEntry[]>;
  /** What a guarded server saw. */
  requests(): Promise<readonly SeenRequest[]>;
  post(place: string, body?: unknown): Promise<void>;
}

/** `oidc-provider`, `odd-provider` or `guarded-server`, as a process that ends with the test. */
export async function startAuth(name: string, options: object = {}): Promise<AuthFixture> {
  const child = spawn(process.execPath, [path.join(folder, `${name}.mjs`), JSON.stringify(options)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const gone = once(child, 'exit');
  const [line] = (await once(readline.createInterface({ input: child.stdout }), 'line')) as [string]; // readline gives texts
  const { url } = JSON.parse(line) as { readonly url: string }; // the first line of every fixture
  const read = async <Value>(place: string): Promise<Value> =>
    (await (await fetch(new URL(place, url.replace(/^ws/, 'http')))).json()) as Value; // the fixtures are ours
  return {
    url,
    log: async (...events) => {
      const all = await read<readonly LogEntry[]>('/log');
      return events.length === 0 ? all : all.filter(({ event }) => events.includes(event));
    },
    requests: async () => (await read<{ readonly requests: readonly SeenRequest[] }>('/facts')).requests,
    post: async (place, body = {}) =>
      void (await fetch(new URL(place, url), { method: 'POST', body: JSON.stringify(body) })),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await gone;
    },
  };
}

export interface PageSeen {
  readonly url: string;
  readonly status?: number;
  readonly text?: string;
}

/** Walks through a provider's pages. `--deny` and `--stop-at` come before the address. */
export async function browse(...args: readonly string[]): Promise<PageSeen> {
  const child = spawn(process.execPath, [browserProgram, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  await once(child, 'close');
  return JSON.parse(text) as PageSeen; // what the program prints
}

export interface RunningHolt extends AsyncDisposable {
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** The first match in what was printed so far, on both streams, as soon as there is one. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  interrupt(): void;
  readonly exited: Promise<number>;
}

/** The command with pipes for streams, to look at while it waits. Its input stays open. */
export function startHolt(
  sandbox: Sandbox,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): RunningHolt {
  const child = spawn(process.execPath, [executable, ...args], {
    cwd: sandbox.project,
    env: { PATH: process.env['PATH'] ?? '', HOME: sandbox.home, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  let wake: () => void = () => undefined;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    wake();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    wake();
  });
  let over = false;
  const exited = once(child, 'close').then(([code]: unknown[]) => {
    over = true;
    wake();
    return typeof code === 'number' ? code : -1;
  });
  return {
    stdout: () => stdout,
    stderr: () => stderr,
    exited,
    interrupt: () => void child.kill('SIGINT'),
    printed: async (pattern) => {
      for (;;) {
        const found = pattern.exec(`${stdout}\n${stderr}`);
        if (found !== null) return found;
        if (over) throw new Error(`it ended without printing ${String(pattern)}:\n${stdout}\n${stderr}`);
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

export interface StoredLogin {
  readonly serverUrl: string;
  readonly issuer?: string;
  readonly resource?: string;
  readonly tokens?: {
    readonly access: string;
    readonly refresh?: string;
    readonly expiresAt?: number;
    readonly scope?: string;
  };
  readonly client?: { readonly id: string; readonly secret?: string };
  readonly pending?: unknown;
}

/** What is stored, by id; nothing when there is no file. */
export async function storedLogins(sandbox: Sandbox): Promise<Readonly<Record<string, StoredLogin>>> {
  const text = await readFile(sandbox.place('~/.holt/credentials.json'), 'utf8').catch(() => undefined);
  if (text === undefined) return {};
  return (JSON.parse(text) as { readonly credentials: Readonly<Record<string, StoredLogin>> }).credentials; // holt's own file
}

export async function modeOf(file: string): Promise<string> {
  return ((await stat(file)).mode & 0o777).toString(8);
}

/** Servers of the person's own, in holt's file. */
export async function configure(sandbox: Sandbox, servers: Readonly<Record<string, object>>): Promise<void> {
  await sandbox.write('~/.holt/mcp.json', JSON.stringify({ mcpServers: servers }));
}
