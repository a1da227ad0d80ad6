/** The client program that the conformance suite drives: everything it does goes through holt's public library. */

import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { openHost } from '../../dist/index.js';
import { doLogin, oauthFor, openUrl } from './logins.mjs';

const url = process.argv.at(-1);
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? '';
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');

/** What each scenario wants done once the server is connected. The suite judges what its mock server saw. */
const deeds = {
  // Connecting lists what the server offers; no more is asked for here.
  initialize: async () => {},
  'request-metadata': async () => {},
  'json-schema-ref-no-deref': async () => {},

  tools_call: (host) => call(host, 'add_numbers', { a: 2, b: 3 }),
  'sse-retry': (host) => call(host, 'test_reconnection'),
  'elicitation-sep1034-client-defaults': (host) => call(host, 'test_client_elicitation_defaults'),
  'http-invalid-tool-headers': (host) => call(host, 'valid_tool', { region: 'us-west1' }),

  'http-standard-headers': async (host) => {
    await call(host, 'test_headers');
    await host.readResource('suite', 'file:///path/to/file%20name.txt');
    await host.prompt('suite', 'test_prompt');
  },

  'http-custom-headers': async (host) => {
    for (const { name, arguments: values } of context.toolCalls) await call(host, name, values);
  },

  'json-schema-2020-12-preservation': async (host) => {
    const { inputSchema } = await host.findTool('suite.json_schema_2020_12_tool');
    await call(host, 'json_schema_echo', { schema: inputSchema });
  },

  'sep-2322-client-request-state': async (host) => {
    const names = [
      'test_mrtr_echo_state',
      'test_mrtr_no_state',
      'test_mrtr_unrelated',
      'test_mrtr_no_result_type',
    ];
    for (const name of names) await call(host, name);
  },
};

const home = await mkdtemp(path.join(os.tmpdir(), 'holt-conformance-'));
try {
  const oauth = await oauthFor(scenario, context);
  const host = await openHost({
    home,
    cwd: home,
    servers: { suite: { type: 'http', url, ...(oauth && { oauth }) } },
    interaction: { elicit: acceptWithDefaults, openUrl },
  });
  try {
    await (scenario.startsWith('auth/') ? doLogin(host, scenario) : doDeed(host));
  } finally {
    await host.close();
  }
} finally {
  await rm(home, { recursive: true, force: true });
}

async function doDeed(host) {
  const deed = deeds[scenario];
  if (deed === undefined) throw new Error(`no deed for the scenario "${scenario}"`);
  const status = await host.connect('suite');
  if (status.status !== 'connected') throw new Error(`not connected: ${JSON.stringify(status)}`);
  await deed(host);
}

/** As a person calls: `ask` is answered by calling. */
async function call(host, tool, values = {}) {
  const { name } = await host.findTool(`suite.${tool}`);
  const result = await host.call(name, values, { asked: true });
  if (!result.ok) throw new Error(`${tool}: ${result.text}`);
}

/** Answers a form as somebody does who presses Enter at every field: the host fills in what has a default. */
async function acceptWithDefaults({ requestedSchema }) {
  const fields = Object.entries(requestedSchema?.properties ?? {});
  const open = fields.filter(([, field]) => field.default === undefined);
  return { action: 'accept', content: Object.fromEntries(open.map(([name]) => [name, true])) };
}
