/**
 * Creates the SDK clients that `host.clients()` returns, each on the open connection of its server. Only a
 * program that has the SDK installed can use them: holt itself needs none.
 */

import { clientInfoOf, type AppIdentity } from '../auth/app-identity.ts';
import { checkOutput } from '../catalog/check-output.ts';
import { ClientTransport } from '../connection/client-transport.ts';
import type { Session } from '../connection/session.ts';
import { HoltError } from '../kernel/errors.ts';
import type { JsonObject } from '../kernel/json.ts';
import { nextTurn } from '../platform/waits.ts';
import type { ServerRequests } from '../server-requests/server-requests.ts';
import { resultValidator } from './result-validator.ts';

const sdkPackage = '@modelcontextprotocol/client';

/** Imports a package from the caller's installation. */
export type ImportPackage = (name: string) => Promise<unknown>;

/** The part of the SDK's `Client` that holt uses. */
interface SdkClient {
  connect(transport: object, options: object): Promise<void>;
  setRequestHandler(method: string, handler: (request: AskedRequest) => Promise<object>): void;
  callTool(params: { readonly name: string }, options?: ToolCallOptions): Promise<ToolCallResult>;
}

interface ToolCallOptions {
  readonly toolDefinition?: { readonly outputSchema?: JsonObject | undefined } | undefined;
}

interface ToolCallResult {
  readonly isError?: boolean | undefined;
  readonly structuredContent?: unknown;
}

interface AskedRequest {
  readonly params?: object | undefined;
}

type SdkClientClass = new (info: object, options: object) => SdkClient;

/** The part of the SDK that holt uses. */
interface Sdk {
  readonly Client: SdkClientClass;
  readonly ProtocolError: new (code: number, message: string) => Error;
}

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
    const Client = checkingWithPauses(await importSdk(importPackage));
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

const [invalidRequest, invalidParams] = [-32_600, -32_602];

/** The SDK checks a result synchronously, so a large one would stop all other work until it is checked. */
function checkingWithPauses({ Client, ProtocolError }: Sdk): SdkClientClass {
  return class extends Client {
    override async callTool(
      params: { readonly name: string },
      options?: ToolCallOptions,
    ): Promise<ToolCallResult> {
      const { outputSchema, ...toolDefinition } = options?.toolDefinition ?? {};
      if (outputSchema === undefined) return super.callTool(params, options);
      const result = await super.callTool(params, { ...options, toolDefinition });
      if (result.isError === true) return result;
      const { structuredContent } = result;
      if (structuredContent === undefined) {
        const message = `Tool ${params.name} has an output schema but did not return structured content`;
        throw new ProtocolError(invalidRequest, message);
      }
      const failures = await checkOutput(outputSchema, structuredContent, nextTurn);
      if (failures.length === 0) return result;
      const message = `Structured content does not match the tool's output schema: ${failures.join('; ')}`;
      throw new ProtocolError(invalidParams, message);
    }
  };
}

async function importSdk(importPackage: ImportPackage | undefined): Promise<Sdk> {
  const install = `npm install ${sdkPackage}`;
  const options = { remedy: `Run ${install}.` };
  const message = `host.clients() needs the package ${sdkPackage}. Install it with ${install}.`;
  const missing = (cause?: unknown): HoltError =>
    new HoltError('usage-invalid', message, { given: 'clients' }, { ...options, cause });
  if (importPackage === undefined) throw missing();
  const sdk = await importPackage(sdkPackage).catch((error: unknown) => {
    throw missing(error);
  });
  if (!isSdk(sdk)) throw missing();
  return sdk;
}

function isSdk(sdk: unknown): sdk is Sdk {
  if (typeof sdk !== 'object' || sdk === null || !('Client' in sdk) || !('ProtocolError' in sdk))
    return false;
  return typeof sdk.Client === 'function' && typeof sdk.ProtocolError === 'function';
}
