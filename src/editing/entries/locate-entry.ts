/**
 * Finds the entry that a definition was read from again. It may have moved since, but its content must be the
 * same.
 */

import type { ConfigFile, RawEntry } from '../../agents/agent-format.ts';
import { formatOf } from '../../agents/places.ts';
import { parseDocument } from '../../documents/parse-document.ts';
import { createLineIndex, type ParsedDocument } from '../../documents/tree.ts';
import type { Launch, ServerDefinition } from '../../kernel/servers.ts';
import type { EditParts } from '../edit-parts.ts';
import { readSettled } from '../read-settled.ts';
import { agentFormat } from '../../agents/all-agents.ts';
import { findAt, type FoundEntry } from './find-entry.ts';
import { locationOf } from './read-back.ts';

/**
 * Resolves to `changed` when nothing in the file reads like the definition, and to undefined when something
 * does but cannot be separated from the rest of the file.
 */
export async function locateEntry(
  definition: ServerDefinition,
  parts: EditParts,
): Promise<FoundEntry | 'changed' | undefined> {
  const { name, origin } = definition;
  if (origin.file === '') return undefined;
  const { bytes } = await readSettled(origin.file, parts);
  const document = bytes === undefined ? undefined : await parseDocument(bytes, formatOf(origin.file));
  if (document?.ok !== true) return 'changed';
  const place = positionNow(definition, document, parts);
  return place === 'changed' ? place : findAt(document, place, name);
}

/**
 * Returns the entry's current position. A definition that was merged from several files cannot be compared,
 * so its position must be unchanged.
 */
function positionNow(
  definition: ServerDefinition,
  document: ParsedDocument,
  { machine }: EditParts,
): { readonly line: number; readonly column: number } | 'changed' {
  const { name, origin } = definition;
  const reader = agentFormat(origin.agent);
  const location = locationOf({ reader, file: origin.file }, machine);
  if (location === undefined || definition.parts.length > 1) return origin;
  const position = createLineIndex(document.text);
  const { root } = document;
  const file: ConfigFile = { location, path: origin.file, root, machine, position, report: () => undefined };
  const layer = reader.layer(file);
  const readsTheSame = (entry: RawEntry): boolean => {
    if (entry.name !== name || (entry.scope ?? origin.scope) !== origin.scope) return false;
    const context = { file, entry, inputs: layer.inputs ?? [], report: () => undefined };
    const reading = entry.node.kind === 'object' ? reader.read(entry.node, context) : undefined;
    return reading !== undefined && sameLaunch(reading.launch, definition.launch);
  };
  const found = layer.entries.findLast(readsTheSame);
  return found === undefined ? 'changed' : position(found.at);
}

/** Ignores the environment rule, because an override may have set it instead of the file. */
function sameLaunch(left: Launch, right: Launch): boolean {
  return textOf(left) === textOf(right);
}

function textOf(launch: Launch): string {
  return JSON.stringify({ ...launch, inheritEnv: undefined });
}
