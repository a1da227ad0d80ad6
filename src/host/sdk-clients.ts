/**
 * Creates the SDK clients that `host.clients()` returns, each on the open connection of its server. Only a
 * program that has the SDK installed can use them: holt itself needs none.
 */

import { clientInfoOf, type AppIdentity } from '../auth/app-identity.ts';
import { ClientTransport } from '../connection/client-transport.ts';
import type { Session } from '../connection/session.ts';
import { HoltError } from '../kernel/errors.ts';
import type { ServerRequests } from '../server-requests/server-requests.ts';
import { resultValidator } from './result-validator.ts';

const sdkPackage = '@modelcontextprotocol/client';

/** Imports a package from the caller's installation. */
export type ImportPackage = (name: string) => Promise<unknown>;

/** The part of the SDK's `Client` that holt uses. */
interface SdkClient {
  connect(transport: object, options: object): Promise<void>;
  setRequestHandler(method: string, handler: (request: AskedRequest) => Promise<object>): void;
}

interface AskedRequest {
  readonly params?: object | undefined;
}

type SdkClientClass = new (info: object, options: object) => SdkClient;

export interface SdkClientParts {
  readonly app: AppIdentity;
  readonly requests: Pick<ServerRequests, 'answer' | 'capabilities'>;
}

/** Returns the client of a session, which stays the same until it is closed. */
export type SdkClientOf = (server: string, session: Session) => Promise<unknown>;

/** The returned function rejects with `usage-invalid` if the SDK is not installed. */
export function createSdkClients(
  { app, requests }: SdkClientParts,
  importPackage: ImportPackage,
): SdkClientOf {
  const open = new WeakMap<Session, Promise<SdkClient>>();
  let count = 0;
  const connect = async (server: string, session: Session): Promise<SdkClient> => {
    const Client = await importClient(importPackage);
    const client = new Client(clientInfoOf(app), {
      capabilities: requests.capabilities,
      jsonSchemaValidator: resultValidator,
    });
    // A stateless server asks in its results, which only the client of that request receives.
    const methods = ['roots/list', 'elicitation/create', ...samplingOf(requests)];
    for (const method of methods)
      client.setRequestHandler(method, ({ params }) =>
        requests.answer(server, { method, params: { ...params } }),
      );
    count += 1;
    const transport = new ClientTransport(session, {
      prefix: `client-${count}:`,
      onClose: () => void open.delete(session),
    });
    const { discover } = session;
    const prior = discover === undefined ? { kind: 'legacy' } : { kind: 'modern', discover };
    await client.connect(transport, { prior });
    return client;
  };
  return (server, session) => {
    const known = open.get(session);
    if (known !== undefined) return known;
    const connecting = connect(server, session);
    open.set(session, connecting);
    connecting.catch(() => open.delete(session));
    return connecting;
  };
}

function samplingOf({ capabilities }: SdkClientParts['requests']): readonly string[] {
  return capabilities.sampling === undefined ? [] : ['sampling/createMessage'];
}

async function importClient(importPackage: ImportPackage): Promise<SdkClientClass> {
  const install = `npm install ${sdkPackage}`;
  const options = { remedy: `Run ${install}.` };
  const message = `host.clients() needs the package ${sdkPackage}. Install it with ${install}.`;
  const missing = (cause?: unknown): HoltError =>
    new HoltError('usage-invalid', message, { given: 'clients' }, { ...options, cause });
  const sdk = await importPackage(sdkPackage).catch((error: unknown) => {
    throw missing(error);
  });
  if (!hasClient(sdk)) throw missing();
  return sdk.Client;
}

function hasClient(sdk: unknown): sdk is { readonly Client: SdkClientClass } {
  return typeof sdk === 'object' && sdk !== null && 'Client' in sdk && typeof sdk.Client === 'function';
}
