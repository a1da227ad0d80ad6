/**
 * The program that every runtime runs and every bundler bundles: `program.mjs NODE SERVER URL STUBBORN` reads the config
 * files of all formats, calls a tool of a local and of a remote server, and closes them and one that ignores signals.
 */

import { loadServers, openHost } from 'holt';

async function main([command, server, url, stubborn]) {
  const { servers } = await loadServers();
  const host = await openHost({
    agents: [],
    servers: {
      local: { command, args: [server] },
      remote: { url },
      stubborn: { command, args: [stubborn] },
    },
    policy: { allow: ['mcp__local', 'mcp__remote'] },
  });
  const tools = await host.tools({ wait: 'settled' });
  const local = await host.call('mcp__local__add', { a: 2, b: 3 });
  const remote = await host.call('mcp__remote__greet', { name: 'you' });
  await host.close();
  const namesOf = (list) => list.map(({ name }) => name).toSorted();
  const texts = [local.text, remote.text];
  console.log(JSON.stringify({ servers: namesOf(servers), tools: namesOf(tools), texts }));
}

// Not with `await`: esbuild makes CommonJS unless told otherwise, and that has no await outside of functions.
void main(process.argv.slice(2));
