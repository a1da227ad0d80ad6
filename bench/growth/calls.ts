/** Calls: many concurrent ones over both transports, and results from 1 kB to 50 MB. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

import { openHost } from '../../dist/index.js';
import { type Host } from '../../src/host/host.ts';
import type { ServerConfig } from '../../src/roster/server-config.ts';

import type { Bench, Subject } from './curve.ts';
import { createTemporaryHome } from './home.ts';

const program = path.join(import.meta.dirname, '..', 'programs', 'call-server.mjs');
const commandArgs = (transport: string): string[] => [program, transport, 'stateful'];

export const stdioCalls = concurrentCalls('stdio', 2048);
export const httpCalls = concurrentCalls('http', 512);

/** The cost of a size is that of one call for each that is in flight: linear when a call costs the same in any crowd. */
function concurrentCalls(transport: 'stdio' | 'http', callCount: number): Subject {
  const id = `calls-${transport}`;
  return {
    curves: [{ id, title: `Calls at once over ${transport}`, counts: 'in flight', allowed: 'linear' }],
    sizes: [1, 4, 16, 64, 128, 256],
    warmUps: 1,
    rounds: 5,
    open: async (size) => {
      const { host, close } = await (transport === 'stdio' ? openLocal() : openRemote());
      const callAll = async (): Promise<void> => {
        let left = callCount;
        const caller = async (): Promise<void> => {
          while (left-- > 0) await host.call('mcp__s__echo', { text: 'hello' });
        };
        await Promise.all(Array.from({ length: size }, caller));
      };
      return { run: (take) => take(id, callAll, callCount / size), close };
    },
  };
}

export const results: Subject = {
  curves: [{ id: 'results', title: 'One long result', counts: 'bytes', allowed: 'linear' }],
  // In between a text stays in the processor's caches and is short enough for a model; longer ones go to a file as well.
  sizes: [1e3, 1e6, 2e6, 5e6, 15e6, 50e6],
  warmUps: 2,
  rounds: 7,
  open: async (size) => {
    const { host, close } = await openLocal();
    // So often that each size has as much to do: who does little at a time would never pay for collecting its garbage.
    const times = Math.min(400, Math.max(1, Math.round(50e6 / size)));
    const callAll = async (): Promise<void> => {
      for (let at = 0; at < times; at += 1) {
        const { content } = await host.call('mcp__s__long', { bytes: size });
        const [block] = content;
        if (block?.type !== 'text' || block.text.length !== size) throw new Error('not the whole text came');
      }
    };
    return { run: (take) => take('results', callAll, times), close };
  },
};

interface Opened extends Pick<Bench, 'close'> {
  readonly host: Pick<Host, 'call'>;
}

async function openLocal(): Promise<Opened> {
  return openWith({ command: process.execPath, args: commandArgs('stdio') });
}

async function openRemote(): Promise<Opened> {
  const child = spawn(process.execPath, commandArgs('http'), { stdio: ['pipe', 'pipe', 'inherit'] });
  const [said] = (await once(child.stdout, 'data')) as [Buffer]; // nothing decodes it
  const { host, close } = await openWith({ type: 'http', url: said.toString().trim() });
  return {
    host,
    close: async () => {
      await close();
      const ended = once(child, 'exit');
      child.stdin.end();
      await ended;
    },
  };
}

async function openWith(entry: ServerConfig): Promise<Opened> {
  const home = await createTemporaryHome();
  // One message may weigh 16 MiB unless the user says otherwise.
  await home.write('.holt/config.json', JSON.stringify({ limits: { messageBytes: 64 << 20 } }));
  const host = await openHost({
    home: home.path,
    cwd: home.path,
    policy: { default: 'allow' },
    servers: { s: entry },
  });
  const status = await host.connect('s');
  if (status.status !== 'connected') throw new Error(JSON.stringify(status));
  return {
    host,
    close: async () => {
      await host.close();
      await home.remove();
    },
  };
}
