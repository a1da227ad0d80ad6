/** @langchain/mcp-adapters: tools are objects that are invoked. */

import { MultiServerMCPClient } from '@langchain/mcp-adapters';

import { runJob } from './jobs.mjs';

await runJob(async (given) => {
  const entry = (server) =>
    server.url === undefined
      ? { transport: 'stdio', ...server, stderr: 'ignore' }
      : { transport: 'http', url: server.url };
  const client = new MultiServerMCPClient({
    mcpServers: Object.fromEntries(Object.entries(given).map(([name, server]) => [name, entry(server)])),
  });
  let tools;
  const list = async () => {
    tools ??= await client.getTools();
    return tools.length;
  };
  return {
    list,
    call: async (name, args) => {
      await list();
      return textOf(await tools.find((tool) => tool.name === name).invoke(args));
    },
    close: () => client.close(),
  };
});

function textOf(answer) {
  return typeof answer === 'string' ? answer : answer[0].text;
}
