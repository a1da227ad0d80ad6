/** A client on one of holt’s remote transports, as connections create them, and its outcome. */

import { Client } from '@modelcontextprotocol/client';

import type { NetworkParts } from '../../src/network/create-network.ts';
import { type Clock, realClock } from '../../src/platform/clock.ts';
import { classifyFailure } from '../../src/transports/classify-failure.ts';
import type { Failure } from '../../src/transports/failure-kinds.ts';
import { openTransport, type OpenParts } from '../../src/transports/open-transport.ts';
import type { ServerTransport } from '../../src/transports/server-transport.ts';
import { SecretValue } from '../../src/masking/redactor.ts';
import type { LaunchPlan, RemotePlan } from '../../src/secrets/launch-plan.ts';
import { makeNetwork } from './networks.ts';
import { openAccount } from './receive-accounts.ts';

export interface RemoteCase {
  readonly kind?: RemotePlan['kind'];
  readonly network?: Partial<NetworkParts>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly tls?: RemotePlan['tls'];
  readonly clock?: Clock;
  readonly messageBytes?: number;
  readonly messageNodes?: number;
  /** A token that is sent along and cannot be renewed. */
  readonly token?: string;
}

export function planFor(url: string, { kind = 'http', headers = {}, tls }: RemoteCase = {}): LaunchPlan {
  const plan: RemotePlan = {
    kind,
    server: 'remote',
    url: new SecretValue(url),
    origin: new URL(url).origin,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, new SecretValue(value)]),
    ),
    ...(tls === undefined ? {} : { tls }),
  };
  return plan as LaunchPlan; // a test may
}

export async function openRemoteTransport(url: string, given: RemoteCase = {}): Promise<ServerTransport> {
  const network = makeNetwork(given.network);
  return await openTransport(planFor(url, given), {
    stdio: undefined as never, // remote servers need none of it
    network: () => Promise.resolve(network),
    clock: given.clock ?? realClock,
    wallNow: Date.now,
    limits: {
      messageBytes: given.messageBytes ?? 16 << 20,
      messageNodes: given.messageNodes ?? 2_000_000,
    },
    account: openAccount(),
    random: () => 0,
    ...(given.token === undefined ? {} : { login: fixedLogin(url, given.token) }),
  });
}

function fixedLogin(url: string, token: string): OpenParts['login'] {
  const refusal = (): Error => new Error('the token was turned down');
  return async () => ({
    origin: new URL(url.replace(/^ws/, 'http')).origin,
    authorization: () => Promise.resolve(`Bearer ${token}`),
    renew: () => Promise.reject(refusal()),
    refusal,
  });
}

export interface Connected extends AsyncDisposable {
  readonly client: Client;
  readonly transport: ServerTransport;
  readonly warnings: readonly string[];
  readonly errors: readonly Error[];
  /** Resolves when the transport is closed, by whomever. */
  readonly closed: Promise<void>;
  call(
    name: string,
    given?: Record<string, unknown>,
    options?: { readonly timeout?: number; readonly signal?: AbortSignal },
  ): Promise<string>;
  /** What the failure of `work` is called. */
  failureOf(work: Promise<unknown>): Promise<Failure>;
}

export async function connectRemote(url: string, given: RemoteCase = {}): Promise<Connected> {
  const transport = await openRemoteTransport(url, given);
  const warnings: string[] = [];
  const errors: Error[] = [];
  transport.onwarning = (code) => warnings.push(code);
  const closed = new Promise<void>((resolve) => Object.assign(transport, { onclose: resolve }));
  const client = new Client(
    { name: 'holt', version: '0.0.0' },
    { versionNegotiation: { mode: 'auto', probe: { timeoutMs: 5000 } } },
  );
  Object.assign(client, { onerror: (error: Error) => errors.push(error) });
  await client.connect(transport);
  return {
    client,
    transport,
    warnings,
    errors,
    closed,
    call: async (name, args = {}, options = {}) => {
      const { content } = await client.callTool({ name, arguments: args }, options);
      return (content as readonly { readonly text: string }[]).map(({ text }) => text).join(''); // fixtures answer with texts
    },
    failureOf: (work) => failureOf(work, transport),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

export async function failureOf(work: Promise<unknown>, transport?: ServerTransport): Promise<Failure> {
  const error: unknown = await work.then(
    (value) => new Error(`went well: ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  );
  return classifyFailure(error, { server: 'remote', phase: 'executing', end: transport?.end, wallNow: 0 });
}
