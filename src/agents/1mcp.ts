/**
 * 1MCP: `mcp.json`, where `serverDefaults` applies to every entry and `mcpTemplates` overrides `mcpServers`.
 * 1MCP fills in `{{…}}` from its clients; here it stays as written.
 */

import { get, type DocNode, type ObjectNode } from '../documents/tree.ts';
import type { InheritEnv, StdioLaunch } from '../kernel/servers.ts';
import type { AgentFormat, ConfigFile, EntryContext, Layer, RawEntry } from './agent-format.ts';
import { commonOAuth, commonTypes, type EntryReading, type ServerShape } from './server-shape.ts';
import { readBoolean, readStrings, type Fields } from './fields.ts';
import { appData, homeFile, userFile } from './places.ts';
import { dropKeys, setKey } from './reshape.ts';
import { entriesOf, isObjectFile } from './server-map.ts';
import { readShape } from './read-shape.ts';

const shape: ServerShape = {
  dialect: '1mcp',
  types: ['type', 'transport'],
  typeNames: { ...commonTypes, streamableHttp: 'http' },
  timeouts: [
    { key: 'timeout', unit: 'ms', means: 'start' },
    { key: 'timeout', unit: 'ms', means: 'idle' },
    { key: 'connectionTimeout', unit: 'ms', means: 'start' },
    { key: 'requestTimeout', unit: 'ms', means: 'idle' },
  ],
  include: ['enabledTools'],
  exclude: ['disabledTools'],
  oauth: {
    ...commonOAuth,
    redirectUri: 'redirectUrl',
  },
};

export const oneMcp: AgentFormat = {
  id: '1mcp',
  label: '1MCP',
  shape,
  combine: 'whole',
  locate: (machine) => {
    const moved = machine.env['ONE_MCP_CONFIG_DIR'];
    if (moved !== undefined && moved !== '')
      return [userFile(machine.path.resolve(machine.cwd, moved, 'mcp.json'))];
    return [
      machine.os === 'windows'
        ? userFile(appData(machine, '1mcp', 'mcp.json'))
        : homeFile(machine, ['.config', '1mcp', 'mcp.json']),
    ];
  },
  layer: oneMcpLayer,
  read: readOneMcpEntry,
};

function oneMcpLayer(file: ConfigFile): Layer {
  if (!isObjectFile(file)) return { entries: [] };
  const templates = entriesOf(file, get(file.root, 'mcpTemplates'), 'mcpTemplates');
  const plain = entriesOf(file, get(file.root, 'mcpServers'), 'mcpServers').filter(({ name, at }) => {
    if (!templates.some((template) => template.name === name)) return true;
    const message = `1MCP does not look at this entry: "mcpTemplates" has one with the same name`;
    file.report({
      severity: 'warning',
      code: 'agent-ignores',
      at,
      server: name,
      message,
      remedy: 'Remove one of them.',
    });
    return false;
  });
  const defaults = get(file.root, 'serverDefaults');
  const filled = (entry: RawEntry): RawEntry => ({ ...entry, node: withDefaults(entry.node, defaults) });
  return { entries: [...plain, ...templates].map(filled) };
}

/** Fills in missing fields from the defaults. If `env` is a map in both, the two maps are merged. */
function withDefaults(node: DocNode, defaults: DocNode | undefined): DocNode {
  if (node.kind !== 'object' || defaults?.kind !== 'object') return node;
  const added = defaults.entries.filter(({ key }) => get(node, key) === undefined);
  const filled: ObjectNode = { ...node, entries: [...added, ...node.entries] };
  const env = get(node, 'env');
  const shared = get(defaults, 'env');
  if (env?.kind !== 'object' || shared?.kind !== 'object') return filled;
  const others = shared.entries.filter(({ key }) => get(env, key) === undefined);
  return setKey(filled, 'env', { ...env, entries: [...others, ...env.entries] });
}

function readOneMcpEntry(node: ObjectNode, context: EntryContext): EntryReading | undefined {
  const fields: Fields = { node, report: context.report };
  const list = get(node, 'env')?.kind === 'array' ? readStrings(fields, 'env') : undefined;
  const reading = readShape(list === undefined ? node : dropKeys(node, ['env']), shape, context);
  if (reading === undefined) return undefined;
  reportTemplates(node, context);
  const { launch } = reading;
  return {
    ...reading,
    enabled: readEnabled(fields),
    launch: launch.kind === 'stdio' ? withEnvironment(launch, list ?? [], fields) : launch,
  };
}

/** `disabled` may be a template that only 1MCP can evaluate; the server then counts as enabled. */
function readEnabled(fields: Fields): boolean {
  const disabled = get(fields.node, 'disabled');
  if (disabled?.kind !== 'string')
    return readBoolean(fields, 'disabled') !== true && readBoolean(fields, 'enabled') !== false;
  if (['true', 'false'].includes(disabled.value.trim())) return disabled.value.trim() === 'false';
  const message = '"disabled" is a template that only 1MCP can work out; the server counts as on';
  fields.report({
    severity: 'warning',
    code: 'field-invalid',
    at: disabled.start,
    message,
    remedy: 'Write true or false.',
  });
  return true;
}

/** A list contains `NAME=value`, or a bare `NAME` that is passed on from our environment. */
function withEnvironment(launch: StdioLaunch, list: readonly string[], fields: Fields): StdioLaunch {
  const named = list.filter((item) => !item.includes('='));
  const set = list.filter((item) => item.includes('=')).map(splitPair);
  const inheritEnv = readInheritance(fields);
  return {
    ...launch,
    env: list.length === 0 ? launch.env : Object.fromEntries(set),
    envFrom: Object.fromEntries(named.map((variable) => [variable, { variable, prefix: '', suffix: '' }])),
    ...(inheritEnv === undefined ? {} : { inheritEnv }),
  };
}

function splitPair(item: string): readonly [string, string] {
  const sign = item.indexOf('=');
  return [item.slice(0, sign), item.slice(sign + 1)];
}

/** Reads only the entry's own setting. A filter with patterns is narrowed to the safe variables. */
function readInheritance(fields: Fields): InheritEnv | undefined {
  const inherits = readBoolean(fields, 'inheritParentEnv');
  if (inherits !== true) return inherits === undefined ? undefined : 'safe';
  const filter = readStrings(fields, 'envFilter');
  if (filter === undefined) return 'all';
  if (filter.every((name) => /^\w+$/.test(name))) return filter;
  const at = get(fields.node, 'envFilter')?.start ?? fields.node.start;
  const message =
    '"envFilter" has patterns, which holt does not know; the server gets the safe variables only';
  fields.report({ severity: 'warning', code: 'field-invalid', at, message, remedy: 'List plain names.' });
  return 'safe';
}

function reportTemplates(node: ObjectNode, context: EntryContext): void {
  const at = findTemplate(dropKeys(node, ['disabled']));
  if (at === undefined) return;
  const message = 'the entry has {{…}}, which only 1MCP fills in; the text stays as it is';
  context.report({ severity: 'warning', code: 'placeholder-unset', at, message });
}

function findTemplate(node: DocNode): number | undefined {
  if (node.kind === 'string') return node.value.includes('{{') ? node.start : undefined;
  const below =
    node.kind === 'array' ? node.items : node.kind === 'object' ? node.entries.map(({ value }) => value) : [];
  for (const value of below) {
    const at = findTemplate(value);
    if (at !== undefined) return at;
  }
  return undefined;
}
