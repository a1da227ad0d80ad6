/** holt's own files: Claude's fields under `mcpServers`, and fields that only holt has. */

import { get, type ObjectNode } from '../documents/tree.ts';
import type { Timeouts } from '../kernel/phases.ts';
import {
  pinModes,
  startChoices,
  type InheritEnv,
  type Launch,
  type ServerDefinition,
  type ToolFilter,
} from '../kernel/servers.ts';
import type { AgentFormat, ConfigFile, EntryContext } from './agent-format.ts';
import { commonOAuth, type EntryReading, type ServerShape } from './server-shape.ts';
import { createWriter } from './create-writer.ts';
import { readBoolean, readNumber, readString, readStrings, reportField, type Fields } from './fields.ts';
import { localFile, managedFile, perSystem, projectFile, userFile } from './places.ts';
import { mapLayer } from './server-map.ts';
import { readPhases } from './timeout-fields.ts';
import { readShape } from './read-shape.ts';

export const holtShape: ServerShape = {
  dialect: 'holt',
  urls: [{ key: 'url', untyped: 'http' }],
  types: ['type', 'transport'],
  typeNames: {
    stdio: 'stdio',
    http: 'http',
    'streamable-http': 'http',
    sse: 'sse',
    ws: 'ws',
    websocket: 'ws',
  },
  off: { key: 'enabled', value: false },
  alsoOff: [{ key: 'disabled', value: true }],
  timeouts: [{ key: 'timeout', unit: 'ms', means: 'idle' }],
  oauth: {
    ...commonOAuth,
    callbackPort: 'callbackPort',
    redirectUri: 'redirectUri',
    issuer: 'issuer',
    metadataUrl: 'authServerMetadataUrl',
    authorizationEndpoint: 'authorizationEndpoint',
    tokenEndpoint: 'tokenEndpoint',
    deviceAuthorizationEndpoint: 'deviceAuthorizationEndpoint',
    resource: 'resource',
    clientMetadataUrl: 'clientMetadataUrl',
    grant: 'grant',
    privateKey: 'privateKey',
    signingAlgorithm: 'signingAlgorithm',
    tokenEndpointAuthMethod: 'tokenEndpointAuthMethod',
    pkce: 'pkce',
    writesFalse: true,
    also: {
      clientId: ['client_id'],
      clientSecret: ['client_secret'],
      scopes: ['scope'],
      authorizationEndpoint: ['authorization_endpoint'],
      tokenEndpoint: ['token_endpoint', 'token_url'],
      deviceAuthorizationEndpoint: ['device_authorization_endpoint', 'device_auth_url'],
      tokenEndpointAuthMethod: ['token_endpoint_auth_method'],
    },
  },
  writes: {
    types: { stdio: null, http: 'http', sse: 'sse', ws: 'ws' },
    own: ['auth', 'tls', 'inheritEnv', 'startIn', 'tools', 'timeouts'],
  },
};

export const holt: AgentFormat = {
  id: 'holt',
  label: 'holt',
  shape: holtShape,
  combine: 'whole',
  locate: (machine) => [
    userFile(machine.path.join(machine.holtHome, 'mcp.json')),
    projectFile(machine, ['.holt', 'mcp.json']),
    localFile(machine, ['.holt', 'mcp.local.json']),
    managedFile(
      perSystem(machine, {
        linux: '/etc/holt/managed.json',
        macos: '/Library/Application Support/holt/managed.json',
        windows: 'C:\\ProgramData\\holt\\managed.json',
      }),
    ),
  ],
  layer: (file) => mapLayer(file, ['mcpServers']),
  read: readHoltEntry,
  writer: createWriter({
    shape: holtShape,
    files: {
      user: ({ machine }) => machine.path.join(machine.holtHome, 'mcp.json'),
      project: ['.holt/mcp.json'],
      local: ['.holt/mcp.local.json'],
    },
  }),
};

export function readHoltEntry(node: ObjectNode, context: EntryContext): EntryReading | undefined {
  const reading = readShape(node, holtShape, context);
  if (reading === undefined) return undefined;
  const fields: Fields = { node, report: context.report };
  const tools = readTools(fields, context.file.location.guarded);
  const auth = readAuth(fields);
  return {
    ...reading,
    launch: readExtras(reading.launch, fields),
    timeouts: readHoltTimeouts(fields, reading.timeouts),
    ...(tools === undefined ? {} : { tools }),
    ...(auth === undefined ? {} : { auth }),
    ...readReliance(fields, context.file.location.guarded),
    ...readStartIn(fields, context.file.location),
  };
}

/** Reads where the user's own server starts. Servers of a project always start in the project. */
function readStartIn(
  fields: Fields,
  { guarded }: Pick<ConfigFile['location'], 'guarded'>,
): Pick<ServerDefinition, 'startIn'> {
  const node = get(fields.node, 'startIn');
  if (node === undefined) return {};
  const choice = node.kind === 'string' ? startChoices.find((one) => one === node.value) : undefined;
  if (choice === undefined) reportField(fields, 'startIn', node, '"home" or "project"');
  else if (guarded) reportLoose(fields, 'startIn');
  else return { startIn: choice };
  return {};
}

/**
 * Reads how far a server's statements are trusted.
 * A file that a repository may have supplied can only ask for less.
 */
