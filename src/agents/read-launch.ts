/** Reads how a server is reached, a program or a URL, in the words of a shape. */

import { get, type ObjectNode } from '../documents/tree.ts';
import type { RemoteLaunch, StdioLaunch, Transport } from '../kernel/servers.ts';
import type { EntryContext } from './agent-format.ts';
import { firstPresent, readString, readStringMap, readStrings, type Fields } from './fields.ts';
import { readOAuth } from './oauth-fields.ts';
import { commonTypes, type EntryReading, type ServerShape, type UrlField } from './server-shape.ts';

/** The transport names that any agent uses; compared without dashes, underscores and case. */
const knownTypes: Readonly<Record<string, Transport>> = {
  stdio: 'stdio',
  local: 'stdio',
  http: 'http',
  streamablehttp: 'http',
  shttp: 'http',
  remote: 'http',
  sse: 'sse',
  ws: 'ws',
  websocket: 'ws',
};

export function readLaunch(
  fields: Fields,
  shape: ServerShape,
  context: EntryContext,
): StdioLaunch | RemoteLaunch | undefined {
  const urls = shape.urls ?? [{ key: 'url', untyped: 'http' }];
  const urlKey = firstPresent(
    fields.node,
    urls.map(({ key }) => key),
  );
  const url = urls.find(({ key }) => key === urlKey);
  const type = url?.always === true ? undefined : readType(fields, shape, context);
  if (type === 'unknown') return undefined;
  const choice = chooseLaunch({
    type,
    hasUrl: url !== undefined,
    hasCommand: firstPresent(fields.node, ['command']) !== undefined,
    both: shape.both ?? 'refuse',
    urlKey: urls[0]?.key ?? 'url',
  });
  if (choice === 'stdio') return readStdio(fields, shape, context);
  if (choice === 'remote' && url !== undefined) return readRemote(fields, shape, { context, url, type });
  const { reason, remedy } =
    typeof choice === 'string' ? { reason: 'it has no URL', remedy: undefined } : choice;
  return refuse(context, fields.node.start, reason, remedy);
}

interface Refusal {
  readonly reason: string;
  readonly remedy?: string;
}

interface LaunchSigns {
  readonly type: Transport | undefined;
  readonly hasUrl: boolean;
  readonly hasCommand: boolean;
  readonly both: NonNullable<ServerShape['both']>;
  readonly urlKey: string;
}

/**
 * Decides whether an entry is a program or remote;
 * otherwise returns why it is neither, and what to do about it.
 */
function chooseLaunch({ type, hasUrl, hasCommand, both, urlKey }: LaunchSigns): 'stdio' | 'remote' | Refusal {
  if (hasUrl && both === 'url-wins') return 'remote';
  if (hasUrl && hasCommand && (both !== 'type-decides' || type === undefined)) {
    return { reason: 'it has both "command" and a URL', remedy: 'Keep one of the two.' };
  }
  if (hasUrl && type !== 'stdio') return 'remote';
  if (type !== undefined && type !== 'stdio') {
    return { reason: `a server of type ${type} needs a URL`, remedy: `Add "${urlKey}".` };
  }
  return hasCommand ? 'stdio' : { reason: `it needs "command" or "${urlKey}"` };
}

/** Returns the transport as written. For an unknown one, reports a problem and returns `unknown`. */
export function readType(
  fields: Fields,
  shape: ServerShape,
  context: EntryContext,
): Transport | 'unknown' | undefined {
  const key = firstPresent(fields.node, shape.types ?? ['type']);
  if (key === undefined) return undefined;
  const written = readString(fields, key);
  if (written === undefined) return undefined;
  const own = Object.entries(shape.typeNames ?? commonTypes).find(([name]) => name === written)?.[1];
  if (own !== undefined) return own;
  const at = get(fields.node, key)?.start ?? fields.node.start;
  const known = Object.entries(knownTypes).find(
    ([name]) => name === written.toLowerCase().replaceAll(/[-_]/g, ''),
  )?.[1];
  if (known === undefined) {
    refuse(context, at, `Unknown transport "${written}"`, 'Use stdio, http, sse or ws.');
    return 'unknown';
  }
  const spelling = spellingOf(shape, known);
  context.report({
    severity: 'warning',
    code: 'agent-refuses',
    at,
    message: `the agent does not know the type "${written}"; holt reads it as ${known}`,
    ...(spelling === undefined ? {} : { remedy: `Write "${spelling}".` }),
  });
  return known;
}

/** Returns the agent's own name for a transport, or `undefined` if the agent does not support it. */
function spellingOf(shape: ServerShape, transport: Transport): string | undefined {
  return Object.entries(shape.typeNames ?? commonTypes).find(([, meant]) => meant === transport)?.[0];
}

