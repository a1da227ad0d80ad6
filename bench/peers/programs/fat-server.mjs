/** A stateful server in plain Node with so many tools of 3.4 kB each: `fat-server.mjs COUNT`. */

const words =
  'what this is for, what it may hold, what comes of it when it is left out, and where to read more about it';
const properties = Object.fromEntries(
  Array.from({ length: 15 }, (_, at) => [
    `option_${at}`,
    {
      type: 'string',
      description: `Option number ${at} of this tool: ${words}`,
      minLength: 1,
      maxLength: 400,
    },
  ]),
);
const tools = Array.from({ length: Number(process.argv[2]) }, (_, at) => ({
  name: `tool_${at}`,
  description: `Does thing number ${at}`,
  inputSchema: { type: 'object', properties, required: ['option_0', 'option_1'] },
}));
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'fat', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools }),
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
