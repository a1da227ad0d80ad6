/**
 * The two protocols, as a server sees them in the handshake: which one it speaks (`server/discover`), and what
 * it reports about itself. Only `initialize` sends anything.
 */

import type { DiscoverResult, ServerCapabilities } from '@modelcontextprotocol/client';

import { isObject, type JsonObject } from '../../kernel/json.ts';
import type { Implementation } from '../../kernel/protocol-types.ts';
import type { Channel } from '../channel.ts';
import { ResponseError } from '../requests.ts';

export const statelessVersion = '2026-07-28';

/** The `_meta` key with which a stateless server signs its answers. */
export const infoKey = 'io.modelcontextprotocol/serverInfo';

export type ProbeReply =
  | { readonly kind: 'result'; readonly result: JsonObject }
  | { readonly kind: 'error'; readonly code: number; readonly data: unknown }
  /** Rejected with an HTTP status instead of a JSON-RPC error. */
  | { readonly kind: 'status'; readonly status: number };

export type ProbeVerdict =
  | { readonly era: 'stateless'; readonly discover: DiscoverResult }
  | { readonly era: 'stateful' }
  /** Rejected the version that it claims to support: ask once more. */
  | { readonly era: 'again' }
  /** Says nothing about the protocol: a missing login, a rate limit, a fault of the server. */
  | { readonly era: 'unknown' };

/** No single error code decides: a server that does not offer the stateless protocol counts as stateful. */
export function judgeProbe(reply: ProbeReply): ProbeVerdict {
  switch (reply.kind) {
    case 'result':
      return isDiscover(reply.result) ? { era: 'stateless', discover: reply.result } : { era: 'stateful' };
    case 'error':
      return reply.code === versionRefused && namesOurVersion(reply.data)
        ? { era: 'again' }
        : { era: 'stateful' };
    case 'status':
      return isAboutProtocol(reply.status) ? { era: 'stateful' } : { era: 'unknown' };
  }
}

const versionRefused = -32_022;

function namesOurVersion(data: unknown): boolean {
  const supported =
    typeof data === 'object' && data !== null && 'supported' in data ? data.supported : undefined;
  return Array.isArray(supported) && supported.includes(statelessVersion);
}

/** Some servers answer unknown methods with these. One that always fails also fails the handshake. */
const failsAtUnknown: ReadonlySet<number> = new Set([500, 501]);

function isAboutProtocol(status: number): boolean {
  if (failsAtUnknown.has(status)) return true;
  return status >= 400 && status < 500 && ![401, 403, 407, 408, 429].includes(status);
}

/** True for a `server/discover` result that offers our version. */
export function isDiscover(result: unknown): result is DiscoverResult {
  if (typeof result !== 'object' || result === null) return false;
  const { supportedVersions, capabilities } = result as JsonObject; // any object can be read this way
  return (
    Array.isArray(supportedVersions) &&
    supportedVersions.includes(statelessVersion) &&
    typeof capabilities === 'object' &&
    capabilities !== null
  );
}

export interface Sender {
  readonly info: { readonly name: string; readonly version: string };
  readonly capabilities: JsonObject;
}

/** The `_meta` entries about the sender that every request of the stateless protocol carries. */
export function envelopeOf({ info, capabilities }: Sender): JsonObject {
  return {
    'io.modelcontextprotocol/protocolVersion': statelessVersion,
    'io.modelcontextprotocol/clientInfo': info,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
}

/** What a server reports about itself. */
export interface Negotiated {
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

/** Performs the stateful handshake. `onResponse` is called when the server has responded, even with an error. */
export async function initialize(
  channel: Channel,
  { info, capabilities }: Sender,
  onResponse: () => void,
  signal: AbortSignal,
): Promise<Negotiated> {
  const params = { protocolVersion: statefulVersions[0], capabilities, clientInfo: info };
  const result = await channel.requests
    .request('initialize', params, { signal, isInitialize: true })
    .catch((error: unknown) => {
      if (error instanceof ResponseError) onResponse();
      throw error;
    });
  onResponse();
  const negotiated = readInitializeResult(result);
  signal.throwIfAborted();
  const { transport } = channel;
  transport.setProtocolVersion?.(negotiated.protocol);
  const notified = channel.notify('notifications/initialized');
  // A program reads its messages in order. If its channel is broken, the next request fails and reports it.
  if (transport.processId === undefined) await notified;
  else notified.catch(() => undefined);
  return negotiated;
}

/** Throws if the server insists on a version that holt does not support. */
export function readInitializeResult(result: JsonObject): Negotiated {
  const { protocolVersion, capabilities, serverInfo, instructions } = result;
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

/** Rebuilds the `initialize` result for an SDK client, which insists on its own handshake. */
export function toInitializeResult({
  protocol,
  capabilities,
  serverInfo,
  instructions,
}: Negotiated): JsonObject {
  return {
    protocolVersion: protocol,
    capabilities,
    serverInfo: serverInfo ?? { name: '', version: '' },
    ...(instructions === undefined ? {} : { instructions }),
  };
}

export function negotiatedBy({ capabilities, instructions, _meta: meta }: DiscoverResult): Negotiated {
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
