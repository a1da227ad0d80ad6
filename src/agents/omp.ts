/**
 * oh-my-pi: Claude's fields in its own folders and in Claude's `mcp.json`. Of two entries with one name, the
 * one with the higher priority replaces the other as a whole. Lists beside the servers switch names off and
 * on, whatever file defines them.
 */

import { get, type DocNode, type ObjectNode } from '../documents/tree.ts';
import type { Machine } from '../kernel/machine.ts';
import type { AgentFormat, ConfigFile, EntryContext, FileLookup, Layer, Location } from './agent-format.ts';
import { commonOAuth, type EntryReading, type ServerShape } from './server-shape.ts';
import { createWriter } from './create-writer.ts';
import { isBangCommand, reportCommands } from './field-warnings.ts';
import { listedStrings, readString, readStrings, type Fields } from './fields.ts';
import { homeFile, movedHome, projectFile, userFile } from './places.ts';
import { dropKeys, setKey } from './reshape.ts';
import { mapLayer } from './server-map.ts';
import { readShape } from './read-shape.ts';

const shape: ServerShape = {
  dialect: 'omp',
  typeNames: { stdio: 'stdio', http: 'http', sse: 'sse' },
  off: { key: 'enabled', value: false },
  // Applies to connecting, to each request of a start, and to each call. 0 means that a call has no limit.
  timeouts: [
    { key: 'timeout', unit: 'ms', means: 'phases', least: 1 },
    { key: 'timeout', unit: 'ms', means: 'idle' },
  ],
  include: ['enabledTools'],
  exclude: ['disabledTools'],
  oauth: {
    ...commonOAuth,
    scopes: 'scope',
    scopesAs: 'text',
    callbackPort: 'callbackPort',
    redirectUri: 'redirectUri',
  },
  writes: { types: { stdio: null, http: 'http', sse: 'sse' }, own: ['auth'] },
};

export const omp: AgentFormat = {
  id: 'omp',
  label: 'oh-my-pi',
  shape,
  combine: 'whole',
  locate: (machine) => {
    const { path } = machine;
    const agentDir = agentFolder(machine);
    return [
      homeFile(machine, ['.claude', 'mcp.json']),
      besideAgentFolder(machine),
      userFile(path.join(agentDir, '.mcp.json')),
      userFile(path.join(agentDir, 'mcp.json')),
      projectFile(machine, ['.claude', 'mcp.json']),
      projectFile(machine, ['.omp', '.mcp.json']),
      projectFile(machine, ['.omp', 'mcp.json']),
    ];
  },
  layer: ompLayer,
  read: readOmpEntry,
  writer: createWriter({ shape, files: { user: userFileToWrite, project: ['.omp/mcp.json'] } }),
};

function besideAgentFolder(machine: Machine): Location {
  return homeFile(machine, [configName(machine), 'mcp.json']);
}

/** The file beside the agent's own folder is the one to write, if it exists. */
function userFileToWrite({ machine, files, locate }: FileLookup): string {
  const beside = besideAgentFolder(machine).path;
  if (files.exists(beside)) return beside;
  return locate(machine).findLast(({ scope }) => scope === 'user')?.path ?? beside;
}

/** `PI_CONFIG_DIR` is the name of a folder below the home folder. */
function configName({ env }: Machine): string {
  const name = env['PI_CONFIG_DIR'];
  return name === undefined || name === '' ? '.omp' : name;
}

/** A profile has its own agent folder, which no variable moves. */
function agentFolder(machine: Machine): string {
  const { env } = machine;
  const profile = (env['OMP_PROFILE'] ?? env['PI_PROFILE'] ?? '').trim();
  const isNamed = /^[a-z0-9][a-z0-9._-]{0,63}$/.test(profile) && profile !== 'default';
  const folder = configName(machine);
  if (isNamed) return machine.path.join(machine.homeDir, folder, 'profiles', profile, 'agent');
  return movedHome(machine, 'PI_CODING_AGENT_DIR', folder, 'agent');
}

function ompLayer(file: ConfigFile): Layer {
  const layer = mapLayer(file, ['mcpServers']);
  if (file.root?.kind !== 'object') return layer;
  const fields: Fields = { node: file.root, report: file.report };
  const off = listedStrings(fields, 'disabledServers');
  const on = readStrings(fields, 'enabledServers') ?? [];
  return off.length === 0 && on.length === 0 ? layer : { ...layer, switches: { off, on } };
}

function readOmpEntry(node: ObjectNode, context: EntryContext): EntryReading | undefined {
  const reading = readShape(withPlainValues(node, context), shape, context);
  if (reading === undefined) return undefined;
  reportCommands(node, ['env', 'headers'], isBangCommand, context);
  const auth = readAuth({ node, report: context.report });
  return auth === undefined ? reading : { ...reading, auth };
}

/**
 * Converts a switch and a limit that are written as strings.
 * oh-my-pi accepts these few, and so does holt, with a warning.
 */
function withPlainValues(node: ObjectNode, context: EntryContext): ObjectNode {
  let plain = node;
  for (const [key, understand] of [
    ['enabled', toBoolean],
    ['timeout', toNumber],
  ] as const) {
    const value = get(node, key);
    const meant = value?.kind === 'string' ? understand(value.value, value) : undefined;
    if (value?.kind !== 'string' || meant === undefined) continue;
    const message = `"${key}" must be ${key === 'enabled' ? 'true or false' : 'a number'}, but is the string "${value.value}"; it is read as such`;
    context.report({
      severity: 'warning',
      code: 'field-invalid',
      at: value.start,
      message,
      remedy: 'Remove the quotes.',
    });
    plain = setKey(dropKeys(plain, [key]), key, meant);
  }
  return plain;
}

function toBoolean(text: string, { start, end }: DocNode): DocNode | undefined {
  const word = text.toLowerCase();
  if (!['true', '1', 'false', '0'].includes(word)) return undefined;
  return { kind: 'boolean', value: word === 'true' || word === '1', start, end };
}

function toNumber(text: string, { start, end }: DocNode): DocNode | undefined {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) && value >= 0 ? { kind: 'number', value, start, end } : undefined;
}

/** Reads the id of a stored login. */
function readAuth(fields: Fields): EntryReading['auth'] {
  const node = get(fields.node, 'auth');
  if (node?.kind !== 'object') return undefined;
  const auth: Fields = { node, report: fields.report };
  const credentialId = readString(auth, 'type') === 'oauth' ? readString(auth, 'credentialId') : undefined;
  return credentialId === undefined ? undefined : { type: 'oauth', credentialId };
}
