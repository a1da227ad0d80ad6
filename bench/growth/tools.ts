/** Many tools: taking them in and naming them, making the index, and looking for one of them. */

import path from 'node:path';

import { openHost } from '../../dist/index.js';
import type { ServerConfig } from '../../src/roster/server-config.ts';
import { realisticTools } from '../../tests/support/realistic-tools.ts';

import type { Bench, Subject } from './curve.ts';
import { createTemporaryHome } from './home.ts';

/** Of one server no more than ten thousand are taken, so they are shared out. */
const serverCount = 4;
const queryCount = 50;
const reader = path.join(
  import.meta.dirname,
  '..',
  '..',
  'tests',
  'fixtures',
  'servers',
  'tools-from-file.mjs',
);

export const tools: Subject = {
  curves: [
    { id: 'tools', title: 'tools(): list, pin and name', counts: 'tools', allowed: 'linear' },
    { id: 'index', title: 'Make the search index', counts: 'tools', allowed: 'log-linear' },
    { id: 'search', title: 'Search once', counts: 'tools', allowed: 'log-linear' },
  ],
  sizes: [10, 100, 500, 2000, 6000, 20_000],
  warmUps: 2,
  rounds: 7,
  open: openTools,
};

async function openTools(size: number): Promise<Bench> {
  const lists = await createTemporaryHome();
  const all = realisticTools(size).map(({ name, description, inputSchema }, at) => ({
    name: `${name.split('__').at(-1)}_${at}`,
    description,
    inputSchema,
  }));
  const servers: Record<string, ServerConfig> = {};
  for (let at = 0; at < serverCount; at += 1) {
    const file = path.join(lists.path, `tools-${at}.json`);
    await lists.write(
      `tools-${at}.json`,
      JSON.stringify(all.filter((_, index) => index % serverCount === at)),
    );
    servers[`s${at}`] = { command: process.execPath, args: [reader, file] };
  }
  const queries = Array.from(
    { length: queryCount },
    (_, at) => all[(at * 37) % all.length]?.description?.split(' ').slice(0, 3).join(' ') ?? '',
  );
  return {
    run: async (take) => {
      const home = await createTemporaryHome();
      await using host = await openHost({ home: home.path, cwd: home.path, servers });
      await take('tools', async () => {
        await host.connect();
        const { length } = await host.tools({ wait: 'settled' });
        if (length !== size) throw new Error(`${length} tools of ${size}`);
      });
      await take('index', async () => void (await host.searchTools('anything')));
      const lookAll = async (): Promise<void> => {
        for (const query of queries) await host.searchTools(query, { limit: 10 });
      };
      await take('search', lookAll, queryCount);
      await host.close();
      await home.remove();
    },
    close: lists.remove,
  };
}
