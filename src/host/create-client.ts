/**
 * Creates one SDK client per server and forwards requests from servers. Loads the SDK with the first client.
 */

import type { Client } from '@modelcontextprotocol/client';

import type { Tool } from '../kernel/protocol-types.ts';
import { clientInfoOf } from '../auth/app-identity.ts';
import { createMarkedStore } from '../connection/supervisor.ts';
import { resultValidator } from './result-validator.ts';
import type { HostEnvironment } from './environment.ts';

export interface ClientMaker {
  /** What holt sends to servers about itself. */
  readonly sender: {
    readonly info: ReturnType<typeof clientInfoOf>;
    readonly capabilities: Readonly<Record<string, unknown>>;
  };
  readonly create: (server: string, tools: () => readonly Tool[]) => Promise<Client>;
}

const loadSdk = () => import('./sdk-client.ts');

export function createClientMaker({
  requests,
  bus,
  redactor,
  app,
}: Pick<HostEnvironment, 'requests' | 'bus' | 'redactor' | 'app'>): ClientMaker {
  const { capabilities } = requests;
  const info = clientInfoOf(app);
  let sdk: ReturnType<typeof loadSdk> | undefined;
  return {
    sender: { info, capabilities },
    create: async (server, tools) => {
      const { Client: SdkClient } = await (sdk ??= loadSdk());
      const client = new SdkClient(info, {
        capabilities,
        jsonSchemaValidator: resultValidator,
        responseCacheStore: createMarkedStore(tools),
      });
      const answer = async (method: string, params: object | undefined): Promise<never> =>
        (await requests.answer(server, { method, params: { ...params } })) as never; // the SDK checks what goes out
      client.setRequestHandler('roots/list', ({ params }) => answer('roots/list', params));
      client.setRequestHandler('elicitation/create', ({ params }) => answer('elicitation/create', params));
      if (capabilities.sampling !== undefined)
        client.setRequestHandler('sampling/createMessage', ({ params }) =>
          answer('sampling/createMessage', params),
        );
      client.fallbackRequestHandler = ({ method, params }) => answer(method, params);
      client.setNotificationHandler('notifications/message', ({ params: { level, logger, data } }) => {
        const named = logger === undefined ? {} : { logger };
        bus.emit('mcp.log', redactor.redactValue({ server, level, ...named, data }));
      });
      client.setNotificationHandler('notifications/elicitation/complete', ({ params: { elicitationId } }) =>
        requests.pageDone(server, elicitationId),
      );
      client.setNotificationHandler('notifications/resources/updated', ({ params: { uri } }) =>
        bus.emit('mcp.resource.updated', { server, uri }),
      );
      return client;
    },
  };
}
