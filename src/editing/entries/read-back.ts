/** Reads an entry as its agent would read it from the file, and finds the fields that it would not read. */

import { isObject, type JsonValue } from '../../kernel/json.ts';
import type { Complaint, ConfigFile, Location } from '../../agents/agent-format.ts';
import type { EntryReading } from '../../agents/server-shape.ts';
import { nest, type Path } from '../../documents/edit.ts';
import { parseJson } from '../../documents/json.ts';
import { createLineIndex, type DocNode } from '../../documents/tree.ts';
import type { Machine } from '../../kernel/machine.ts';
import type { FoundTarget } from '../writers.ts';

export interface Reading {
  /** Undefined when the agent would not accept it. */
  readonly content: EntryReading | undefined;
  readonly complaints: readonly Complaint[];
}

export interface EntryPlace {
  readonly target: Pick<FoundTarget, 'reader' | 'file'>;
  readonly machine: Machine;
  readonly kind: 'map' | 'list';
  /** The path of the map or list. */
  readonly path: Path;
}

export function readBack(name: string, entry: JsonValue, place: EntryPlace): Reading {
  const { machine, target } = place;
  const { reader, file: path } = target;
  const location = locationOf(target, machine);
  const root = documentWith(name, entry, place);
  if (location === undefined || root === undefined) return { content: undefined, complaints: [] };
  const complaints: Complaint[] = [];
  const report = (complaint: Complaint): void => void complaints.push(complaint);
  const file: ConfigFile = { location, path, root, machine, position: createLineIndex(''), report };
  const layer = reader.layer(file);
  const found = layer.entries.find((candidate) => candidate.name === name);
  if (found?.node.kind !== 'object') return { content: undefined, complaints };
  const context = { file, entry: found, inputs: layer.inputs ?? [], report };
  if (reader.accepts?.(found.node, context) === false) return { content: undefined, complaints };
  return { content: reader.read(found.node, context), complaints };
}

/** Returns the agent's location for a file; undefined when the agent does not read that file at all. */
export function locationOf({ reader, file }: EntryPlace['target'], machine: Machine): Location | undefined {
  const { path: paths } = machine;
  return reader.locate(machine).findLast(({ each, below, path }) => {
    if (each === undefined) return path === file;
    return below === undefined && path === paths.dirname(file) && each.test(paths.basename(file));
  });
}

function documentWith(name: string, entry: JsonValue, { kind, path }: EntryPlace): DocNode | undefined {
  const value = kind === 'map' ? nest([...path, name], entry) : nest(path, [entry]);
  const document = parseJson(JSON.stringify(value), { bom: false, utf16: false });
  return document.ok ? document.root : undefined;
}

/** Fields that may state a default. */
const redundant = new Set([
  'type',
  'transport',
  'transportType',
  'enabled',
  'disabled',
  'name',
  'args',
  'env',
  'headers',
  'oauth',
]);

/** A field counts as unread when the agent's entry reads the same without it. */
export function unreadFields(name: string, entry: JsonValue, place: EntryPlace): readonly string[] {
  if (!isObject(entry)) return [];
  const whole = JSON.stringify(readBack(name, entry, place).content);
  return Object.keys(entry).filter((key) => {
    if (redundant.has(key)) return false;
    const rest = Object.fromEntries(Object.entries(entry).filter(([other]) => other !== key));
    return JSON.stringify(readBack(name, rest, place).content) === whole;
  });
}
