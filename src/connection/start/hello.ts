/**
 * Reads what a server reports about itself in the handshake. Also performs the stateful handshake without the
 * SDK client, because loading the client takes longer than many programs take to start.
 */

import type { Client, DiscoverResult, ServerCapabilities } from '@modelcontextprotocol/client';

import { isObject, type JsonObject } from '../../kernel/json.ts';
import type { Implementation } from '../../kernel/protocol-types.ts';
import type { Line } from '../line/line.ts';
import { infoKey, statelessVersion, type Sender } from './probe.ts';

export interface Welcome {
  readonly protocol: string;
  readonly capabilities: ServerCapabilities;
  readonly serverInfo: Implementation | undefined;
  readonly instructions: string | undefined;
}

/** Newest first; that one is requested. The SDK supports the same versions. */
export const statefulVersions = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
] as const;

export async function sayHello(
  line: Line,
  { info, capabilities }: Sender,
  signal: AbortSignal,
): Promise<Welcome> {
  const params = { protocolVersion: statefulVersions[0], capabilities, clientInfo: info };
  const answer = await line.ask('initialize', params, { signal, isGreeting: true });
  const welcome = readWelcome(answer);
  signal.throwIfAborted();
  // Not awaited: if the channel is broken, the next request fails and reports it.
  line.tell('notifications/initialized').catch(() => undefined);
  return welcome;
}

/** Throws if the server insists on a version that holt does not support. */
export function readWelcome(answer: JsonObject): Welcome {
  const { protocolVersion, capabilities, serverInfo, instructions } = answer;
  const protocol = statefulVersions.find((version) => version === protocolVersion);
  if (protocol === undefined)
    throw new Error(`Server's protocol version is not supported: ${String(protocolVersion)}`);
  return {
    protocol,
    capabilities: readCapabilities(capabilities),
    serverInfo: readInfo(serverInfo),
    instructions: typeof instructions === 'string' ? instructions : undefined,
  };
}

/** For a server whose handshake the SDK client has performed. */
export function welcomeHeardBy(client: Client): Welcome {
  return {
    protocol: client.getNegotiatedProtocolVersion() ?? '',
    capabilities: client.getServerCapabilities() ?? {},
    serverInfo: client.getServerVersion(),
    instructions: client.getInstructions(),
  };
}

/** Rebuilds the `initialize` result for the SDK client, which insists on its own handshake. */
export function toAnswer({ protocol, capabilities, serverInfo, instructions }: Welcome): JsonObject {
  return {
    protocolVersion: protocol,
    capabilities,
    serverInfo: serverInfo ?? { name: '', version: '' },
    ...(instructions === undefined ? {} : { instructions }),
  };
}

export function welcomeOf({ capabilities, instructions, _meta: meta }: DiscoverResult): Welcome {
  return {
    protocol: statelessVersion,
    capabilities: readCapabilities(capabilities),
    serverInfo: readInfo(meta?.[infoKey]),
    instructions: typeof instructions === 'string' ? instructions : undefined,
  };
}

const flags = ['listChanged', 'subscribe'];

/** Drops malformed capabilities, as if the server did not offer them. */
function readCapabilities(value: unknown): ServerCapabilities {
  if (!isObject(value)) return {};
  const good = Object.entries(value).flatMap(([name, offer]) =>
    isObject(offer) ? [[name, withoutBadFlags(offer)] as const] : [],
  );
  return Object.fromEntries(good);
}

function withoutBadFlags(offer: JsonObject): JsonObject {
  if (flags.every((flag) => offer[flag] === undefined || typeof offer[flag] === 'boolean')) return offer;
  return Object.fromEntries(
    Object.entries(offer).filter(([name, value]) => !flags.includes(name) || typeof value === 'boolean'),
  );
}

function readInfo(value: unknown): Implementation | undefined {
  if (!isObject(value) || typeof value['name'] !== 'string' || typeof value['version'] !== 'string')
    return undefined;
  return { ...value, name: value['name'], version: value['version'] };
}
