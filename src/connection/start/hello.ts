/**
 * What a server says about itself when it is greeted, and the greeting of the stateful protocol without the SDK's client:
 * loading that takes longer than many programs take to start.
 */

import type { Client, DiscoverResult, ServerCapabilities } from '@modelcontextprotocol/client';

import type { Implementation } from '../../kernel/protocol-types.ts';
import type { Line } from '../line/line.ts';
import { isObject, type JsonObject } from '../line/questions.ts';
import { infoKey, statelessVersion, type Sender } from './probe.ts';

export interface Welcome {
  readonly protocol: string;
  readonly capabilities: ServerCapabilities;
  readonly serverInfo: Implementation | undefined;
  readonly instructions: string | undefined;
}

/** The newest first: that one is asked for. The SDK has the same ones. */
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
  // Not waited for: what is asked next goes the same way behind it, and hears of it when that way is broken.
  line.tell('notifications/initialized').catch(() => undefined);
  return welcome;
}

/** Throws when the server insists on a version that is not spoken here. */
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

/** Where the SDK's client has greeted it. */
export function welcomeHeardBy(client: Client): Welcome {
  return {
    protocol: client.getNegotiatedProtocolVersion() ?? '',
    capabilities: client.getServerCapabilities() ?? {},
    serverInfo: client.getServerVersion(),
    instructions: client.getInstructions(),
  };
}

/** For the SDK's client, which wants to have heard it itself. */
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

/** Whatever is not what it should be is not offered. */
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
