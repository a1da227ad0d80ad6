/** @modelcontextprotocol/client, configured for stateful servers: each is started once. */

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

import { runJob } from './jobs.mjs';
import { openEach } from './sessions.mjs';

await runJob((servers) =>
  openEach(servers, async (server) => {
    const client = new Client(
      { name: 'bench', version: '1.0.0' },
      { versionNegotiation: { mode: 'legacy' } },
    );
    await client.connect(
      server.url === undefined
        ? new StdioClientTransport({ ...server, stderr: 'ignore' })
        : new StreamableHTTPClientTransport(new URL(server.url)),
    );
    return client;
  }),
);
