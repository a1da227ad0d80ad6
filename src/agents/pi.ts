/**
 * pi with its MCP adapter: Claude's fields in shared and own files; a later entry replaces an earlier one as
 * a whole. An entry that has only `disabled` switches a server of another file. The project's `.mcp.json` is
 * shared (see mcp-json.ts).
 */

import { get, type ObjectNode } from '../documents/tree.ts';
import type { RemoteLaunch, StdioLaunch } from '../kernel/servers.ts';
import type { AgentFormat, ConfigFile, EntryContext, Layer, RawEntry } from './agent-format.ts';
import { commonOAuth, type EntryReading, type ServerShape } from './server-shape.ts';
import { isBangCommand, reportCommands } from './field-warnings.ts';
import { readBoolean, readString, type Fields } from './fields.ts';
import { homeFile, movedHome, projectFile, userFile } from './places.ts';
import { mapLayer } from './server-map.ts';
import { readShape } from './read-shape.ts';

const shape: ServerShape = {
  dialect: 'pi',
  // Only the value `true` counts.
  off: { key: 'disabled', value: true },
  timeouts: [{ key: 'requestTimeoutMs', unit: 'ms', means: 'idle' }],
  include: ['includeTools'],
  exclude: ['excludeTools'],
  bearerEnv: 'bearerTokenEnv',
  oauth: {
    ...commonOAuth,
    scopes: 'scope',
    redirectUri: 'redirectUri',
  },
};

export const pi: AgentFormat = {
  id: 'pi',
  label: 'pi',
  shape,
  combine: 'whole',
  locate: (machine) => [
    homeFile(machine, ['.config', 'mcp', 'mcp.json']),
    homeFile(machine, ['.agents', 'mcp.json']),
    homeFile(machine, ['.agents', 'mcp', 'mcp.json']),
    userFile(machine.path.join(movedHome(machine, 'PI_CODING_AGENT_DIR', '.pi', 'agent'), 'mcp.json')),
    projectFile(machine, ['.pi', 'mcp.json']),
  ],
  layer: piLayer,
  read: readPiEntry,
};

function piLayer(file: ConfigFile): Layer {
  const { entries } = mapLayer(file, ['mcpServers']);
  const off = entries.filter((entry) => toggleOf(entry) === true);
  const on = entries.filter((entry) => toggleOf(entry) === false).map(({ name }) => name);
  if (off.length === 0 && on.length === 0) return { entries };
  return { entries: entries.filter((entry) => toggleOf(entry) === undefined), switches: { off, on } };
}

function toggleOf({ node }: RawEntry): boolean | undefined {
  if (node.kind !== 'object' || node.entries.length !== 1) return undefined;
  const disabled = get(node, 'disabled');
  return disabled?.kind === 'boolean' ? disabled.value : undefined;
}

function readPiEntry(node: ObjectNode, context: EntryContext): EntryReading | undefined {
  const socket = get(node, 'socket');
  if (socket !== undefined) {
    const message = `server "${context.entry.name}" is reached through a socket, which holt does not speak over`;
    context.report({ severity: 'warning', code: 'entry-unsupported', at: socket.start, message });
    return undefined;
  }
  const reading = readShape(node, shape, context);
  if (reading === undefined) return undefined;
  const fields: Fields = { node, report: context.report };
  if (reading.launch.kind !== 'stdio')
    return { ...reading, launch: readRemoteExtras(reading.launch, fields) };

  const isLiteral = readBoolean(fields, 'literalEnv') === true;
  if (!isLiteral) reportCommands(node, ['env'], isBangCommand, context);
  const launch = readStdioExtras(reading.launch, fields);
  return { ...reading, launch, ...(isLiteral ? { dialect: 'none' } : {}) };
}

function readStdioExtras(launch: StdioLaunch, fields: Fields): StdioLaunch {
  return readBoolean(fields, 'inheritEnv') === false ? { ...launch, inheritEnv: 'safe' } : launch;
}

function readRemoteExtras(launch: RemoteLaunch, fields: Fields): RemoteLaunch {
  const caFile = readString(fields, 'caFile');
  const auth = get(fields.node, 'auth');
  const isOpen = auth?.kind === 'boolean' && !auth.value;
  reportHelpers(fields);
  reportCommands(fields.node, ['headers'], isBangCommand, fields);
  return {
    ...launch,
    headers: { ...launch.headers, ...readBearer(fields) },
    ...(caFile === undefined ? {} : { tls: { caFile } }),
    ...(isOpen ? { oauth: false } : {}),
  };
}

/**
 * Converts a token in the file to the header that sends it.
 * A token that a command prints cannot be converted.
 */
function readBearer(fields: Fields): Readonly<Record<string, string>> {
  const token = readString(fields, 'bearerToken');
  if (token === undefined) return {};
  if (!isBangCommand(token)) return { Authorization: `Bearer ${token}` };
  report(fields, 'bearerToken', 'is a command that prints the token; holt does not run it');
  return {};
}

function reportHelpers(fields: Fields): void {
  const { node } = fields;
  if (get(node, 'requestHeadersCommand') !== undefined) {
    report(
      fields,
      'requestHeadersCommand',
      'is a program that makes headers for each request; holt does not run it',
    );
  }
  if (get(node, 'bearerTokenStore') !== undefined) {
    report(fields, 'bearerTokenStore', 'names a token in a store of pi’s own, which holt does not read');
  }
}

function report({ node, report: say }: Fields, key: string, what: string): void {
  const at = get(node, key)?.start ?? node.start;
  const code = key === 'bearerTokenStore' ? 'placeholder-unset' : 'field-executable';
  say({
    severity: 'warning',
    code,
    at,
    message: `"${key}" ${what}`,
    remedy: 'Use bearerTokenEnv or headers.',
  });
}
