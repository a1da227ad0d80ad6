/**
 * Builds the JSON Schemas of holt's own files from the tables that
 * reading uses, so that editors can complete and check them.
 */

import type { JsonObject } from '../kernel/json.ts';
import type { Machine } from '../kernel/machine.ts';
import { projectRuleText, settingNames, settingsTable, variableOf } from './settings.ts';
import { phases } from '../kernel/phases.ts';
import { pinModes, startChoices } from '../kernel/servers.ts';
import { timeouts } from './values/setting-values.ts';

export const schemaKinds = ['config', 'mcp'] as const;
export type SchemaKind = (typeof schemaKinds)[number];

const draft = 'https://json-schema.org/draft/2020-12/schema';
const ownSchema: JsonObject = { type: 'string', description: 'Where editors find this schema' };

/** The schemas by the name of the file they describe. */
export function schemaDocuments(): Readonly<Record<SchemaKind, JsonObject>> {
  return { config: configSchema(), mcp: mcpSchema() };
}

function configSchema(): JsonObject {
  const settings = settingNames.map((name) => {
    const { description, fallback, shape } = settingsTable[name];
    const more = `Environment: ${variableOf(name)}. In a project’s file: ${projectRuleText(name)}.`;
    return [name, { description: `${description}. ${more}`, ...shape.schema, default: fallback }] as const;
  });
  return {
    $schema: draft,
    title: 'Settings of holt',
    description: 'config.json in ~/.holt, config.json and config.local.json in the .holt folder of a project',
    type: 'object',
    properties: { $schema: ownSchema, ...Object.fromEntries(settings) },
    additionalProperties: false,
  };
}

function mcpSchema(): JsonObject {
  return {
    $schema: draft,
    title: 'Servers of holt',
    description: 'mcp.json in ~/.holt, mcp.json and mcp.local.json in the .holt folder of a project',
    type: 'object',
    properties: {
      $schema: ownSchema,
      mcpServers: {
        description: 'MCP servers by name',
        type: 'object',
        propertyNames: { minLength: 1, maxLength: 100 },
        additionalProperties: serverSchema(),
      },
    },
  };
}

/** Where holt stores copies for editors, relative to its own folder. */
export const schemaFolder = ['cache', 'schemas'] as const;

/**
 * Returns the `$schema` value for a file that holt writes. In the user's folder it refers to the copy there.
 * Project files must not contain anything specific to one machine, so they refer to the installed package, if
 * the project has it: an editor complains about a path that does not exist.
 */
export function schemaReference(
  kind: SchemaKind,
  scope: 'user' | 'project' | 'local',
  { machine, files }: { readonly machine: Machine; readonly files: { exists(path: string): boolean } },
): string | undefined {
  if (scope === 'user') return `./${schemaFolder.join('/')}/${kind}.json`;
  const installed = ['node_modules', 'holt', 'dist', 'schemas', `${kind}.json`];
  return files.exists(machine.path.join(machine.projectRoot, ...installed))
    ? `../${installed.join('/')}`
    : undefined;
}

interface ServerField {
  readonly description: string;
  readonly schema: JsonObject;
}

const word: JsonObject = { type: 'string' };
const words: JsonObject = { type: 'array', items: word };
const flag: JsonObject = { type: 'boolean' };
/** Numbers and booleans become strings; null is the same as leaving the name out. */
const textMap: JsonObject = {
  type: 'object',
  additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
};
const typeNames = ['stdio', 'http', 'streamable-http', 'sse', 'ws', 'websocket'];

