/** One server of the fixture: the SDK's `McpServer` with every tool, resource and prompt of the suite. */

import { randomBytes } from 'node:crypto';

import { createRequestStateCodec, McpServer } from '@modelcontextprotocol/server';

import { addAskingTools } from './asking-tools.ts';
import { addInputTools, type InputState } from './input-tools.ts';
import { addPrompts } from './prompts.ts';
import { addResources } from './resources.ts';
import { addTools, type ListChanges } from './tools.ts';

export type Era = 'both' | 'stateful' | 'stateless';

/** One key for the process, because over HTTP each request of the stateless era has a server object of its own. */
const states = createRequestStateCodec<InputState>({ key: randomBytes(32) });

/** `changes` publishes a change of a list where the server object itself has no connection to send it on. */
export function createUpstream(era: 'stateful' | 'stateless', changes?: ListChanges): McpServer {
  const server = new McpServer(
    { name: 'holt-upstream', version: '1.0.0', title: 'Upstream of the gateway tests' },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        completions: {},
        ...(era === 'stateful' ? { logging: {} } : {}),
      },
      instructions: 'Everything that the conformance suite asks a server for.',
      requestState: { verify: (state, context) => states.verify(state, context) },
    },
  );
  addTools(server, changes);
  addInputTools(server, states);
  if (era === 'stateful') addAskingTools(server);
  addResources(server, era);
  addPrompts(server);
  return server;
}
