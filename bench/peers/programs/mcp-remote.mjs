/** mcp-remote between a stdio client, here the hand-written one, and an HTTP server. */

import { openByHand } from './by-hand.mjs';
import { runJob } from './jobs.mjs';

await runJob(({ s0 }) => {
  const args = [process.env.BENCH_MCP_REMOTE, s0.url, '--allow-http', '--transport', 'http-only'];
  return openByHand({ s0: { command: process.execPath, args } });
});
