/**
 * Public entry point for editing: adds, removes or changes one entry or list item and leaves every other byte
 * unchanged. An edit is refused if the new text would not parse as the old value with exactly that change.
 */

import type { JsonValue } from '../kernel/json.ts';
import type { Edit, EditResult, Path } from './edit.ts';
import { editText, type EditTools } from './edits/edit-text.ts';
import type { TextStyle } from './text-style.ts';
import type { DocFormat } from './tree.ts';

export type { EditResult, Path } from './edit.ts';

interface Place {
  readonly path: Path;
  readonly style?: Partial<TextStyle>;
}
type EntryPlace = Place & { readonly key: string };
type ItemPlace = Place & { readonly index: number };
type WithValue = { readonly value: JsonValue };

/** Adds an entry at the end of the map at `path`, and creates the map if it is missing. */
export function insertEntry(
  text: string,
  format: DocFormat,
  place: EntryPlace & WithValue,
): Promise<EditResult> {
  const { path, key, value, style } = place;
  return run(text, format, { kind: 'insert', path, key, value }, style);
}

/** Removes an entry with its comma, its lines, and the comments on its line and directly above it. */
export function removeEntry(text: string, format: DocFormat, place: EntryPlace): Promise<EditResult> {
  const { path, key, style } = place;
  return run(text, format, { kind: 'remove', path, key }, style);
}

/**
 * Replaces the value of an entry.
 * If a map replaces a map, the fields that remain keep their text and comments.
 */
export function replaceValue(
  text: string,
  format: DocFormat,
  place: EntryPlace & WithValue,
): Promise<EditResult> {
  const { path, key, value, style } = place;
  return run(text, format, { kind: 'replace', path, key, value }, style);
}

/** Appends an item to the list at `path`, and creates the list if it is missing. */
export function appendItem(text: string, format: DocFormat, place: Place & WithValue): Promise<EditResult> {
  const { path, value, style } = place;
  return run(text, format, { kind: 'append', path, value }, style);
}

export function removeItem(text: string, format: DocFormat, place: ItemPlace): Promise<EditResult> {
  const { path, index, style } = place;
  return run(text, format, { kind: 'remove', path, key: index }, style);
}

export function replaceItem(
  text: string,
  format: DocFormat,
  place: ItemPlace & WithValue,
): Promise<EditResult> {
  const { path, index, value, style } = place;
  return run(text, format, { kind: 'replace', path, key: index, value }, style);
}

async function run(
  text: string,
  format: DocFormat,
  edit: Edit,
  style?: Partial<TextStyle>,
): Promise<EditResult> {
  return editText(text, edit, await toolsFor(format), style);
}

async function toolsFor(format: DocFormat): Promise<EditTools> {
  if (format === 'json') return (await import('./edits/json-edit.ts')).jsonTools;
  if (format === 'toml') return (await import('./edits/toml-edit.ts')).tomlTools;
  return (await import('./edits/yaml-edit.ts')).yamlTools;
}
