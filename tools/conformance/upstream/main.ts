/**
 * An MCP server with everything that the official suite's server scenarios ask for, to put behind a gateway.
 * `main.ts --stdio` or `main.ts --http PORT`, with `--era both|stateful|stateless` (default `both`). Runs unbuilt on this
 * folder's Node. Standard output carries nothing but frames; the address of `--http` goes to standard error.
 */

import { parseArgs } from 'node:util';

import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';

import { createUpstream, type Era } from './create-upstream.ts';
import { serveHttp } from './serve-http.ts';

const usage = 'main.ts --stdio | --http PORT [--era both|stateful|stateless]';
const { values } = parseArgs({
  options: {
    stdio: { type: 'boolean', default: false },
    http: { type: 'string' },
    era: { type: 'string', default: 'both' },
  },
});
const port = Number(values.http);
if (!isEra(values.era) || values.stdio === (values.http !== undefined) || (!values.stdio && !isPort(port))) {
  console.error(usage);
  process.exit(2);
}
if (values.stdio) await serveProcess(values.era);
else console.error(`upstream: ${await serveHttp(port, values.era)}`);

async function serveProcess(era: Era): Promise<void> {
  if (era === 'stateful') await createUpstream('stateful').connect(new StdioServerTransport());
  else {
    serveStdio((context) => createUpstream(context.era === 'modern' ? 'stateless' : 'stateful'), {
      legacy: era === 'both' ? 'serve' : 'reject',
    });
  }
}

function isEra(text: string): text is Era {
  return text === 'both' || text === 'stateful' || text === 'stateless';
}

function isPort(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= 65_535;
}
