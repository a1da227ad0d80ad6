/**
 * Creates the transport for a launch plan. Remote transports are loaded on demand, because most servers are
 * programs.
 */

import type { RemoteLogin } from '../auth/remote-login.ts';
import type { Network } from '../network/create-network.ts';
import type { MessageLimits } from '../network/message-meter.ts';
import type { ReceiveAccount } from '../network/receive-budget.ts';
import type { Clock } from '../platform/clock.ts';
import type { LaunchPlan, RemotePlan } from '../secrets/launch-plan.ts';
import type { ServerTransport } from './server-transport.ts';
import { createStdioTransport, type StdioParts } from './stdio.ts';
import { makeTolerant } from './tolerant.ts';
import type { WsParts } from './ws.ts';

export interface OpenParts {
  readonly stdio: StdioParts;
  /** Returns the network layer, which is created for the first remote server. */
  readonly network: () => Promise<Network>;
  readonly clock: Clock;
  /** The time of day, in milliseconds. */
  readonly wallNow: () => number;
  readonly limits: MessageLimits;
  /** The account that counts everything this server sends. */
  readonly account: ReceiveAccount;
  /** Omit it when no login should be used. */
  readonly login?: ((plan: RemotePlan) => Promise<RemoteLogin | undefined>) | undefined;
  /** Returns the config file of a server's entry, for messages about a rejected header. */
  readonly fileOf?: ((server: string) => string | undefined) | undefined;
  readonly random?: () => number;
}

export interface OpenOptions {
  /** Overrides the transport for an http URL, which may be either Streamable HTTP or SSE. */
  readonly as?: 'http' | 'sse' | undefined;
}

/** Returns the transport unstarted; it sends nothing before `start()`. */
export async function openTransport(
  plan: LaunchPlan,
  parts: OpenParts,
  { as }: OpenOptions = {},
): Promise<ServerTransport> {
  if (plan.kind === 'stdio') return makeTolerant(createStdioTransport(plan, parts.stdio));
  return makeTolerant(await openRemote(plan, as ?? plan.kind, parts));
}

/** Returns the transport to try after the first was rejected. */
export function otherHttpKind(kind: 'http' | 'sse'): 'http' | 'sse' {
  return kind === 'http' ? 'sse' : 'http';
}

async function openRemote(
  plan: RemotePlan,
  kind: RemotePlan['kind'],
  parts: OpenParts,
): Promise<ServerTransport> {
  const { clock, wallNow, limits, account, random = Math.random } = parts;
  const url = new URL(plan.url.reveal());
  const headers = Object.fromEntries(
    Object.entries(plan.headers).map(([name, value]) => [name, value.reveal()]),
  );
  const network = await parts.network();
  const plain = network.open({ origin: plan.origin, headers, tls: plan.tls, ...limits });
  // An authorization header in the entry takes precedence over a stored login.
  const own = Object.keys(headers).find((name) => name.toLowerCase() === 'authorization');
  const login = own === undefined ? await parts.login?.(plan) : undefined;
  const remote =
    login === undefined ? plain : (await import('./remote/with-login.ts')).withLogin(plain, login);
  const shared = { remote, clock, wallNow, random, login, account };
  const transport = await createRemote(url, kind, { ...shared, headers, limits });
  const file = parts.fileOf?.(plan.server) ?? '';
  if (own !== undefined) transport.ownHeader = { name: own, file };
  else if (plan.login === undefined) transport.forbidsLogin = { file };
  return transport;
}

async function createRemote(url: URL, kind: RemotePlan['kind'], shared: WsParts): Promise<ServerTransport> {
  switch (kind) {
    case 'http': {
      const { HttpTransport } = await import('./http.ts');
      return new HttpTransport(url, shared);
    }
    case 'sse': {
      const { SseTransport } = await import('./sse.ts');
      return new SseTransport(url, shared);
    }
    case 'ws': {
      const { WsTransport } = await import('./ws.ts');
      return new WsTransport(toWebSocket(url), shared);
    }
  }
}

/** A definition may say `type: ws` and still write https. */
function toWebSocket(url: URL): URL {
  return new URL(url.href.replace(/^http/, 'ws'));
}