export function readStdio(
  fields: Fields,
  shape: ServerShape,
  context: EntryContext,
): StdioLaunch | undefined {
  const command = readCommand(fields, context);
  if (command === undefined) return undefined;
  const cwdKey = firstPresent(fields.node, shape.cwd ?? ['cwd']);
  const cwd = cwdKey === undefined ? undefined : readString(fields, cwdKey);
  return {
    kind: 'stdio',
    command,
    args: readStrings(fields, 'args') ?? [],
    env: readFirstMap(fields, shape.env ?? ['env']),
    envFrom: {},
    ...(cwd === undefined ? {} : { cwd }),
  };
}

function readCommand(fields: Fields, context: EntryContext): string | undefined {
  const node = get(fields.node, 'command');
  if (node?.kind === 'string' && node.value.trim() !== '') return node.value;
  const what = node?.kind === 'string' ? 'is empty' : 'is not a string';
  const remedy = 'Give the program as one string and its arguments in "args".';
  return refuse(context, node?.start ?? fields.node.start, `"command" ${what}`, remedy);
}

interface RemoteParts {
  readonly context: EntryContext;
  readonly url: UrlField;
  readonly type: Transport | undefined;
}

function readRemote(fields: Fields, shape: ServerShape, parts: RemoteParts): RemoteLaunch | undefined {
  const text = readString(fields, parts.url.key) ?? '';
  const kind = text.trim() === '' ? undefined : remoteKind(text, parts, fields, shape);
  const problem = kind === undefined ? `"${parts.url.key}" is empty or not a string` : urlProblem(text, kind);
  if (kind === undefined || problem !== undefined) {
    return refuse(parts.context, get(fields.node, parts.url.key)?.start ?? fields.node.start, problem ?? '');
  }
  const oauth = shape.oauth === undefined ? undefined : readOAuth(fields, shape.oauth);
  return {
    kind,
    url: text,
    headers: readFirstMap(fields, shape.headers ?? ['headers']),
    headersFrom: readBearer(fields, shape),
    ...(oauth === undefined ? {} : { oauth }),
  };
}

function readBearer(fields: Fields, { bearerEnv }: ServerShape): RemoteLaunch['headersFrom'] {
  const variable = bearerEnv === undefined ? undefined : readString(fields, bearerEnv);
  return variable === undefined ? {} : { Authorization: { variable, prefix: 'Bearer ', suffix: '' } };
}

function remoteKind(
  text: string,
  parts: RemoteParts,
  fields: Fields,
  shape: ServerShape,
): RemoteLaunch['kind'] {
  if (parts.type !== undefined && parts.type !== 'stdio') return parts.type;
  if (/^wss?:/i.test(text)) return 'ws';
  const { untyped } = parts.url;
  if (typeof untyped === 'string') return untyped;
  parts.context.report({
    severity: 'warning',
    code: 'agent-refuses',
    at: get(fields.node, parts.url.key)?.start ?? fields.node.start,
    message: `the agent ${untyped.refusedAs}; holt reads it as http`,
    remedy: `Add "${shape.types?.[0] ?? 'type'}": "${spellingOf(shape, 'http')}".`,
  });
  return 'http';
}

/** Placeholders may appear anywhere here; the URL is checked again once they are filled in. */
export function urlProblem(text: string, kind: RemoteLaunch['kind']): string | undefined {
  const scheme = /^\s*([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined)
    return /[${]/.test(text) ? undefined : 'its URL is not one that begins with http: or https:';
  const allowed = kind === 'ws' ? ['ws', 'wss', 'http', 'https'] : ['http', 'https'];
  return allowed.includes(scheme)
    ? undefined
    : `a URL that begins with "${scheme}:" cannot be used for ${kind}`;
}

function readFirstMap(fields: Fields, keys: readonly string[]): Readonly<Record<string, string>> {
  const key = firstPresent(fields.node, keys);
  return key === undefined ? {} : readStringMap(fields, key);
}

/** Reads a command that prints headers. It is stored as text and runs when the server is connected. */
export function withHeadersHelper(
  reading: EntryReading | undefined,
  node: ObjectNode,
  { headersHelper: key }: ServerShape,
  context: EntryContext,
): EntryReading | undefined {
  if (key === undefined || reading === undefined || reading.launch.kind === 'stdio') return reading;
  const headersHelper = readString({ node, report: context.report }, key);
  if (headersHelper === undefined) return reading;
  context.report({
    severity: 'info',
    code: 'field-executable',
    at: get(node, key)?.start ?? node.start,
    message: `"${key}" is a command that runs when the server is connected`,
  });
  return { ...reading, launch: { ...reading.launch, headersHelper } };
}

/** Reports why the entry cannot be used, and returns `undefined`. */
export function refuse(context: EntryContext, at: number, reason: string, remedy?: string): undefined {
  context.report({
    severity: 'error',
    code: 'entry-invalid',
    at,
    message: `server "${context.entry.name}" cannot be used: ${reason}`,
    ...(remedy === undefined ? {} : { remedy }),
  });
  return undefined;
}
