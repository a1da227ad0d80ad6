/** mcporter's runtime. */

import { createRuntime } from 'mcporter';

import { runJob } from './jobs.mjs';

await runJob(async (given) => {
  const servers = Object.entries(given).map(([name, { url, command, args }]) => ({
    name,
    command:
      url === undefined
        ? { kind: 'stdio', command, args, cwd: process.cwd() }
        : { kind: 'http', url: new URL(url) },
  }));
  const runtime = await createRuntime({ servers });
  let kept = [];
  return {
    list: async () => {
      kept = await Promise.all(servers.map(({ name }) => runtime.listTools(name, { includeSchema: true })));
      return kept.reduce((sum, tools) => sum + tools.length, 0);
    },
    call: async (name, args) => (await runtime.callTool('s0', name, { args })).content[0].text,
    close: () => runtime.close(),
  };
});