function object(
  properties: Readonly<Record<string, JsonObject>>,
  required: readonly string[] = [],
): JsonObject {
  return {
    type: 'object',
    properties,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

/** Additional properties are allowed, because providers need their own. */
const oauth: JsonObject = {
  type: 'object',
  properties: {
    clientId: word,
    clientSecret: word,
    clientMetadataUrl: word,
    privateKey: word,
    grant: { enum: ['authorization_code', 'client_credentials'] },
    pkce: { const: 'unadvertised' },
    signingAlgorithm: word,
    tokenEndpointAuthMethod: word,
    scopes: { anyOf: [words, word] },
    callbackPort: { type: 'integer', minimum: 1, maximum: 65_535 },
    redirectUri: word,
    issuer: word,
    authServerMetadataUrl: word,
    authorizationEndpoint: word,
    tokenEndpoint: word,
    deviceAuthorizationEndpoint: word,
    resource: word,
    // The same fields, spelled as in the OAuth specifications.
    client_id: word,
    client_secret: word,
    scope: { anyOf: [words, word] },
    authorization_endpoint: word,
    token_endpoint: word,
    token_url: word,
    device_authorization_endpoint: word,
    device_auth_url: word,
    token_endpoint_auth_method: word,
  },
};

export const serverFields: Readonly<Record<string, ServerField>> = {
  type: {
    description: 'How to talk to it; taken from command or url when left out',
    schema: { enum: typeNames },
  },
  transport: { description: 'The same as type', schema: { enum: typeNames } },
  command: { description: 'The program to start', schema: { type: 'string', minLength: 1 } },
  args: {
    description: 'Its arguments',
    schema: { type: 'array', items: { type: ['string', 'number', 'boolean'] } },
  },
  env: { description: 'Variables it gets on top of what it inherits', schema: textMap },
  cwd: { description: 'The folder it starts in', schema: word },
  startIn: {
    description:
      'Where it starts without an absolute cwd, whether or not the project is trusted; counts only in your own file',
    schema: { enum: [...startChoices] },
  },
  inheritEnv: {
    description: 'Which variables of ours it gets: all, a safe few, or these',
    schema: { anyOf: [{ enum: ['all', 'safe'] }, words] },
  },
  url: { description: 'Where the server is', schema: { type: 'string', minLength: 1 } },
  headers: { description: 'Headers that are sent with every request', schema: textMap },
  oauth: {
    description: 'What is known about the login; false switches it off',
    schema: { anyOf: [{ type: 'boolean' }, oauth] },
  },
  resource: { description: 'The resource a token is asked for; "omit" sends none', schema: word },
  auth: {
    description: 'A stored login to use',
    schema: object({ type: { const: 'oauth' }, credentialId: word }, ['credentialId']),
  },
  tls: {
    description: 'A certificate authority or a client certificate, as PEM files',
    schema: object({ caFile: word, certFile: word, keyFile: word }),
  },
  enabled: { description: 'false keeps the name and starts nothing', schema: flag },
  disabled: { description: 'The opposite of enabled', schema: flag },
  timeout: { description: 'The same as timeouts.idleMs', schema: { type: 'number', minimum: 0 } },
  timeouts: { description: 'How long it may take, in milliseconds', schema: timeouts.schema },
  phase_timeouts: {
    description: 'How long each phase may take, in seconds',
    schema: object(Object.fromEntries(phases.map((phase) => [phase, { type: 'number', minimum: 0 }]))),
  },
  tools: {
    description: 'Which of its tools are offered, and which need no question',
    schema: object({ include: words, exclude: words, autoApprove: words }),
  },
  sharing: {
    description: 'Whether several agents may use one process through the daemon',
    schema: { enum: ['shared', 'private'] },
  },
  pinning: {
    description: 'What happens when one of its tools changes; review means withhold',
    schema: { enum: [...pinModes, 'review'], default: 'withhold' },
  },
  trustAnnotations: {
    description: 'Whether to believe what its tools say about themselves, such as being read-only',
    schema: flag,
  },
};

/** The schema of one entry under `mcpServers`. Fields of other agents may appear beside holt's own. */
export function serverSchema(): JsonObject {
  const properties = Object.entries(serverFields).map(([name, { description, schema }]) => [
    name,
    { description, ...schema },
  ]);
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    oneOf: [{ required: ['command'] }, { required: ['url'] }],
  };
}
