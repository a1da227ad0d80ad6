/**
 * Locates and reads the files of opencode and the agents derived from it. Converts the newer spelling
 * (`mcp.servers`, `disabled`, limits as an object) to the older one, so that files of both kinds can be merged field
 * by field.
 */

import { get, type DocNode, type ObjectNode } from '../documents/tree.ts';
import type { Phase, Timeouts } from '../kernel/phases.ts';
import type { ConfigFile, Layer, Location, RawEntry } from './agent-format.ts';
import { readNumber, type Fields } from './fields.ts';
import { dropKeys, renameKeys, setKey } from './reshape.ts';
import { entriesOf, isObjectFile, looksLikeEntry } from './server-map.ts';
import { timeoutsFor } from './timeout-fields.ts';
import type { Machine } from '../kernel/machine.ts';
import { homeFile, managedFile, perSystem, userFile, walkFiles, xdgConfig } from './places.ts';

export interface FamilyNames {
  /** The prefix of variables: `OPENCODE` in `OPENCODE_CONFIG`. */
  readonly variables: string;
  /** The folder below `~/.config`, `/etc` and the like. */
  readonly folder: string;
  /** Each list weakest first. */
  readonly userFiles: readonly string[];
  readonly projectFiles: readonly string[];
  readonly dotFolders: readonly string[];
  readonly dotFiles: readonly string[];
}

export function familyFiles(machine: Machine, names: FamilyNames): readonly Location[] {
  const { path } = machine;
  const moved = (suffix: string): readonly string[] => {
    const value = machine.env[`${names.variables}_${suffix}`];
    return value === undefined || value === '' ? [] : [path.resolve(machine.cwd, value)];
  };
  const inDotFolders = names.dotFolders.flatMap((folder) => names.dotFiles.map((file) => [folder, file]));
  const project = [
    ...walkRows(
      machine,
      names.projectFiles.map((file) => [file]),
    ).flat(),
    // The nearest folder comes first and so is the weakest of these.
    ...walkRows(machine, inDotFolders).toReversed().flat(),
  ];
  const managed = perSystem(machine, {
    linux: `/etc/${names.folder}`,
    macos: `/Library/Application Support/${names.folder}`,
    windows: path.join(machine.env['ProgramData'] ?? 'C:\\ProgramData', names.folder),
  });

  return [
    ...names.userFiles.map((file) => userFile(xdgConfig(machine, names.folder, file))),
    ...moved('CONFIG').map((file) => userFile(file)),
    ...(readsProject(machine, names) ? project : []),
    ...inDotFolders.map((parts) => homeFile(machine, parts)),
    ...moved('CONFIG_DIR').flatMap((folder) =>
      names.dotFiles.map((file) => userFile(path.join(folder, file))),
    ),
    ...contentOf(machine, `${names.variables}_CONFIG_CONTENT`),
    ...names.dotFiles.map((file) => managedFile(path.join(managed, file))),
  ];
}

/** A complete config in an environment variable. */
function contentOf({ env }: Machine, variable: string): readonly Location[] {
  const text = env[variable];
  return text === undefined || text === '' ? [] : [{ ...userFile(`$${variable}`, { format: 'json' }), text }];
}

/** False if a variable disables the project's files. */
export function readsProject({ env }: Machine, { variables }: FamilyNames): boolean {
  return !['1', 'true'].includes(env[`${variables}_DISABLE_PROJECT_CONFIG`]?.toLowerCase() ?? '');
}

/** Several files in each folder of the walk: one row per folder, the project's root first. */
function walkRows(machine: Machine, files: readonly (readonly string[])[]): readonly (readonly Location[])[] {
  const columns = files.map((parts) => walkFiles(machine, parts));
  return machine.walk.map((_, row) => columns.flatMap((column) => column[row] ?? []));
}

