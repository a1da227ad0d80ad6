/** Which of the two protocols does a server speak? Reads its answer to `server/discover`; pure. */

import type { DiscoverResult } from '@modelcontextprotocol/client';

import type { JsonObject } from '../line/questions.ts';

export const statelessVersion = '2026-07-28';

/** Where answers of the stateless protocol say who gives them. */
export const infoKey = 'io.modelcontextprotocol/serverInfo';

export type ProbeReply =
  | { readonly kind: 'result'; readonly result: JsonObject }
  | { readonly kind: 'error'; readonly code: number; readonly data: unknown }
  /** Refused below the protocol. */
  | { readonly kind: 'status'; readonly status: number };

export type ProbeVerdict =
  | { readonly era: 'stateless'; readonly discover: DiscoverResult }
  | { readonly era: 'stateful' }
  /** Refused the version that it says it speaks: one more try is due. */
  | { readonly era: 'again' }
  /** Says nothing about the protocol: a login, a limit, a fault of the server. */
  | { readonly era: 'unknown' };

/** No single error code decides: whoever does not offer the new protocol is spoken to in the old one. */
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

/** There are servers that fail at a method they do not know; one that fails at everything fails at the greeting as well. */
const failsAtUnknown: ReadonlySet<number> = new Set([500, 501]);

function isAboutProtocol(status: number): boolean {
  if (failsAtUnknown.has(status)) return true;
  return status >= 400 && status < 500 && ![401, 403, 407, 408, 429].includes(status);
}

/** True for an answer that offers our version. */
export function isDiscover(result: unknown): result is DiscoverResult {
  if (typeof result !== 'object' || result === null) return false;
  const { supportedVersions, capabilities } = result as JsonObject; // any object may be looked into
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

/** What every request of the stateless protocol says about its sender. */
export function envelopeOf({ info, capabilities }: Sender): JsonObject {
  return {
    'io.modelcontextprotocol/protocolVersion': statelessVersion,
    'io.modelcontextprotocol/clientInfo': info,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
}
