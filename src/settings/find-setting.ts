/** Finds settings by their dotted names: `naming`, `limits.messageBytes`, `timeouts.phases.connecting`. */

import { parseJson } from '../documents/json.ts';
import type { DocNode } from '../documents/tree.ts';
import { isSettingName, settingNames, settingsTable, type SettingName } from './settings.ts';
import type { Shape } from './values/shapes.ts';

export interface SettingPlace {
  readonly name: SettingName;
  /** Keys from the root of the file down; the first is `name`. */
  readonly path: readonly string[];
  readonly shape: Shape<unknown>;
}

export function findSetting(word: string): SettingPlace | undefined {
  const [head = '', ...rest] = word.split('.');
  if (!isSettingName(head)) return undefined;
  const { shape } = settingsTable[head];
  if (rest.length === 0) return { name: head, path: [head], shape };
  const found = follow(rest.join('.'), shape);
  return found === undefined ? undefined : { name: head, path: [head, ...found.path], shape: found.shape };
}

interface Found {
  readonly path: readonly string[];
  readonly shape: Shape<unknown>;
}

/** Keys may contain dots, so the shape determines where one ends. */
function follow(word: string, shape: Shape<unknown>): Found | undefined {
  for (const [key, field] of Object.entries(shape.fields ?? {})) {
    if (word === key) return { path: [key], shape: field };
    const found = word.startsWith(`${key}.`) ? follow(word.slice(key.length + 1), field) : undefined;
    if (found !== undefined) return { path: [key, ...found.path], shape: found.shape };
  }
  return shape.entries === undefined ? undefined : followEntry(word, shape.entries);
}

/** The user chooses the key: it is the whole word, or the word without a known field at its end. */
function followEntry(word: string, entry: Shape<unknown>): Found {
  for (const [key, field] of Object.entries(entry.fields ?? {})) {
    if (word.endsWith(`.${key}`)) return { path: [word.slice(0, -key.length - 1), key], shape: field };
  }
  return { path: [word], shape: entry };
}

/** Returns all setting names that are known in advance, for suggestions. */
export function dottedNames(): readonly string[] {
  const names: string[] = [];
  const collect = (name: string, { fields = {} }: Shape<unknown>): void => {
    names.push(name);
    for (const [key, field] of Object.entries(fields)) collect(`${name}.${key}`, field);
  };
  for (const name of settingNames) collect(name, settingsTable[name].shape);
  return names;
}

/**
 * Reads a value that is given as text: as JSON if it parses, else as a string.
 * With `commas`, a list of words needs no brackets.
 */
export function nodeOfText(text: string, { commas }: { readonly commas?: true }): DocNode {
  const document = parseJson(text, { bom: false, utf16: false });
  if (document.ok && document.root !== undefined) return document.root;
  const whole = (value: string): DocNode => ({ kind: 'string', value, start: 0, end: text.length });
  if (commas === undefined) return whole(text);
  const words = text.split(',').map((word) => word.trim());
  return { kind: 'array', items: words.filter((word) => word !== '').map(whole), start: 0, end: text.length };
}
