/**
 * mcporter: one file of the user and one of the project; the project's entry replaces the user's as a whole.
 * Files of other agents that it imports are not read here, because those agents are read by their own rules.
 */

import { get, type ObjectNode } from '../documents/tree.ts';
import type { OAuthSettings, RemoteLaunch } from '../kernel/servers.ts';
import type { Machine } from '../kernel/machine.ts';
import type { AgentFormat, EntryContext, Location } from './agent-format.ts';
import type { EntryReading, ServerShape } from './server-shape.ts';
import { firstPresent, readString, type Fields } from './fields.ts';
import { homeFile, projectFile, userFile, xdgConfig } from './places.ts';
import { dropKeys, renameKeys, setKey } from './reshape.ts';
import { mapLayer } from './server-map.ts';
import { readShape } from './read-shape.ts';

const shape: ServerShape = {
  dialect: 'mcporter',
  urls: ['baseUrl', 'url', 'serverUrl'].map((key) => ({ key, untyped: 'http' as const })),
  types: [],
  commandAs: 'list',
  both: 'url-wins',
  include: ['allowedTools'],
  exclude: ['blockedTools'],
  bearerEnv: 'bearerTokenEnv',
};

export const mcporter: AgentFormat = {
  id: 'mcporter',
  label: 'mcporter',
  shape,
  combine: 'whole',
  locate: mcporterFiles,
  layer: (file) => mapLayer(file, ['mcpServers']),
  read: readMcporterEntry,
};

function mcporterFiles(machine: Machine): readonly Location[] {
  const { path } = machine;
  const only = machine.env['MCPORTER_CONFIG']?.trim() ?? '';
  if (only !== '') {
    const expanded = /^~(?=$|[/\\])/.test(only) ? path.join(machine.homeDir, only.slice(1)) : only;
    return [userFile(path.resolve(machine.cwd, expanded))];
  }
  const xdg = xdgConfig(machine, 'mcporter', 'mcporter.json');
  const own = path.join(machine.homeDir, '.mcporter', 'mcporter.json');
  return [
    homeFile(machine, ['.mcporter', 'mcporter.jsonc'], { unless: own }),
    userFile(own),
    userFile(`${xdg}c`, { unless: xdg }),
    userFile(xdg),
    projectFile(machine, ['config', 'mcporter.json']),
  ];
}

/** Every field may also be written with underscores. */
const otherSpellings = {
  base_url: 'baseUrl',
  server_url: 'serverUrl',
  bearer_token: 'bearerToken',
  bearer_token_env: 'bearerTokenEnv',
  allowed_tools: 'allowedTools',
  blocked_tools: 'blockedTools',
  oauth_client_id: 'oauthClientId',
  oauth_client_secret: 'oauthClientSecret',
  oauth_client_secret_env: 'oauthClientSecretEnv',
  oauth_redirect_url: 'oauthRedirectUrl',
  oauth_scope: 'oauthScope',
};

function readMcporterEntry(written: ObjectNode, context: EntryContext): EntryReading | undefined {
  const node = withCommandList(renameKeys(written, otherSpellings));
  const reading = readShape(node, shape, context);
  if (reading === undefined) return undefined;
  if (
    firstPresent(node, ['allowedTools']) !== undefined &&
    firstPresent(node, ['blockedTools']) !== undefined
  ) {
    const at = get(node, 'blockedTools')?.start ?? node.start;
    const message = 'mcporter refuses an entry with both "allowedTools" and "blockedTools"';
    context.report({
      severity: 'warning',
      code: 'agent-refuses',
      at,
      message,
      remedy: 'Keep one of the two.',
    });
  }
  const { launch } = reading;
  return launch.kind === 'stdio'
    ? reading
    : { ...reading, launch: withLogin(launch, { node, report: context.report }) };
}

/** `executable` is a program that is used unchanged; a `command` string without `args` is a command line. */
function withCommandList(node: ObjectNode): ObjectNode {
  const executable = get(node, 'executable');
  if (executable?.kind === 'string') return setKey(dropKeys(node, ['executable']), 'command', executable);
  const command = get(node, 'command');
  const args = get(node, 'args');
  if (command?.kind !== 'string' || (args?.kind === 'array' && args.items.length > 0)) return node;
  const { start, end } = command;
  const items = splitCommandLine(command.value).map(
    (value) => ({ kind: 'string', value, start, end }) as const,
  );
  return items.length === 0 ? node : setKey(node, 'command', { kind: 'array', items, start, end });
}

function withLogin(launch: RemoteLaunch, fields: Fields): RemoteLaunch {
  const token = readString(fields, 'bearerToken');
  const oauth = readFlatOAuth(fields);
  return {
    ...launch,
    headers: token === undefined ? launch.headers : { ...launch.headers, Authorization: `Bearer ${token}` },
    ...(Object.keys(oauth).length === 0 ? {} : { oauth }),
  };
}

function readFlatOAuth(fields: Fields): OAuthSettings {
  const clientId = readString(fields, 'oauthClientId');
  const secretName = readString(fields, 'oauthClientSecretEnv');
  const clientSecret =
    readString(fields, 'oauthClientSecret') ?? (secretName === undefined ? undefined : `\${${secretName}}`);
  const redirectUri = readString(fields, 'oauthRedirectUrl');
  const scope = readString(fields, 'oauthScope');
  return {
    ...(clientId === undefined ? {} : { clientId }),
    ...(clientSecret === undefined ? {} : { clientSecret }),
    ...(redirectUri === undefined ? {} : { redirectUri }),
    ...(scope === undefined ? {} : { scopes: scope.split(/\s+/).filter((word) => word !== '') }),
  };
}

/** A Windows path: its backslashes are not escapes, and its spaces do not separate words. */
const windowsPath = /^\s*(?:[a-z]:[\\/]|\\\\)/i;

const quoted = /'((?:\\[\s\S]|[^'\\])*)'|"((?:\\[\s\S]|[^"\\])*)"/;
const piece = new RegExp(String.raw`\\[\s\S]|${quoted.source}|['"]|[^\s'"]`, 'g');
const word = new RegExp(`(?:${piece.source})+`, 'g');

export function splitCommandLine(line: string): readonly string[] {
  if (windowsPath.test(line)) return [line];
  return (line.match(word) ?? []).map((text) => text.replaceAll(piece, unquote));
}

function unquote(text: string, single?: string, double?: string): string {
  return (single ?? double ?? text).replaceAll(/\\([\s\S])/g, '$1');
}
