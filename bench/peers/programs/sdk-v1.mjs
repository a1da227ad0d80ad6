/** @modelcontextprotocol/sdk. */

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { runJob } from './jobs.mjs';
import { openEach } from './sessions.mjs';

await runJob((servers) =>
  openEach(servers, async (server) => {
    const client = new Client({ name: 'bench', version: '1.0.0' });
    await client.connect(
      server.url === undefined
        ? new StdioClientTransport({ ...server, stderr: 'ignore' })
        : new StreamableHTTPClientTransport(new URL(server.url)),
    );
    return client;
  }),
);
