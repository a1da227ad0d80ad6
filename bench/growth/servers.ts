/** Connecting to servers and listing their tools: 1 to 100 of them, in plain Node. */

import path from 'node:path';

import { openHost } from '../../dist/index.js';
import type { ServerConfig } from '../../src/roster/server-config.ts';

import type { Subject } from './curve.ts';
import { createTemporaryHome } from './home.ts';

const server = path.join(import.meta.dirname, '..', 'programs', 'plain-server.mjs');
const toolsEach = 10;

export const servers: Subject = {
  curves: [{ id: 'servers', title: 'Connect and list', counts: 'servers', allowed: 'linear' }],
  sizes: [1, 5, 10, 25, 50, 100],
  warmUps: 2,
  rounds: 7,
  open: async (size) => {
    const home = await createTemporaryHome();
    const entry = { command: process.execPath, args: [server] };
    // A few servers are so little work that one time says nothing about it.
    const times = Math.ceil(20 / size);
    const map = Object.fromEntries(Array.from({ length: size }, (_, at) => [`s${at}`, entry]));
    return {
      run: (take) =>
        take(
          'servers',
          async () => {
            for (let time = 0; time < times; time += 1) await connectAndList(home.path, map);
          },
          times,
        ),
      close: home.remove,
    };
  },
};

async function connectAndList(home: string, map: Readonly<Record<string, ServerConfig>>): Promise<void> {
  await using host = await openHost({ home, cwd: home, servers: map });
  await host.connect();
  const { length } = await host.tools({ wait: 'settled' });
  const expected = Object.keys(map).length * toolsEach;
  if (length !== expected) throw new Error(`${length} tools instead of ${expected}`);
}
