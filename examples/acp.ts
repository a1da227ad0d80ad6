/** An agent that speaks the Agent Client Protocol: the editor's servers become servers of the host. */

import { fileURLToPath } from 'node:url';

import { openHost } from 'holt';
import { serversFromAcp } from 'holt/acp';

const server = fileURLToPath(new URL('example-server/server.js', import.meta.resolve('holt')));

// What `session/new` brings.
const mcpServers = [
  { name: 'example', command: process.execPath, args: [server], env: [{ name: 'LANG', value: 'C' }] },
];

await using host = await openHost({ agents: [], servers: serversFromAcp(mcpServers) });
const tools = await host.tools();
console.log(tools.map(({ name }) => name).join('\n'));
if (tools.length === 0) process.exitCode = 1;
