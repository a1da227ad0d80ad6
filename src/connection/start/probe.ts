/** Reads from the answer to `server/discover` which of the two protocols a server speaks. Pure. */

import type { DiscoverResult } from '@modelcontextprotocol/client';
import type { JsonObject } from '../../kernel/json.ts';

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
