/** mcp-use's client. */

import { MCPClient } from 'mcp-use/client';

import { runJob } from './jobs.mjs';

await runJob(async (servers) => {
  const client = new MCPClient({ mcpServers: servers });
  const sessions = await Promise.all(Object.keys(servers).map((name) => client.createSession(name)));
  let kept = [];
  return {
    list: async () => {
      kept = await Promise.all(sessions.map((session) => session.listTools()));
      return kept.reduce((sum, tools) => sum + tools.length, 0);
    },
    call: async (name, args) => (await sessions[0].callTool(name, args)).content[0].text,
    close: () => client.closeAllSessions(),
  };
});
