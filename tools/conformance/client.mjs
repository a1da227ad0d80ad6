/** The client program that the conformance suite drives: everything it does goes through holt's public library. */

import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { openHost } from '../../dist/index.js';

const url = process.argv.at(-1);
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? '';
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');

/** What each scenario wants done once the server is connected. The suite judges what its mock server saw. */
const deeds = {
  // Connecting lists what the server offers; no more is asked for here.
  initialize: async () => {},
  'request-metadata': async () => {},
  'json-schema-ref-no-deref': async () => {},

  tools_call: (client) => call(client, 'add_numbers', { a: 2, b: 3 }),
  'sse-retry': (client) => call(client, 'test_reconnection'),
  'elicitation-sep1034-client-defaults': (client) => call(client, 'test_client_elicitation_defaults'),
  'http-invalid-tool-headers': (client) => call(client, 'valid_tool', { region: 'us-west1' }),

  'http-standard-headers': async (client) => {
    await call(client, 'test_headers');
    await client.readResource({ uri: 'file:///path/to/file%20name.txt' });
    await client.getPrompt({ name: 'test_prompt' });
  },

  'http-custom-headers': async (client) => {
    for (const { name, arguments: values } of context.toolCalls) await call(client, name, values);
  },

  'json-schema-2020-12-preservation': async (client) => {
    const { tools } = await client.listTools();
    const { inputSchema } = tools.find(({ name }) => name === 'json_schema_2020_12_tool');
    await call(client, 'json_schema_echo', { schema: inputSchema });
  },

  'sep-2322-client-request-state': async (client) => {
    const names = [
      'test_mrtr_echo_state',
      'test_mrtr_no_state',
      'test_mrtr_unrelated',
      'test_mrtr_no_result_type',
    ];
    for (const name of names) await call(client, name);
  },
};

const deed = deeds[scenario];
if (deed === undefined) throw new Error(`no deed for the scenario "${scenario}"`);
const home = await mkdtemp(path.join(os.tmpdir(), 'holt-conformance-'));
try {
  const host = await openHost({
    home,
    cwd: home,
    servers: { suite: { type: 'http', url } },
    interaction: { elicit: acceptWithDefaults },
  });
  try {
    const status = await host.connect('suite');
    if (status.status !== 'connected') throw new Error(`not connected: ${JSON.stringify(status)}`);
    await deed(host.clients().suite);
  } finally {
    await host.close();
  }
} finally {
  await rm(home, { recursive: true, force: true });
}

async function call(client, name, values = {}) {
  const result = await client.callTool({ name, arguments: values });
  if (result.isError === true) throw new Error(`${name}: ${JSON.stringify(result.content)}`);
  return result;
}

/** Answers a form as somebody does who presses Enter at every field. */
async function acceptWithDefaults({ requestedSchema }) {
  const fields = Object.entries(requestedSchema?.properties ?? {});
  return {
    action: 'accept',
    content: Object.fromEntries(fields.map(([name, field]) => [name, field.default ?? true])),
  };
}
