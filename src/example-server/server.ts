/**
 * The example server that is included with holt: a real MCP server over standard streams, in both protocol
 * eras. Uses no SDK, so that it starts quickly and shows how little a server needs.
 */

import { createInterface } from 'node:readline';

interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { readonly [key: string]: unknown };
}

const versions = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
const serverInfo = { name: 'holt-example', version: '1.0.0' };
const capabilities = { tools: {}, resources: {}, prompts: {} };
const instructions = 'A server to try holt with. It knows nothing about you and stores nothing.';

const tools = [
  {
    name: 'greet',
    description: 'Says hello to someone',
    inputSchema: {
      type: 'object',
      properties: { name: { type: 'string', description: 'Whom to greet' } },
      required: ['name'],
    },
    annotations: { readOnlyHint: true },
  },
  {
    name: 'add',
    description: 'Adds two numbers',
    inputSchema: {
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'number' } },
      required: ['a', 'b'],
    },
    annotations: { readOnlyHint: true },
  },
];
const resources = [
  { uri: 'holt://example/otter', name: 'otter', mimeType: 'text/plain', description: 'What a holt is' },
];
const prompts = [{ name: 'introduce', description: 'Asks the model to introduce itself', arguments: [] }];

/** What every stateless result says about itself and its sender; older clients ignore it. */
const stamps = {
  resultType: 'complete',
  ttlMs: 0,
  cacheScope: 'private',
  _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
};

const text = (value: string): object => ({ content: [{ type: 'text', text: value }] });

function callTool(params: Message['params']): object {
  const given = (params?.['arguments'] ?? {}) as Record<string, unknown>; // any object may arrive; each field is checked below
  switch (params?.['name']) {
    case 'greet':
      return text(`Hello, ${String(given['name'])}! I am the example server of holt.`);
    case 'add':
      return text(String(Number(given['a']) + Number(given['b'])));
    default:
      return { ...text('Unknown tool.'), isError: true };
  }
}

const handlers: Readonly<Record<string, (params: Message['params']) => object>> = {
  initialize: (params) => {
    const asked = String(params?.['protocolVersion']);
    return {
      protocolVersion: versions.slice(1).includes(asked) ? asked : versions[1],
      capabilities,
      serverInfo,
      instructions,
    };
  },
  'server/discover': () => ({
    supportedVersions: versions.slice(0, 1),
    capabilities,
    serverInfo,
    instructions,
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools }),
  'tools/call': callTool,
  'resources/list': () => ({ resources }),
  'resources/templates/list': () => ({ resourceTemplates: [] }),
  'resources/read': (params) => {
    const uri = String(params?.['uri']);
    if (!resources.some((resource) => resource.uri === uri)) throw new Error(`no such resource: ${uri}`);
    return { contents: [{ uri, mimeType: 'text/plain', text: 'A holt is an otter’s den.' }] };
  },
  'prompts/list': () => ({ prompts }),
  'prompts/get': (params) => {
    const name = String(params?.['name']);
    if (!prompts.some((prompt) => prompt.name === name)) throw new Error(`no such prompt: ${name}`);
    return {
      messages: [{ role: 'user', content: { type: 'text', text: 'Who are you, and what can you do?' } }],
    };
  },
};

function answer(line: string): void {
  let message: Message;
  try {
    message = JSON.parse(line) as Message;
  } catch {
    return;
  }
  if (message.id === undefined || message.method === undefined) return;
  const reply = replyTo(message.method, message.params);
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, ...reply })}\n`);
}

function replyTo(method: string, params: Message['params']): object {
  const handler = handlers[method];
  if (handler === undefined) return { error: { code: -32_601, message: `no such method: ${method}` } };
  try {
    return { result: { ...stamps, ...handler(params) } };
  } catch (error) {
    return { error: { code: -32_602, message: (error as Error).message } }; // ours, thrown above
  }
}

createInterface({ input: process.stdin }).on('line', answer);
