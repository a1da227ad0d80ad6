/** Reading the configuration: more files with one server each, and more servers in the same files. */

import { loadServers } from '../../dist/index.js';
import { createHome } from '../homes.ts';

import type { Bench, Subject } from './curve.ts';
import { createTemporaryHome } from './home.ts';

/** So often that each size has about as much to do: who does little at a time would never pay for collecting its garbage. */
const timesAt = (size: number): number => Math.max(1, Math.round(200 / size));

export const sources: Subject = {
  curves: [{ id: 'sources', title: 'Read config files', counts: 'files', allowed: 'linear' }],
  sizes: [1, 8, 24, 48, 100, 200],
  warmUps: 5,
  rounds: 7,
  open: async (size) => {
    const home = await createTemporaryHome();
    for (let at = 0; at < size; at += 1) {
      const make = kinds[at % kinds.length];
      if (make !== undefined) await home.write(...make(`s${at}`));
    }
    return reading('sources', { home: home.path, cwd: home.path, size, expected: size, close: home.remove });
  },
};

/** Folders in which agents read every file there is. */
const kinds: readonly ((name: string) => readonly [file: string, text: string])[] = [
  (name) => [`.continue/mcpServers/${name}.json`, mapOf(name)],
  (name) => [
    `.continue/mcpServers/${name}.yaml`,
    `name: ${name}\nversion: 0.0.1\nschema: v1\nmcpServers:\n  - name: ${name}\n    command: npx\n    args: [-y, ${name}-mcp]\n`,
  ],
  (name) => [`.kiro/agents/${name}.json`, mapOf(name)],
  (name) => [`.aws/amazonq/cli-agents/${name}.json`, mapOf(name)],
];

function mapOf(name: string): string {
  const entry = { command: 'npx', args: ['-y', `${name}-mcp@1.2.3`], env: { LEVEL: 'info' } };
  return JSON.stringify({ name, mcpServers: { [name]: entry } }, undefined, 2);
}

export const configServers: Subject = {
  curves: [{ id: 'config-servers', title: 'Read servers in 23 files', counts: 'servers', allowed: 'linear' }],
  sizes: [10, 50, 200, 500, 1000, 2000],
  warmUps: 5,
  rounds: 7,
  open: async (size) => {
    const home = await createHome(size);
    const close = async (): Promise<void> => home[Symbol.asyncDispose]();
    return reading('config-servers', { home: home.home, cwd: home.project, size, expected: size, close });
  },
};

interface Reading {
  readonly home: string;
  readonly cwd: string;
  readonly size: number;
  readonly expected: number;
  readonly close: () => Promise<void>;
}

async function reading(id: string, { home, cwd, size, expected, close }: Reading): Promise<Bench> {
  const { servers, problems } = await loadServers({ home, cwd });
  if (servers.length !== expected)
    throw new Error(`${servers.length} servers of ${expected}: ${JSON.stringify(problems.slice(0, 3))}`);
  const times = timesAt(size);
  const readAll = async (): Promise<void> => {
    for (let at = 0; at < times; at += 1) await loadServers({ home, cwd });
  };
  return { run: (take) => take(id, readAll, times), close };
}
