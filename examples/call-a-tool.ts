/** Opens a host, shows what can be called, and calls a tool. */

import { fileURLToPath } from 'node:url';

import { openHost } from 'holt';

// The server that comes with holt. Servers from config files are there as well; these come on top.
const server = fileURLToPath(new URL('example-server/server.js', import.meta.resolve('holt')));

await using host = await openHost({
  agents: [],
  servers: { example: { command: process.execPath, args: [server] } },
  policy: { allow: ['mcp__example'] },
});

for (const { name, description } of await host.tools()) console.log(`${name}: ${description ?? ''}`);

const { ok, text } = await host.call('mcp__example__add', { a: 2, b: 3 });
console.log(ok ? `2 + 3 = ${text}` : text);
if (text !== '5') process.exitCode = 1;
