/** Responds to calls immediately: `call-server.mjs stdio|http stateful|stateless`. On HTTP it prints its URL and exits when its input ends. */

import http from 'node:http';

const [transport, era] = process.argv.slice(2);
const version = '2026-07-28';
const serverInfo = { name: 'call', version: '1.0.0' };
const capabilities = { tools: {} };
const stamps = era === 'stateless' ? { resultType: 'complete', ttlMs: 0, cacheScope: 'private' } : {};
const tools = [
  {
    name: 'echo',
    description: 'Gives back a text',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  },
  {
    name: 'long',
    description: 'Gives a long text',
    inputSchema: { type: 'object', properties: { bytes: { type: 'integer' } } },
  },
];
const answers = {
  ...(era === 'stateless'
    ? { 'server/discover': () => ({ supportedVersions: [version], capabilities, serverInfo }) }
    : {
        initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities, serverInfo }),
        ping: () => ({}),
      }),
  'tools/list': () => ({ tools }),
  'tools/call': ({ name, arguments: given }) => ({
    content: [{ type: 'text', text: name === 'long' ? 'x'.repeat(given.bytes) : given.text }],
  }),
};

function answer({ id, method, params }) {
  const known = answers[method];
  const outcome =
    known === undefined
      ? { error: { code: -32_601, message: 'no such method' } }
      : { result: { ...stamps, ...known(params) } };
  return JSON.stringify({ jsonrpc: '2.0', id, ...outcome });
}

if (transport === 'stdio') {
  let rest = '';
  process.stdin.setEncoding('utf8').on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      const message = JSON.parse(line);
      if (message.id !== undefined && message.method !== undefined)
        process.stdout.write(`${answer(message)}\n`);
    }
  });
} else {
  const server = http.createServer(async (request, response) => {
    if (request.method !== 'POST') return response.writeHead(405).end();
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const message = JSON.parse(body);
    if (message.id === undefined) return response.writeHead(202).end();
    const text = answer(message);
    const isUnknown = answers[message.method] === undefined;
    const headers = { 'content-type': 'application/json' };
    if (message.method === 'initialize') headers['mcp-session-id'] = 'one';
    response.writeHead(isUnknown ? 404 : 200, headers).end(text);
  });
  // A busy machine must not look like a server that hangs up.
  server.keepAliveTimeout = 600_000;
  server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
  process.stdin.resume().on('end', () => process.exit(0));
}
