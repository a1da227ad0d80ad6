/** What a test with real servers needs: a folder of its own, started programs, and the SDK's plain client. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';

import {
  Client,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Tool,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

import { programPath, type ZooRemote, type ZooServer } from './zoo.ts';

/** In the environment of every program that holt starts here. */
export const markName = 'HOLT_TEST_MARK';

export interface Folder extends Disposable {
  readonly path: string;
}

export function temporaryFolder(): Folder {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'holt-zoo-'));
  return { path: folder, [Symbol.dispose]: () => fs.rmSync(folder, { recursive: true, force: true }) };
}

export interface StdioEntry {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export function stdioEntry(server: ZooServer, folder: string, mark: string): StdioEntry {
  const args = [
    programPath(server.program),
    ...server.stdio.map((argument) => argument.replace('{folder}', folder)),
  ];
  return {
    command: process.execPath,
    args,
    env: { [markName]: mark, MEMORY_FILE_PATH: path.join(folder, 'memory.jsonl') },
  };
}

/** A remote server that listens; its end is waited for. */
export async function startRemote(
  server: ZooServer,
  remote: ZooRemote,
): Promise<AsyncDisposable & { readonly url: string }> {
  const port = await freePort();
  const { args, env } = remote.listen(port);
  const child = spawn(process.execPath, [programPath(server.program), ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  await new Promise<void>((resolve, reject) => {
    let printed = '';
    const take = (chunk: Buffer): void => {
      printed += chunk.toString();
      if (remote.ready.test(printed)) resolve();
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.on('exit', (code) => reject(new Error(`${server.name} ended with ${code}: ${printed}`)));
  });
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

/**
 * What the SDK's own client lists, with nothing of holt in between. It can answer about roots, as holt can: some servers
 * offer a tool more to those who do.
 */
export async function listWithSdk(transport: Transport): Promise<readonly Tool[]> {
  const client = new Client(
    { name: 'plain', version: '0' },
    { capabilities: { roots: {} }, versionNegotiation: { mode: 'auto', probe: { timeoutMs: 10_000 } } },
  );
  client.setRequestHandler('roots/list', () => ({ roots: [] }));
  try {
    await client.connect(
      transport,
      transport instanceof SSEClientTransport ? { prior: { kind: 'legacy' } } : {},
    );
    return (await client.listTools()).tools;
  } finally {
    await client.close();
  }
}

export function plainStdio({ command, args, env }: StdioEntry): Transport {
  return new StdioClientTransport({ command, args: [...args], env: { ...env }, stderr: 'ignore' });
}

export function plainRemote(remote: ZooRemote, url: string): Transport {
  return remote.transport === 'sse'
    ? new SSEClientTransport(new URL(url))
    : new StreamableHTTPClientTransport(new URL(url));
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
