/**
 * Gemini CLI: `settings.json` of the system, the user and the project; entries replace each other as a whole.
 * Extensions have the lowest precedence. Lists in the settings and a separate file switch servers off by
 * name.
 */

import { get, type ObjectNode } from '../documents/tree.ts';
import type { Machine } from '../kernel/machine.ts';
import type { ToolFilter } from '../kernel/servers.ts';
import type { AgentFormat, ConfigFile, EntryContext, Layer, Location } from './agent-format.ts';
import { commonOAuth, type EntryReading, type ServerShape } from './server-shape.ts';
import { createWriter } from './create-writer.ts';
import { readString } from './fields.ts';
import { reportFieldWarnings, type FieldWarning } from './field-warnings.ts';
import { managedFile, movedHome, perSystem, pluginFile, projectFile, userFile } from './places.ts';
import { namesAt, onlyAt } from './server-list.ts';
import { isObjectFile, mapLayer } from './server-map.ts';
import { readShape } from './read-shape.ts';
import { refuse } from './read-launch.ts';

export const geminiShape: ServerShape = {
  dialect: 'gemini',
  urls: [
    { key: 'httpUrl', untyped: 'http', always: true },
    { key: 'url', untyped: 'http' },
  ],
  typeNames: { stdio: 'stdio', http: 'http', sse: 'sse' },
  both: 'url-wins',
  timeouts: [{ key: 'timeout', unit: 'ms', means: 'idle' }],
  include: ['includeTools'],
  exclude: ['excludeTools'],
  approveAll: 'trust',
  oauth: {
    ...commonOAuth,
    redirectUri: 'redirectUri',
    authorizationEndpoint: 'authorizationUrl',
    tokenEndpoint: 'tokenUrl',
  },
  writes: { types: { stdio: null, http: null, sse: 'sse' } },
};

const { approveAll: _ignored, ...sharedKeys } = geminiShape;
const extensionShape: ServerShape = { ...sharedKeys, dialect: 'gemini-extension' };

const refuses = { bom: true, trailingCommas: true } as const;

export const gemini: AgentFormat = {
  id: 'gemini',
  label: 'Gemini CLI',
  shape: geminiShape,
  combine: 'whole',
  locate: (machine) => {
    const { path } = machine;
    const folder = userFolder(machine);
    const system = systemFile(machine, 'GEMINI_CLI_SYSTEM_SETTINGS_PATH', systemSettings(machine));
    const defaults = path.join(path.dirname(system.path), 'system-defaults.json');
    return [
      pluginFile(path.join(folder, 'extensions'), {
        each: /^[\w-]+$/,
        below: 'gemini-extension.json',
        refuses,
      }),
      systemFile(machine, 'GEMINI_CLI_SYSTEM_DEFAULTS_PATH', defaults),
      userFile(path.join(folder, 'mcp-server-enablement.json'), { variant: 'enablement' }),
      userFile(path.join(folder, 'settings.json'), { refuses }),
      projectFile(machine, ['.gemini', 'settings.json'], { refuses }),
      system,
    ];
  },
  layer: (file) => (file.location.variant === 'enablement' ? enablementLayer(file) : settingsLayer(file)),
  read: readGeminiEntry,
  writer: createWriter({
    shape: geminiShape,
    files: {
      user: ({ machine }) => machine.path.join(userFolder(machine), 'settings.json'),
      project: ['.gemini/settings.json'],
    },
  }),
};

function userFolder(machine: Machine): string {
  return machine.path.join(movedHome(machine, 'GEMINI_CLI_HOME'), '.gemini');
}

function systemSettings(machine: Machine): string {
  return perSystem(machine, {
    linux: '/etc/gemini-cli/settings.json',
    macos: '/Library/Application Support/GeminiCli/settings.json',
    windows: 'C:\\ProgramData\\gemini-cli\\settings.json',
  });
}

/** A file that a variable names is the user's choice, not the administrator's. */
function systemFile(machine: Machine, variable: string, usual: string): Location {
  const moved = machine.env[variable];
  if (moved === undefined || moved === '') return managedFile(usual, { refuses });
  return userFile(machine.path.resolve(machine.cwd, moved), { refuses });
}

/** Compares names without case, for the lists as well as for the file of switches. */
function matches(listed: string, name: string): boolean {
  return listed.trim().toLowerCase() === name.trim().toLowerCase();
}

function settingsLayer(file: ConfigFile): Layer {
  const off = namesAt(file.root, ['mcp', 'excluded']);
  return {
    ...mapLayer(file, ['mcpServers']),
    switches: { off, matches, ...onlyAt(file.root, ['mcp', 'allowed']) },
  };
}

/** `{"name": {"enabled": false}}`, with names in lower case. */
function enablementLayer(file: ConfigFile): Layer {
  if (!isObjectFile(file) || file.root?.kind !== 'object') return { entries: [] };
  const off = file.root.entries.filter(({ value }) => {
    const enabled = get(value, 'enabled');
    return enabled?.kind === 'boolean' && !enabled.value;
  });
  return {
    entries: [],
    switches: { off: off.map(({ key, keyStart }) => ({ name: key, at: keyStart })), matches },
  };
}

const warnings: readonly FieldWarning[] = [
  {
    key: 'enabled',
    value: false,
    code: 'agent-ignores',
    message: 'Gemini CLI does not know "enabled" and starts the server',
    remedy: 'List the name in mcp.excluded.',
  },
];
const extensionWarnings: readonly FieldWarning[] = [
  ...warnings,
  {
    key: 'trust',
    value: true,
    code: 'agent-ignores',
    message: 'Gemini CLI takes no "trust" from an extension',
  },
];

function readGeminiEntry(node: ObjectNode, context: EntryContext): EntryReading | undefined {
  const extension = context.file.location.scope === 'plugin';
  reportFieldWarnings(node, context, extension ? extensionWarnings : warnings);
  if (
    get(node, 'tcp') !== undefined &&
    !['command', 'url', 'httpUrl'].some((key) => get(node, key) !== undefined)
  ) {
    return refuse(
      context,
      node.start,
      'it has only a "tcp" address, which holt does not connect to',
      'Use "url".',
    );
  }
  const reading = readShape(node, extension ? extensionShape : geminiShape, context);
  if (reading === undefined) return undefined;
  reportGoogleLogin(node, context, 'Gemini CLI');
  return { ...reading, ...(reading.tools === undefined ? {} : { tools: withoutArguments(reading.tools) }) };
}

/** Filters may contain `tool(argument)`: the name ends before the parenthesis. */
export function withoutArguments(tools: ToolFilter): ToolFilter {
  return {
    ...tools,
    ...(tools.include === undefined ? {} : { include: bareNames(tools.include) }),
    ...(tools.exclude === undefined ? {} : { exclude: bareNames(tools.exclude) }),
  };
}

function bareNames(list: readonly string[]): readonly string[] {
  return list.map((entry) => entry.replace(/\(.*$/s, ''));
}

/** Reports a login through Google's own tools, which only the agent supports. */
export function reportGoogleLogin(node: ObjectNode, context: EntryContext, agent: string): void {
  const provider = readString({ node, report: context.report }, 'authProviderType');
  if (provider === undefined || provider === 'dynamic_discovery') return;
  context.report({
    severity: 'warning',
    code: 'entry-unsupported',
    at: get(node, 'authProviderType')?.start ?? node.start,
    message: `the login "${provider}" is one that only ${agent} has; holt connects without it`,
    remedy: 'Give a header with a token.',
  });
}
