/**
 * OpenHands: three lists in `config.toml`, one for each transport, and a plain map in `mcp.json`. Remote
 * servers in the lists have no names, so they are named after their hosts.
 */

import { dig, get, type DocNode, type ObjectNode } from '../documents/tree.ts';
import { plainShape } from './agent-row.ts';
import type { AgentFormat, ConfigFile, EntryContext, Layer, RawEntry } from './agent-format.ts';
import type { EntryReading, ServerShape } from './server-shape.ts';
import { readString } from './fields.ts';
import { homeFile } from './places.ts';
import { entriesOfList } from './server-list.ts';
import { isObjectFile, mapLayer } from './server-map.ts';
import { readShape } from './read-shape.ts';

const stdio: ServerShape = { dialect: 'none', types: [], urls: [] };
const http: ServerShape = { dialect: 'none', types: [], urls: [{ key: 'url', untyped: 'http' }] };
const sse: ServerShape = { dialect: 'none', types: [], urls: [{ key: 'url', untyped: 'sse' }] };
const shapes: Readonly<Record<string, ServerShape>> = { stdio, http, sse };

export const openhands: AgentFormat = {
  id: 'openhands',
  label: 'OpenHands',
  shape: plainShape,
  combine: 'whole',
  locate: (machine) => [
    homeFile(machine, ['.openhands', 'config.toml']),
    homeFile(machine, ['.openhands', 'mcp.json']),
  ],
  layer: (file) => (file.location.format === 'toml' ? listsLayer(file) : mapLayer(file, ['mcpServers'])),
  read: readOpenhandsEntry,
};

function listsLayer(file: ConfigFile): Layer {
  if (!isObjectFile(file)) return { entries: [] };
  const programs = entriesOfList(file, dig(file.root, ['mcp', 'stdio_servers']), 'mcp.stdio_servers');
  const taken = new Set(programs.map(({ name }) => name));
  return {
    entries: [
      ...programs.map((entry): RawEntry => Object.assign({ variant: 'stdio' }, entry)),
      ...remoteEntries(file, 'shttp_servers', 'http', taken),
      ...remoteEntries(file, 'sse_servers', 'sse', taken),
    ],
  };
}

function remoteEntries(
  file: ConfigFile,
  key: string,
  variant: string,
  taken: Set<string>,
): readonly RawEntry[] {
  return entriesOfList(file, dig(file.root, ['mcp', key]), `mcp.${key}`).map((entry) => {
    const node = asObject(entry.node);
    const name = node.kind === 'object' ? freeName(hostOf(node, `${variant}-server`), taken) : entry.name;
    return { name, node, at: entry.at, variant };
  });
}

/** A server may be just its URL. */
function asObject(node: DocNode): DocNode {
  if (node.kind !== 'string') return node;
  const { start, end } = node;
  return { kind: 'object', start, end, entries: [{ key: 'url', keyStart: start, value: node }] };
}

function hostOf(node: ObjectNode, fallback: string): string {
  const url = get(node, 'url');
  return (
    (url?.kind === 'string' ? /^\w+:\/\/(?:[^/?#]*@)?([^/?#@]+)/.exec(url.value)?.[1] : undefined) ?? fallback
  );
}

function freeName(wanted: string, taken: Set<string>): string {
  let name = wanted;
  for (let count = 2; taken.has(name); count += 1) name = `${wanted}-${count}`;
  taken.add(name);
  return name;
}

function readOpenhandsEntry(node: ObjectNode, context: EntryContext): EntryReading | undefined {
  const shape = shapes[context.entry.variant ?? ''];
  if (shape === undefined) return readShape(node, plainShape, context);
  const reading = readShape(node, shape, context);
  if (reading === undefined || reading.launch.kind === 'stdio') return reading;
  const key = readString({ node, report: context.report }, 'api_key');
  if (key === undefined) return reading;
  return { ...reading, launch: { ...reading.launch, headers: { Authorization: `Bearer ${key}` } } };
}