function readReliance(fields: Fields, guarded: boolean): Pick<EntryReading, 'pinning' | 'trustAnnotations'> {
  const mode = readPinning(fields);
  const isLoose = guarded && (mode === 'off' || mode === 'warn');
  if (isLoose) reportLoose(fields, 'pinning');
  const trusts = readBoolean(fields, 'trustAnnotations') === true;
  if (trusts && guarded) reportLoose(fields, 'trustAnnotations');
  return {
    ...(mode === undefined || isLoose ? {} : { pinning: mode }),
    ...(trusts && !guarded ? { trustAnnotations: true } : {}),
  };
}

function readPinning(fields: Fields): EntryReading['pinning'] {
  const node = get(fields.node, 'pinning');
  const word = node?.kind === 'string' ? node.value : undefined;
  // The word that earlier versions used.
  const mode = word === 'review' ? 'withhold' : pinModes.find((one) => one === word);
  if (node !== undefined && mode === undefined)
    reportField(fields, 'pinning', node, pinModes.map((one) => `"${one}"`).join(', '));
  return mode;
}

function reportLoose({ node, report }: Fields, key: string): void {
  const message = `"${key}" in a project file does not count: only your own files can say so`;
  report({ severity: 'warning', code: 'self-approval', at: get(node, key)?.start ?? 0, message });
}

function readExtras(launch: Launch, fields: Fields): Launch {
  if (launch.kind === 'stdio') {
    const inheritEnv = readInheritEnv(fields);
    return inheritEnv === undefined ? launch : { ...launch, inheritEnv };
  }
  const resource = readString(fields, 'resource');
  const tls = get(fields.node, 'tls');
  const withTls =
    tls?.kind === 'object' ? { ...launch, tls: readTls({ node: tls, report: fields.report }) } : launch;
  if (resource === undefined || withTls.oauth === false) return withTls;
  return { ...withTls, oauth: { ...withTls.oauth, resource } };
}

function readTls(fields: Fields): {
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
} {
  const entries = (['caFile', 'certFile', 'keyFile'] as const).map(
    (key) => [key, readString(fields, key)] as const,
  );
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function readInheritEnv(fields: Fields): InheritEnv | undefined {
  const node = get(fields.node, 'inheritEnv');
  if (node === undefined) return undefined;
  if (node.kind === 'array') return readStrings(fields, 'inheritEnv');
  if (node.kind === 'string' && (node.value === 'all' || node.value === 'safe')) return node.value;
  reportField(fields, 'inheritEnv', node, '"all", "safe" or a list of names');
  return undefined;
}

/** A project's statements about its own tools count only once the entry that contains them is approved. */
function readTools(fields: Fields, guarded: boolean): ToolFilter | undefined {
  const node = get(fields.node, 'tools');
  if (node?.kind !== 'object') {
    if (node !== undefined)
      reportField(fields, 'tools', node, 'an object with include, exclude, autoApprove');
    return undefined;
  }
  const inner: Fields = { node, report: fields.report };
  const approving = get(node, 'autoApprove');
  if (guarded && approving !== undefined) {
    const message = '"tools.autoApprove" in a project file does not count before the entry is approved';
    fields.report({ severity: 'warning', code: 'self-approval', at: approving.start, message });
  }
  const lists = (['include', 'exclude', 'autoApprove'] as const).map(
    (key) => [key, readStrings(inner, key)] as const,
  );
  return Object.fromEntries(lists.filter(([, list]) => list !== undefined));
}

function readAuth(fields: Fields): EntryReading['auth'] {
  const node = get(fields.node, 'auth');
  if (node?.kind !== 'object') return undefined;
  const credentialId = readString({ node, report: fields.report }, 'credentialId');
  return credentialId === undefined ? undefined : { type: 'oauth', credentialId };
}

const limitNames = ['startMs', 'idleMs', 'totalMs'] as const;

function reportUnknownLimits({ node, report }: Fields): void {
  const known: readonly string[] = [...limitNames, 'phases'];
  for (const { key, keyStart } of node.entries) {
    if (known.includes(key)) continue;
    const message = `"timeouts" has no "${key}"; it is ignored`;
    const remedy = `Known are ${known.join(', ')}.`;
    report({ severity: 'warning', code: 'field-invalid', at: keyStart, message, remedy });
  }
}

/**
 * All values in `timeouts` are in milliseconds.
 * `common` contains the limits that other agents' files can set too.
 */
function readHoltTimeouts(fields: Fields, common: Timeouts): Timeouts {
  const node = get(fields.node, 'timeouts');
  const inner: Fields | undefined = node?.kind === 'object' ? { node, report: fields.report } : undefined;
  if (node !== undefined && inner === undefined) reportField(fields, 'timeouts', node, 'an object');
  if (inner !== undefined) reportUnknownLimits(inner);
  const limits = Object.fromEntries(
    limitNames
      .map((key) => [key, inner === undefined ? undefined : readNumber(inner, key)] as const)
      .filter(([, value]) => value !== undefined),
  );
  const { phases: commonPhases, ...others } = common;
  const perPhase = {
    ...(inner === undefined ? {} : readPhases(inner, 'phases', 1)),
    ...commonPhases,
  };
  return {
    ...others,
    ...limits,
    ...(Object.keys(perPhase).length === 0 ? {} : { phases: perPhase }),
  };
}
