/** Defines the values of settings: for each, its type and the shape that reads it. */

import { agentIdOf, agentIds } from '../../kernel/agent-ids.ts';
import { nearest } from '../../kernel/nearest.ts';
import { phases, type Timeouts } from '../../kernel/phases.ts';
import { startChoices } from '../../kernel/servers.ts';
import {
  complainInvalid,
  listOf,
  mapOf,
  matching,
  objectOf,
  oneOf,
  text,
  wholeNumber,
  wholeObjectOf,
  yesOrNo,
  type Shape,
} from './shapes.ts';

export const namingProfiles = ['double', 'single', 'plain', 'bare'] as const;
export type NamingProfile = (typeof namingProfiles)[number];

export const credentialStores = ['file', 'keychain', 'memory'] as const;
export type CredentialStoreKind = (typeof credentialStores)[number];

/**
 * A mistyped id is reported and stays in the list: without it, the list might consist only of exclusions,
 * which select all other agents.
 */
const agentWord: Shape<string> = {
  schema: { enum: ['*', ...agentIds, ...agentIds.map((id) => `!${id}`)] },
  wanted: 'the id of an agent, "!" and an id, or "*"',
  read(node, where, context) {
    if (node.kind !== 'string') return complainInvalid(node, { where, wanted: agentWord.wanted }, context);
    if (node.value === '*') return node.value;
    const [, mark = '', id = ''] = /^(!?)(.*)$/s.exec(node.value) ?? [];
    const known = agentIdOf(id);
    if (known !== undefined) return mark + known;
    const near = nearest(id, agentIds);
    context.complain({
      code: 'setting-invalid',
      at: node.start,
      message: `Unknown agent "${id}"`,
      ...(near === undefined ? {} : { remedy: `Did you mean "${near}"?` }),
    });
    return node.value;
  },
};

/** Ids in order of preference; `!id` excludes an agent, and `*` is all the rest. */
export const agentWords = listOf(agentWord);

/** Timers do not support longer delays. */
const milliseconds = wholeNumber(1, 2 ** 31 - 1);

export const timeouts: Shape<Timeouts> = objectOf<Timeouts>({
  startMs: milliseconds,
  idleMs: milliseconds,
  totalMs: milliseconds,
  phases: objectOf(Object.fromEntries(phases.map((phase) => [phase, milliseconds]))),
});

/** The shortest default limit of any server, so that a project's value is shorter for all of them. */
export const shortestLimits: Timeouts = {
  idleMs: 30_000,
  totalMs: 600_000,
  phases: {
    connecting: 30_000,
    initializing: 10_000,
    handshaking: 5000,
    listing_resources: 10_000,
    listing_tools: 10_000,
    listing_prompts: 10_000,
    cleaning_up: 5000,
  },
};

export interface HookCommand {
  readonly command: string;
  readonly args?: readonly string[];
  /** If true, a hook that fails or times out counts as a refusal. */
  readonly required?: boolean;
}

export interface HookSettings {
  readonly 'tool.execute.before'?: readonly HookCommand[];
  readonly 'tool.execute.after'?: readonly HookCommand[];
  readonly 'server.connect.before'?: readonly HookCommand[];
}

const hookCommands = listOf(
  wholeObjectOf<HookCommand>({ command: text, args: listOf(text), required: yesOrNo }, ['command']),
);

export const hooks = objectOf<HookSettings>({
  'tool.execute.before': hookCommands,
  'tool.execute.after': hookCommands,
  'server.connect.before': hookCommands,
});

const place = matching(
  /^(?:~(?:[\\/]|$)|\/|\\\\|[A-Za-z]:[\\/])/,
  'an absolute path or one that begins with "~/"',
);

export interface TrustSettings {
  /** Project folders whose files are read regardless of who may write them. */
  readonly safeDirectories: readonly string[];
}

export const trust = objectOf<TrustSettings>({ safeDirectories: listOf(place) });

/** Where a user's server starts, by the server's name. */
export const startIn = mapOf(oneOf(startChoices), text);

export interface OriginNetwork {
  /** `direct` bypasses every proxy. */
  readonly proxy?: string;
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
}

export interface NetworkSettings extends OriginNetwork {
  readonly noProxy?: readonly string[];
  /** Values that differ for one origin. */
  readonly origins?: Readonly<Record<string, OriginNetwork>>;
}

const proxy = matching(/^(?:direct$|https?:\/\/.)/, 'the http(s) URL of a proxy, or "direct"');
const origin = matching(
  /^(?:https?|wss?):\/\/[^/?#@\s]+$/,
  'an origin such as "https://mcp.example.com", without a path',
);
const perOrigin = { proxy, caFile: place, certFile: place, keyFile: place };

export const network = objectOf<NetworkSettings>({
  ...perOrigin,
  noProxy: listOf(text),
  origins: mapOf(objectOf<OriginNetwork>(perOrigin), origin),
});

/** Limits on what is received from servers. */
export interface ReceiveLimits {
  /** Bytes of one message. */
  readonly messageBytes: number;
  /** Brackets, braces, commas and colons of one message, outside its strings. */
  readonly messageNodes: number;
  /** Bytes of one list of one server. */
  readonly listBytes: number;
  /** Bytes of all lists in a host. */
  readonly catalogBytes: number;
  /** Bytes of messages in a host that were received and not yet delivered. */
  readonly inFlightBytes: number;
}

export const usualReceiveLimits: ReceiveLimits = {
  messageBytes: 16 << 20,
  messageNodes: 2_000_000,
  listBytes: 64 << 20,
  catalogBytes: 256 << 20,
  inFlightBytes: 256 << 20,
};

export const receiveLimits = objectOf<ReceiveLimits>({
  messageBytes: wholeNumber(1024, 256 << 20),
  messageNodes: wholeNumber(1000, 100_000_000),
  listBytes: wholeNumber(1024, 1 << 30),
  catalogBytes: wholeNumber(1024, 2 ** 33),
  inFlightBytes: wholeNumber(64 << 10, 2 ** 33),
});

/** `off`, or the endpoint that measurements are sent to. */
export const telemetry = matching(/^(?:off$|https?:\/\/.)/, '"off" or the http(s) URL of an OTLP endpoint');
