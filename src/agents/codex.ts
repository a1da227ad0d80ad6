/**
 * Codex: tables `[mcp_servers.<name>]` in `config.toml`, merged field by field over system, user and project
 * files. It has no placeholders: separate fields name variables.
 */

import { get, type DocNode, type ObjectNode } from '../documents/tree.ts';
import type { Machine } from '../kernel/machine.ts';
import type { VariableReference } from '../kernel/servers.ts';
import type { AgentFormat, EntryContext } from './agent-format.ts';
import type { EntryReading, ServerShape } from './server-shape.ts';
import { createWriter } from './create-writer.ts';
import { readString, readStringMap, type Fields } from './fields.ts';
import { reportFieldWarnings, reportNonStrings, type FieldWarning } from './field-warnings.ts';
import { managedFile, movedHome, perSystem, userFile, walkFiles } from './places.ts';
import { mapLayer } from './server-map.ts';
import { readShape } from './read-shape.ts';
import { refuse, withHeadersHelper } from './read-launch.ts';

const shape: ServerShape = {
  dialect: 'none',
  types: [],
  headers: ['http_headers'],
  off: { key: 'enabled', value: false },
  timeouts: [
    { key: 'startup_timeout_ms', unit: 'ms', means: 'start', alias: true },
    { key: 'startup_timeout_sec', unit: 's', means: 'start' },
    { key: 'tool_timeout_sec', unit: 's', means: 'idle' },
  ],
  include: ['enabled_tools'],
  exclude: ['disabled_tools'],
  bearerEnv: 'bearer_token_env_var',
  oauth: { key: 'oauth', clientId: 'client_id', callbackPort: 'callback_port', outerScopes: 'scopes' },
  references: { env: 'env_vars', headers: 'env_http_headers' },
  headersHelper: 'http_headers_helper',
  writes: {
    types: { stdio: null, http: null },
    finish: (entry, { launch }) => {
      const resource = launch.kind === 'stdio' || launch.oauth === false ? undefined : launch.oauth?.resource;
      return resource === undefined ? entry : { ...entry, oauth_resource: resource };
    },
  },
};

export const codex: AgentFormat = {
  id: 'codex',
  label: 'Codex',
  shape,
  combine: 'fields',
  locate: (machine) => [
    managedFile(inSystem(machine, 'config.toml')),
    userFile(userConfig(machine)),
    ...walkFiles(machine, ['.codex', 'config.toml']),
    managedFile(inSystem(machine, 'managed_config.toml')),
  ],
  layer: (file) => mapLayer(file, ['mcp_servers']),
  read: readCodexEntry,
  writer: createWriter({
    shape,
    files: { user: ({ machine }) => userConfig(machine), project: ['.codex/config.toml'] },
    keys: [['mcp_servers']],
  }),
};

function userConfig(machine: Machine): string {
  return machine.path.join(movedHome(machine, 'CODEX_HOME', '.codex'), 'config.toml');
}

function inSystem(machine: Machine, name: string): string {
  const windows = machine.path.join(machine.env['ProgramData'] ?? 'C:\\ProgramData', 'OpenAI', 'Codex');
  return machine.path.join(perSystem(machine, { linux: '/etc/codex', macos: '/etc/codex', windows }), name);
}

/** Codex refuses its whole config because of the first; it silently ignores the others. */
const warnings: readonly FieldWarning[] = [
  {
    key: 'bearer_token',
    code: 'agent-refuses',
    message: 'Codex refuses its whole config because of "bearer_token"',
    remedy: 'Use bearer_token_env_var.',
  },
  {
    key: 'headers',
    code: 'agent-ignores',
    message: 'Codex does not know "headers": these headers are never sent',
    remedy: 'Use http_headers.',
  },
  ...['type', 'transport'].map((key): FieldWarning => ({
    key,
    code: 'agent-ignores',
    message: `Codex does not know "${key}": a URL is always Streamable HTTP`,
    remedy: 'Remove it.',
  })),
];

function readCodexEntry(node: ObjectNode, context: EntryContext): EntryReading | undefined {
  reportFieldWarnings(node, context, warnings);
  reportNonStrings(node, context, ['env', 'http_headers'], 'Codex refuses its whole config');
  reportSelfApproval(context);
  if (get(node, 'command') !== undefined && get(node, 'url') !== undefined) {
    const reason = 'it has both "command" and "url"; Codex refuses its whole config for that';
    return refuse(context, node.start, reason, 'Keep one of the two.');
  }
  const reading = readShape(node, shape, context);
  if (reading === undefined) return undefined;
  const fields: Fields = { node, report: context.report };
  const { launch } = reading;
  if (launch.kind === 'stdio') return { ...reading, launch: { ...launch, envFrom: readEnvVars(fields) } };

  const resource = readString(fields, 'oauth_resource');
  const oauth =
    resource === undefined || launch.oauth === false ? launch.oauth : { ...launch.oauth, resource };
  const headersFrom = { ...launch.headersFrom, ...readEnvHeaders(fields) };
  const withLogin = { ...launch, headersFrom, ...(oauth === undefined ? {} : { oauth }) };
  return withHeadersHelper({ ...reading, launch: withLogin }, node, shape, context);
}

/** Reports approval modes in a project's own part of the entry. holt never adopts them, whatever the file. */
function reportSelfApproval(context: EntryContext): void {
  if (!context.file.location.guarded) return;
  const mode = get(context.entry.node, 'default_tools_approval_mode');
  const tools = get(context.entry.node, 'tools');
  const modes = tools?.kind === 'object' ? tools.entries.map(({ value }) => get(value, 'approval_mode')) : [];
  const found = [mode, ...modes].find((node) => node?.kind === 'string' && node.value === 'approve');
  if (found === undefined) return;
  const message = 'approval modes in a project file do not count: holt asks before these tools are used';
  context.report({ severity: 'warning', code: 'self-approval', at: found.start, message });
}

/** `env_vars`: names, or objects with a name; each variable is passed on unchanged. */
function readEnvVars(fields: Fields): Record<string, VariableReference> {
  const list = get(fields.node, 'env_vars');
  const items: readonly DocNode[] = list?.kind === 'array' ? list.items : [];
  const names = items.flatMap((item) => {
    const name = item.kind === 'object' ? get(item, 'name') : item;
    return name?.kind === 'string' ? [name.value] : [];
  });
  return Object.fromEntries(names.map((name) => [name, { variable: name, prefix: '', suffix: '' }]));
}

/** `env_http_headers`: maps a header to the variable that contains its value. */
function readEnvHeaders(fields: Fields): Record<string, VariableReference> {
  const map = Object.entries(readStringMap(fields, 'env_http_headers'));
  return Object.fromEntries(map.map(([header, variable]) => [header, { variable, prefix: '', suffix: '' }]));
}
