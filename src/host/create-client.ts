/** Makes the SDK's clients, one for each server, and answers what servers ask of us. The SDK is loaded with the first. */

import { pathToFileURL } from 'node:url';

import type {
  Client,
  ClientCapabilities,
  ElicitResult,
  ElicitRequestParams,
  Tool,
} from '@modelcontextprotocol/client';

import { createMarkedStore } from '../connection/supervisor.ts';
import type { ElicitRequest, Interaction } from '../kernel/interaction.ts';
import type { Machine } from '../kernel/machine.ts';
import { clientInfo } from './version.ts';

export interface ClientMaker {
  /** What servers are told about us. */
  readonly sender: {
    readonly info: typeof clientInfo;
    readonly capabilities: Readonly<Record<string, unknown>>;
  };
  readonly create: (server: string, tools: () => readonly Tool[]) => Promise<Client>;
}

const loadSdk = () => import('@modelcontextprotocol/client');

export function createClientMaker(interaction: Interaction, machine: Machine): ClientMaker {
  const { elicit } = interaction;
  // What nobody here can answer is not offered: a server may then do without it.
  const capabilities: ClientCapabilities = {
    roots: {},
    ...(elicit === undefined ? {} : { elicitation: { form: {}, url: {} } }),
  };
  const roots =
    interaction.roots ?? (() => Promise.resolve([{ uri: pathToFileURL(machine.projectRoot).href }]));
  let sdk: ReturnType<typeof loadSdk> | undefined;
  return {
    sender: { info: clientInfo, capabilities },
    create: async (server, tools) => {
      const { Client: SdkClient } = await (sdk ??= loadSdk());
      const client = new SdkClient(clientInfo, {
        capabilities,
        responseCacheStore: createMarkedStore(tools),
      });
      client.setRequestHandler('roots/list', async () => ({ roots: [...(await roots())] }));
      if (elicit !== undefined) {
        client.setRequestHandler('elicitation/create', async ({ params }) =>
          answerOf(await elicit(requestOf(server, params))),
        );
      }
      return client;
    },
  };
}

function requestOf(server: string, params: ElicitRequestParams): ElicitRequest {
  const { message } = params;
  if (params.mode === 'url') return { server, mode: 'url', message, url: params.url };
  return { server, mode: 'form', message, requestedSchema: { ...params.requestedSchema } };
}

function answerOf({
  action,
  content,
}: Awaited<ReturnType<NonNullable<Interaction['elicit']>>>): ElicitResult {
  if (content === undefined) return { action };
  const fields = Object.entries(content).map(([name, value]) => [
    name,
    Array.isArray(value) ? [...value] : value,
  ]);
  return { action, content: Object.fromEntries(fields) };
}
