/** holt's library, as it is built. */

import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { runJob } from './jobs.mjs';

const { openHost } = await import(process.env.BENCH_HOLT);

await runJob(async (given) => {
  const home = await mkdtemp(path.join(os.tmpdir(), 'holt-bench-'));
  const servers = Object.fromEntries(
    Object.entries(given).map(([name, entry]) => [
      name,
      entry.url === undefined ? entry : { type: 'http', ...entry },
    ]),
  );
  const host = await openHost({ home, cwd: home, policy: { default: 'allow' }, servers });
  let tools = [];
  return {
    list: async () => {
      await host.connect();
      tools = await host.tools({ wait: 'settled' });
      return tools.length;
    },
    call: async (name, args) => textOf(await host.call(`mcp__s0__${name}`, args)),
    close: async () => {
      await host.close();
      await rm(home, { recursive: true, force: true });
    },
  };
});

function textOf(result) {
  const text = result.content[0]?.text;
  if (text === undefined) throw new Error(JSON.stringify(result).slice(0, 300));
  return text;
}