export function familyLayer(file: ConfigFile, label: string): Layer {
  if (!isObjectFile(file)) return { entries: [] };
  const stray = get(file.root, 'mcpServers');
  if (stray !== undefined) {
    const message = `${label} does not look at "mcpServers"`;
    const remedy = 'Put the servers under "mcp".';
    file.report({ severity: 'warning', code: 'agent-ignores', at: stray.start, message, remedy });
  }
  const mcp = get(file.root, 'mcp');
  const servers = isEnvelope(get(mcp, 'servers')) ? get(mcp, 'servers') : undefined;
  const limits = isLimits(get(mcp, 'timeout')) ? get(mcp, 'timeout') : undefined;
  const flat = entriesOf(file, mcp, 'mcp').filter(({ node }) => node !== servers && node !== limits);
  const nested = withoutNames(entriesOf(file, servers, 'mcp.servers'), flat, file);
  const timeouts = { ...readLimits(limits, file), ...readCallLimit(file) };
  return {
    entries: [...flat, ...nested].map(inOlderSpelling),
    ...(Object.keys(timeouts).length === 0 ? {} : { timeouts }),
  };
}

/** True for the newer map of servers, and false for a server that is itself named `servers`. */
export function isEnvelope(node: DocNode | undefined): boolean {
  return node?.kind === 'object' && !looksLikeEntry(node) && get(node, 'enabled')?.kind !== 'boolean';
}

const limitKeys = ['startup', 'catalog', 'request', 'execution'];

function isLimits(node: DocNode | undefined): boolean {
  return isEnvelope(node) && limitKeys.some((key) => get(node, key)?.kind === 'number');
}

function withoutNames(
  nested: readonly RawEntry[],
  flat: readonly RawEntry[],
  file: ConfigFile,
): readonly RawEntry[] {
  return nested.filter(({ name, at }) => {
    if (!flat.some((entry) => entry.name === name)) return true;
    const message = `"${name}" also stands directly under "mcp"; that one counts`;
    const remedy = 'Remove one of them.';
    file.report({ severity: 'warning', code: 'entry-duplicate', at, server: name, message, remedy });
    return false;
  });
}

/** `timeout` of a server: one limit for each phase of its start or, if newer, an object of limits. */
export function readStartLimit(node: ObjectNode, { report }: Pick<Fields, 'report'>): Timeouts {
  const timeout = get(node, 'timeout');
  if (timeout?.kind === 'object') return readLimits(timeout, { report });
  const ms = readNumber({ node, report }, 'timeout');
  return ms === undefined ? {} : timeoutsFor('phases', ms);
}

/** Reads the newer limits: for the start, for the lists, for a call. */
function readLimits(node: DocNode | undefined, { report }: Pick<Fields, 'report'>): Timeouts {
  if (node?.kind !== 'object') return {};
  const fields: Fields = { node, report };
  const startMs = readNumber(fields, 'startup');
  const idleMs = readNumber(fields, 'execution') ?? readNumber(fields, 'request');
  const phases = listing(readNumber(fields, 'catalog'));
  return {
    ...(startMs === undefined ? {} : { startMs }),
    ...(idleMs === undefined ? {} : { idleMs }),
    ...(phases === undefined ? {} : { phases }),
  };
}

function listing(ms: number | undefined): Readonly<Partial<Record<Phase, number>>> | undefined {
  return ms === undefined ? undefined : timeoutsFor('lists', ms).phases;
}

/** `experimental.mcp_timeout` limits a call, for all servers. */
function readCallLimit(file: ConfigFile): Timeouts {
  const node = get(file.root, 'experimental');
  const idleMs =
    node?.kind === 'object' ? readNumber({ node, report: file.report }, 'mcp_timeout') : undefined;
  return idleMs === undefined ? {} : { idleMs };
}

function inOlderSpelling(entry: RawEntry): RawEntry {
  return entry.node.kind === 'object' ? { ...entry, node: toOlderSpelling(entry.node) } : entry;
}

const newerOAuth = {
  client_id: 'clientId',
  client_secret: 'clientSecret',
  callback_port: 'callbackPort',
  redirect_uri: 'redirectUri',
};

function toOlderSpelling(node: ObjectNode): ObjectNode {
  const disabled = get(node, 'disabled');
  const oauth = get(node, 'oauth');
  const renamed = oauth?.kind === 'object' ? setKey(node, 'oauth', renameKeys(oauth, newerOAuth)) : node;
  if (disabled?.kind !== 'boolean') return renamed;
  const rest = dropKeys(renamed, ['disabled']);
  if (get(rest, 'enabled') !== undefined) return rest;
  return setKey(rest, 'enabled', { ...disabled, value: !disabled.value });
}
