/** A stateful server in plain Node, with ten tools. Writes a line per start into the file named by BENCH_STARTS. */

import { appendFileSync } from 'node:fs';

const { BENCH_STARTS } = process.env;
if (BENCH_STARTS !== undefined) appendFileSync(BENCH_STARTS, `${process.pid}\n`);

const inputSchema = {
  type: 'object',
  properties: { path: { type: 'string' }, limit: { type: 'number' } },
  required: ['path'],
};
const tools = Array.from({ length: 10 }, (_, at) => ({
  name: `tool_${at}`,
  description: `Does thing number ${at}`,
  inputSchema,
}));
const serverInfo = { name: 'plain', version: '1.0.0' };
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo }),
  'tools/list': () => ({ tools }),
  'tools/call': (params) => ({ content: [{ type: 'text', text: JSON.stringify(params.arguments ?? {}) }] }),
  ping: () => ({}),
};

let rest = '';
process.stdin.setEncoding('utf8').on('data', (chunk) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop();
  for (const line of lines) {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) continue;
    const answer = answers[method];
    const outcome =
      answer === undefined
        ? { error: { code: -32_601, message: 'no such method' } }
        : { result: answer(params) };
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...outcome })}\n`);
  }
});
