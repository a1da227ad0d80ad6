/**
 * Finds the entry that a definition was read from, so that it can be changed in place. It may have moved since, but
 * its content must be the same.
 */

import type { ConfigFile, RawEntry } from '../../agents/agent-format.ts';
import type { ServerShape } from '../../agents/server-shape.ts';
import type { JsonValue } from '../../kernel/json.ts';
import { formatOf } from '../../agents/places.ts';
import type { EditResult, Path } from '../../documents/edit-document.ts';
import { sameValue } from '../../documents/edit.ts';
import { createLineIndex, dig, toValue, type DocFormat, type ParsedDocument } from '../../documents/tree.ts';
import { HoltError } from '../../kernel/errors.ts';
import type { Launch, ServerDefinition } from '../../kernel/servers.ts';
import { changedMeanwhile, readSettled } from '../read-settled.ts';
import { checkPlace, editFile, type FileEdited } from '../edit-file.ts';
import type { EditParts } from '../edit-parts.ts';
import type { Operation } from '../previous-content.ts';
import { writerOf } from '../writers.ts';
import { findAt, type FoundEntry } from './find-entry.ts';
import { maskEntry } from './mask-entry.ts';
import { parseDocument } from '../../documents/parse-document.ts';
import { agentFormat } from '../../agents/all-agents.ts';
import { locationOf } from './read-back.ts';

export interface ExistingEntry extends FoundEntry {
  readonly file: string;
  readonly format: DocFormat;
  readonly shape: ServerShape;
  /** The entry on one line, secrets masked. */
  readonly shown: string;
}

/** Returns why holt does not edit the file of a definition; undefined when it may. */
export function whyNotOurs({ origin }: ServerDefinition): string | undefined {
  const { agent, scope, file } = origin;
  if (scope === 'managed') return `${file} is an administrator's`;
  if (scope === 'plugin') return `${file} belongs to a plugin, whose next version would bring it back`;
  if (scope === 'runtime') return 'no file defines it';
  return writerOf(agent) === undefined ? `holt only reads the files of ${agent}` : undefined;
}

export function notOurs(
  definition: ServerDefinition,
  reason: string,
  remedy: string,
): HoltError<'config-not-ours'> {
  const { name, origin } = definition;
  const details = { server: name, file: origin.file, reason };
  return new HoltError('config-not-ours', `"${name}" is not changed: ${reason}`, details, { remedy });
}

/**
 * Finds the entry of a definition, for editing. Resolves to undefined when the entry cannot be separated from
 * the rest of its file; rejects with `config-unwritable` when it was changed.
 */
export async function findExisting(
  definition: ServerDefinition,
  parts: EditParts,
): Promise<ExistingEntry | undefined> {
  const { agent, file } = definition.origin;
  const writer = writerOf(agent);
  const found = await locateEntry(definition, parts);
  if (found === 'changed') throw changedMeanwhile(file);
  if (writer === undefined || found === undefined) return undefined;
  await checkPlace(file, parts);
  const shape = writer.shapeAt([...found.path, found.key]);
  const shown = JSON.stringify(maskEntry(found.value, shape.dialect));
  return { ...found, file, format: formatOf(file), shape, shown };
}

/** Edits the file. Rejects with `config-unwritable` when the entry has changed. */
export function editExisting(
  existing: ExistingEntry,
  change: (text: string) => Promise<EditResult>,
  operation: Operation,
  parts: EditParts,
): Promise<FileEdited> {
  const { file, format, path, key, value, shape } = existing;
  return editFile(
    {
      file,
      format,
      operation,
      dialect: shape.dialect,
      change: async (text, { root }) => {
        if (!isStillThere(nodeValue(root, [...path, key]), value)) throw changedMeanwhile(file);
        return change(text);
      },
    },
    parts,
  );
}

function nodeValue(root: Parameters<typeof dig>[0], path: Path): JsonValue | undefined {
  const node = dig(root, path);
  return node === undefined ? undefined : toValue(node);
}

function isStillThere(now: JsonValue | undefined, before: JsonValue): boolean {
  return now !== undefined && sameValue(now, before);
}

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
