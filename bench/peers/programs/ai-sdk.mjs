/** @ai-sdk/mcp. */

import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport } from '@ai-sdk/mcp/mcp-stdio';

import { runJob } from './jobs.mjs';
import { openEach } from './sessions.mjs';

await runJob((servers) =>
  openEach(servers, (server) =>
    createMCPClient({
      transport:
        server.url === undefined
          ? new Experimental_StdioMCPTransport({ ...server, stderr: 'ignore' })
          : { type: 'http', url: server.url },
    }),
  ),
);
