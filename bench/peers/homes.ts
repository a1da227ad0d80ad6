/** A home in which every command line that is measured finds the same servers, in its own file. */

import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

export interface PeersHome extends AsyncDisposable {
  readonly path: string;
}

export async function createPeersHome(servers: number, node: string): Promise<PeersHome> {
  const home = await fs.mkdtemp(path.join(os.tmpdir(), 'holt-bench-'));
  const server = path.join(import.meta.dirname, '..', 'programs', 'plain-server.mjs');
  const entry = { command: node, args: [server] };
  const map = (given: object): object =>
    Object.fromEntries(Array.from({ length: servers }, (_, at) => [`s${at}`, given]));
  const saved = {
    type: 'stdio',
    ...entry,
    lastUsed: '2026-01-01T00:00:00.000Z',
    serverInfo: { name: 'plain', version: '1.0.0' },
    capabilities: { tools: {} },
  };
  await write(path.join(home, '.holt', 'mcp.json'), { mcpServers: map(entry) });
  await write(path.join(home, '.mcporter', 'mcporter.json'), { mcpServers: map(entry) });
  await write(path.join(home, '.mcp-use', 'cli-sessions.json'), { sessions: map(saved) });
  return { path: home, [Symbol.asyncDispose]: () => fs.rm(home, { recursive: true, force: true }) };
}

async function write(file: string, content: object): Promise<void> {
  await fs.mkdir(path.dirname(file), { recursive: true });
  await fs.writeFile(file, JSON.stringify(content, undefined, 2));
}
