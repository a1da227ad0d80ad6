/** Reads single values of an entry, reports each value of the wrong type, and writes single values. */

import { get, kindNames, type DocNode, type ObjectNode } from '../documents/tree.ts';
import type { StringMap } from '../kernel/servers.ts';
import type { ListedName, Report } from './agent-format.ts';
import type { JsonMap, JsonValue } from '../kernel/json.ts';

export interface Fields {
  readonly node: ObjectNode;
  readonly report: Report;
}

/** Reports a value of the wrong type for `key` as a warning; the field is left out. */
export function reportField(fields: Fields, key: string, node: DocNode, wanted: string): void {
  fields.report({
    severity: 'warning',
    code: 'field-invalid',
    at: node.start,
    message: `"${key}" must be ${wanted}, but is ${kindNames[node.kind]}; it is ignored`,
  });
}

export function readString(fields: Fields, key: string): string | undefined {
  const node = present(fields, key);
  if (node === undefined) return undefined;
  if (node.kind === 'string') return node.value;
  reportField(fields, key, node, 'a string');
  return undefined;
}

export function readBoolean(fields: Fields, key: string): boolean | undefined {
  const node = present(fields, key);
  if (node === undefined) return undefined;
  if (node.kind === 'boolean') return node.value;
  reportField(fields, key, node, 'true or false');
  return undefined;
}

export function readNumber(fields: Fields, key: string): number | undefined {
  const node = present(fields, key);
  if (node === undefined) return undefined;
  if (node.kind === 'number' && Number.isFinite(node.value) && node.value >= 0) return node.value;
  reportField(fields, key, node, 'a number that is not negative');
  return undefined;
}

/** Reads a list as strings. Numbers and booleans become strings; other items are left out with a warning. */
export function readStrings(fields: Fields, key: string): readonly string[] | undefined {
  return readListed(fields, key)?.map(({ name }) => name);
}

/** Like `readStrings`, with the offset of each string. Returns an empty list if there is none. */
export function listedStrings(fields: Fields, key: string): readonly ListedName[] {
  return readListed(fields, key) ?? [];
}

function readListed(fields: Fields, key: string): readonly ListedName[] | undefined {
  const node = present(fields, key);
  if (node === undefined) return undefined;
  if (node.kind !== 'array') {
    reportField(fields, key, node, 'a list of strings');
    return undefined;
  }
  const texts: ListedName[] = [];
  for (const [index, item] of node.items.entries()) {
    const text = textOf(item);
    if (text === undefined) reportField(fields, `${key}[${index}]`, item, 'a string');
    else texts.push({ name: text, at: item.start });
  }
  return texts;
}

/** Reads a map of strings. Numbers and booleans become strings; null means that the key is not set. */
export function readStringMap(fields: Fields, key: string): StringMap {
  const node = present(fields, key);
  if (node === undefined) return {};
  if (node.kind !== 'object') {
    reportField(fields, key, node, 'an object of strings');
    return {};
  }
  const map = Object.create(null) as Record<string, string>; // no prototype, for keys like `__proto__`
  for (const entry of node.entries) {
    if (entry.value.kind === 'null') {
      delete map[entry.key];
      continue;
    }
    const text = textOf(entry.value);
    if (text === undefined) reportField(fields, `${key}.${entry.key}`, entry.value, 'a string');
    else map[entry.key] = text;
  }
  return map;
}

function textOf(node: DocNode): string | undefined {
  if (node.kind === 'string') return node.value;
  return node.kind === 'number' || node.kind === 'boolean' ? String(node.value) : undefined;
}

/** An explicit null is the same as leaving the key out. */
function present(fields: Fields, key: string): DocNode | undefined {
  const node = get(fields.node, key);
  return node?.kind === 'null' ? undefined : node;
}

/** Returns the first of several keys that is present. */
export function firstPresent(node: ObjectNode, keys: readonly string[]): string | undefined {
  return keys.find((key) => {
    const value = get(node, key);
    return value !== undefined && value.kind !== 'null';
  });
}

/** Returns an object with one field, or an empty object if there is no key or no value. */
export function oneField(key: string | undefined, value: JsonValue | undefined): JsonMap {
  return key === undefined || value === undefined ? {} : { [key]: value };
}
