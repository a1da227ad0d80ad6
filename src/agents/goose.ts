/**
 * Goose: `extensions.<key>` in `config.yaml`, where only the types `stdio`, `streamable_http` and `sse` are
 * MCP servers. Secrets named in `env_keys` are in Goose's keyring, which holt does not read.
 */

import { get, type DocNode, type ObjectNode } from '../documents/tree.ts';
import type { AgentFormat, EntryContext, Location } from './agent-format.ts';
import type { EntryReading, ServerShape } from './server-shape.ts';
import { createWriter } from './create-writer.ts';
import { readBoolean, readString, readStringMap, readStrings, type Fields } from './fields.ts';
import { appData, userFile, xdgConfig } from './places.ts';
import { mapLayer } from './server-map.ts';
import { refuse, urlProblem } from './read-launch.ts';
import { readTimeouts } from './timeout-fields.ts';

/** Goose requires the switch in every entry, and the name a second time. */
const shape: ServerShape = {
  dialect: 'goose',
  command: 'cmd',
  env: ['envs'],
  urls: [{ key: 'uri', untyped: 'http' }],
  off: { key: 'enabled', value: false },
  timeouts: [{ key: 'timeout', unit: 's', means: 'idle' }],
  include: ['available_tools'],
  writes: {
    types: { stdio: 'stdio', http: 'streamable_http' },
    noCwd: true,
    finish: (entry, { enabled }, name) => ({ name, ...entry, enabled }),
  },
};

const notServers = new Set(['builtin', 'platform', 'frontend', 'inline_python']);

export const goose: AgentFormat = {
  id: 'goose',
  label: 'Goose',
  shape,
  combine: 'whole',
  locate: (machine): readonly Location[] => {
    const root = machine.env['GOOSE_PATH_ROOT'];
    if (root !== undefined && root !== '')
      return [userFile(machine.path.join(root, 'config', 'config.yaml'))];
    const path =
      machine.os === 'windows'
        ? appData(machine, 'Block', 'goose', 'config', 'config.yaml')
        : xdgConfig(machine, 'goose', 'config.yaml');
    return [userFile(path)];
  },
  layer: (file) => ({ entries: mapLayer(file, ['extensions']).entries.filter(({ node }) => isServer(node)) }),
  read: readGooseEntry,
  writer: createWriter({ shape, files: { user: /./ }, keys: [['extensions']] }),
};

function readGooseEntry(node: ObjectNode, context: EntryContext): EntryReading | undefined {
  const fields: Fields = { node, report: context.report };
  const launch = readLaunch(fields, context);
  if (launch === undefined) return undefined;
  const enabled = readBoolean(fields, 'enabled');
  if (enabled === undefined) {
    const message = 'Goose refuses an extension without "enabled"';
    context.report({
      severity: 'warning',
      code: 'agent-refuses',
      at: node.start,
      message,
      remedy: 'Add enabled: true.',
    });
  }
  reportKeyring(fields, context);
  const include = readStrings(fields, 'available_tools') ?? [];
  return {
    launch,
    enabled: enabled ?? true,
    timeouts: readTimeouts(fields, shape.timeouts ?? []),
    dialect: shape.dialect,
    // An empty list means all tools.
    ...(include.length === 0 ? {} : { tools: { include } }),
  };
}

function isServer(node: DocNode): boolean {
  const type = get(node, 'type');
  return type?.kind !== 'string' || !notServers.has(type.value);
}

function readLaunch(fields: Fields, context: EntryContext): EntryReading['launch'] | undefined {
  const type = readString(fields, 'type');
  switch (type) {
    case 'stdio':
      return readProgram(fields, context);
    case 'streamable_http':
      return readRemote(fields, context, 'http');
    case 'sse': {
      const message = 'Goose no longer connects to servers of type sse';
      const remedy = 'Use streamable_http.';
      context.report({ severity: 'warning', code: 'agent-refuses', at: fields.node.start, message, remedy });
      return readRemote(fields, context, 'sse');
    }
    case undefined:
      return refuse(context, fields.node.start, 'it needs "type"', 'Use stdio or streamable_http.');
    default: {
      const reason = `"${type}" is not an extension type that holt can run`;
      return refuse(context, fields.node.start, reason, 'Use stdio or streamable_http.');
    }
  }
}

function readProgram(fields: Fields, context: EntryContext): EntryReading['launch'] | undefined {
  const command = readString(fields, 'cmd');
  if (command === undefined || command.trim() === '') {
    return refuse(context, fields.node.start, 'it needs "cmd"');
  }
  const env = readStringMap(fields, 'envs');
  return { kind: 'stdio', command, args: readStrings(fields, 'args') ?? [], env, envFrom: {} };
}

function readRemote(
  fields: Fields,
  context: EntryContext,
  kind: 'http' | 'sse',
): EntryReading['launch'] | undefined {
  const url = readString(fields, 'uri');
  if (url === undefined) return refuse(context, fields.node.start, 'it needs "uri"');
  const problem = urlProblem(url, kind);
  if (problem !== undefined) return refuse(context, fields.node.start, problem);
  if (Object.keys(readStringMap(fields, 'envs')).length > 0) {
    context.report({
      severity: 'warning',
      code: 'placeholder-unset',
      at: get(fields.node, 'envs')?.start ?? fields.node.start,
      message: 'Goose fills placeholders of this server from "envs"; holt fills them from the environment',
      remedy: 'Set the variables in the environment.',
    });
  }
  return { kind, url, headers: readStringMap(fields, 'headers'), headersFrom: {} };
}

function reportKeyring(fields: Fields, context: EntryContext): void {
  const names = readStrings(fields, 'env_keys') ?? [];
  if (names.length === 0) return;
  context.report({
    severity: 'info',
    code: 'placeholder-unset',
    at: get(fields.node, 'env_keys')?.start ?? fields.node.start,
    message: `${names.join(', ')} ${names.length === 1 ? 'comes' : 'come'} from Goose's keyring, which holt does not read`,
    remedy: 'Set the variable in the environment.',
  });
}
